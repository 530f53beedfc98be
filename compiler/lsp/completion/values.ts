import type { JsonSchema } from "#runtime/features/feature.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { get, items, type Node, scalarText } from "../../1-read/document.ts";
import { formsOf, wordsOf } from "../../2-check/forms.ts";
import { outward, type Place } from "../../2-check/places.ts";
import type { Definitions } from "../../2-check/shapes.ts";
import { moduleTitle } from "../../2-check/skeleton.ts";
import { methods } from "../../3-resolve/routes.ts";
import { docOf } from "../docs.ts";
import { namesAt } from "../names/known.ts";
import type { Session } from "../session.ts";
import type { SourceFile } from "../source-file.ts";
import { type Cursor, cursorWord } from "./cursor.ts";
import { CompletionItemKind, type Offer } from "./item.ts";

/** Words, flags and names that may stand at the place. */
export function valuesAt(schema: JsonSchema, place: Place, definitions: Definitions, { source, session }: Around): readonly Offer[] {
  const forms = formsOf(schema, definitions);
  const listed = forms.flatMap(({ pattern = "" }) => pattern.match(/(?<=\|)[a-z]+(?=[|)])/g) ?? []);
  const words = [...wordsOf(schema, definitions), ...listed, ...methodsAt(place)].map((word) => ({
    label: word,
    kind: CompletionItemKind.EnumMember,
    doc: docOf(schema, definitions),
  }));
  const flags = forms.some(({ type }) => type === "boolean" || (Array.isArray(type) && type.includes("boolean")))
    ? ["true", "false"].map((word) => ({ label: word, kind: CompletionItemKind.Value, doc: docOf(schema, definitions) }))
    : [];
  const waiting = waitingAt(place);
  const names = forms.flatMap(({ names: kind }) =>
    kind === undefined
      ? []
      : namesAt(kind, place, source, session)
          .filter((name) => !waiting.has(name))
          .map((name) => ({ label: name, kind: CompletionItemKind.Reference, detail: kind })),
  );
  const modules = forms.some(({ title }) => title === moduleTitle)
    ? namesAt("module", place, source, session).map((name) => ({
        label: `a|module::${name}|`,
        kind: CompletionItemKind.Module,
        detail: "module",
      }))
    : [];
  return [...names, ...words, ...flags, ...modules];
}

/** The usual methods of HTTP. ANY is one of an interface alone, and other methods of a call are left to the author. */
function methodsAt({ entry, around }: Place): readonly string[] {
  if (entry?.key !== "method" || around?.form.properties === undefined) return [];
  return around.form.title === "Interface" ? methods : methods.filter((method) => method !== "ANY");
}

const gates = ["run_when_succeeded", "run_when_failed", "depends_on", "run_when_finished"] as const;

/** For a gate: its own action, and all actions that wait for this action by their gates. A gate on one of them would be a circle. */
function waitingAt(place: Place): ReadonlySet<string> {
  const gate = [...outward(place)].find(({ entry, around }) => gates.some((key) => key === entry?.key) && around?.form.title === "Action");
  const own = scalarText(get(gate?.around?.node, "name"));
  if (own === undefined) return new Set();
  const actions = items(gate?.around?.around?.node);
  const waiting = new Set([own]);
  for (let before = 0; before < waiting.size; ) {
    before = waiting.size;
    for (const action of actions) {
      const name = scalarText(get(action, "name"));
      if (name !== undefined && gates.some((key) => namesOf(get(action, key)).some((one) => waiting.has(one)))) waiting.add(name);
    }
  }
  return waiting;
}

const namesOf = (gate: Node | undefined): readonly string[] => items(gate).flatMap((item) => scalarText(item) ?? []);

export interface Around {
  readonly source: SourceFile;
  readonly session: Session;
  readonly cursor: Cursor;
}

/** Markers of actions and roots, offered for an empty value unless it must be known when compiling. */
export function markersAt({ source, session, cursor: { place } }: Around, definitions: Definitions): readonly Offer[] {
  const isEmpty = place.node.kind === "scalar" && place.node.value === cursorWord;
  if (!isEmpty || formsOf(place.schema, definitions).some(({ context }) => context === "static")) return [];
  const actions = namesAt("action", place, source, session).filter((name) => name !== cursorWord);
  return [
    ...actions.map((name) => ({ label: `a|${name}|`, kind: CompletionItemKind.Variable, detail: "action" })),
    ...Object.entries(roots).map(([name, { summary, named }]) => ({
      label: `a|${name}${named === true ? "::" : "|"}`,
      kind: CompletionItemKind.Keyword,
      doc: summary,
    })),
  ];
}
