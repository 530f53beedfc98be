import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Entry, Node } from "../1-read/document.ts";
import { meant, member } from "./forms.ts";
import type { Language } from "./schema.ts";

/** A value of a file with what the language says of its place. */
export interface Place {
  readonly node: Node;
  /** The schema of the place, before one of several forms is chosen. */
  readonly schema: JsonSchema;
  /** The form that the node is meant as. */
  readonly form: JsonSchema;
  /** The entry that holds the node; undefined for the root and for the items of lists. */
  readonly entry: Entry | undefined;
  readonly around: Place | undefined;
}

/**
 * All values of a tree, outermost first, each once: a node that several aliases name has the place of the first. The tree may have
 * mistakes; a value at an unknown place gets an empty schema.
 */
export function placesIn(root: Node, language: Language, around?: Place): readonly Place[] {
  const places: Place[] = [];
  const seen = new Set<Node>();
  const { definitions } = language;
  const visit = (node: Node, schema: JsonSchema, entry: Entry | undefined, outer: Place | undefined): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const form = meant(schema, node, definitions);
    const place: Place = { node, schema, form, entry, around: outer };
    places.push(place);
    if (node.kind === "list") for (const item of node.items) visit(item, form.items ?? {}, undefined, place);
    if (node.kind === "map") for (const one of node.entries) visit(one.value, member(form, one.key), one, place);
  };
  visit(root, language.root, undefined, around);
  return places;
}

/** The place and the places around it, the innermost first. */
export function* outward(place: Place | undefined): Generator<Place> {
  for (let each = place; each !== undefined; each = each.around) yield each;
}
