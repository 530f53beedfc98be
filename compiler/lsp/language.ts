import * as features from "#generated/features.ts";
import { entriesOf, get, type Node, scalarText } from "../1-read/document.ts";
import { formsOf } from "../2-check/forms.ts";
import { type Slot, slotNames } from "../2-check/modules.ts";
import { type Place, placesIn } from "../2-check/places.ts";
import { type Language, language } from "../2-check/schema.ts";
import { map, record, word } from "../2-check/shapes.ts";
import { testLanguage } from "../testing/schema.ts";
import type { PlaceRole } from "./paths.ts";
import type { SourceFile } from "./source-file.ts";

/** The language of configurations. It is made once, since it does not change while the process lives. */
let ofConfigs: Language | undefined;
let ofTests: Language | undefined;

export function configLanguage(): Language {
  ofConfigs ??= language(features);
  return ofConfigs;
}

/** The language of a file of this role; files of variables have any names and values. */
export function languageOf(role: PlaceRole, root: Node): Language {
  const { definitions } = configLanguage();
  switch (role) {
    case "config":
      return configLanguage();
    case "test":
      ofTests ??= testLanguage();
      return ofTests;
    case "module":
      return { root: moduleSchema(root), definitions };
    case "variables":
      return { root: { ...map("Managed variables."), defines: "variable" }, definitions };
    case "none":
      return { root: {}, definitions };
  }
}

/** The schema of a module, which states its slot with `type`. Without `type` it is the slot that has most of its keys. */
function moduleSchema(root: Node): Language["root"] {
  const typed = slotNames.find((name) => name === scalarText(get(root, "type")));
  const slot = { $ref: `#/$defs/${typed ?? likeliestSlot(root)}` };
  if (typed === undefined && entriesOf(root).length > 0 && get(root, "spec") === undefined && get(root, "type") === undefined) return slot;
  return record("Module", "A value that configurations share.", {
    type: word("The place that `spec` can stand in.", slotNames),
    spec: { ...slot, description: "The value itself." },
  });
}

function likeliestSlot(root: Node): Slot {
  const keys = entriesOf(root).map(({ key }) => key);
  const countOf = (name: Slot): number => {
    const forms = formsOf({ $ref: `#/$defs/${name}` }, configLanguage().definitions);
    return keys.filter((key) => forms.some(({ properties = {} }) => Object.hasOwn(properties, key))).length;
  };
  return slotNames.toSorted((a, b) => countOf(b) - countOf(a))[0] ?? "Action";
}

/** The places of files, for their current texts. */
const places = new WeakMap<SourceFile, readonly Place[]>();

/** All values of a file with their places in the language. */
export function placesOf(source: SourceFile): readonly Place[] {
  const cached = places.get(source);
  if (cached !== undefined) return cached;
  const { document, role } = source;
  const result = document === undefined ? [] : placesIn(document.root, languageOf(role, document.root));
  places.set(source, result);
  return result;
}
