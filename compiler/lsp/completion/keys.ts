import * as features from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { get, scalarText } from "../../1-read/document.ts";
import { formsOf } from "../../2-check/forms.ts";
import type { Definitions } from "../../2-check/shapes.ts";
import { routeNames } from "../../5-analyse/shapes/roots.ts";
import { docOf, kindOf } from "../docs.ts";
import { namesAt } from "../names/known.ts";
import { interfaceAround } from "../names/lists.ts";
import type { Session } from "../session.ts";
import type { SourceFile } from "../source-file.ts";
import { type Cursor, cursorWord } from "./cursor.ts";
import { CompletionItemKind, type Offer } from "./item.ts";

/** The keys that can be added to the record at the place, required ones first. */
export function keysAt(cursor: Cursor, definitions: Definitions): readonly Offer[] {
  const { place } = cursor;
  const present = place.node.kind === "map" ? place.node.entries.map(({ key }) => key).filter((key) => !key.includes(cursorWord)) : [];
  // Without a key it is not yet known which of several records is meant.
  const forms = present.length === 0 ? formsOf(place.schema, definitions) : [place.form];
  const records = forms.filter(({ properties }) => properties !== undefined);
  const taken = new Set(present);
  const offers = records.flatMap(({ properties = {}, required = [], title }) => {
    const free = Object.entries(properties).filter(([key, { deprecated }]) => isOffered(key, deprecated) && !taken.has(key));
    const isSingle = title === "Transform" && present.length > 0;
    return isSingle
      ? []
      : free
          .toSorted(([a], [b]) => rank(a, required) - rank(b, required))
          .map(([key, schema]) => offerOf(key, schema, title, cursor, definitions));
  });
  return offers;
}

const isOffered = (key: string, deprecated: boolean | undefined): boolean => deprecated !== true && key !== "run_when_finished";

const rank = (key: string, required: readonly string[]): number => (required.includes(key) ? 0 : 1);

function offerOf(key: string, schema: JsonSchema, title: string | undefined, cursor: Cursor, definitions: Definitions): Offer {
  return {
    label: key,
    kind: isFeature(key, title) ? CompletionItemKind.Function : CompletionItemKind.Property,
    text: textOf(key, schema, cursor, definitions),
    detail: isFeature(key, title) ? (title === "Test" ? "matcher" : (title ?? "").toLowerCase()) : kindOf(schema, definitions),
    doc: docOf(schema, definitions),
  };
}

/** True for a feature of the language: a matcher, a transform or the source of an action. */
function isFeature(key: string, title: string | undefined): boolean {
  const { matchers, transforms, actions } = features;
  const table = { Test: matchers, Transform: transforms, Action: actions }[title ?? ""];
  return table !== undefined && Object.hasOwn(table, key);
}

/** The key with the begin of its value: blocks of records and lists stand on lines of their own. */
function textOf(key: string, schema: JsonSchema, { hasValue, inBlock, column }: Cursor, definitions: Definitions): string {
  if (hasValue) return key;
  const [usual = {}] = formsOf(schema, definitions);
  const inner = `\n${" ".repeat(column + 2)}`;
  if (inBlock && (usual.properties !== undefined || usual.type === "object")) return `${key}:${inner}`;
  if (inBlock && usual.type === "array") return `${key}:${inner}- `;
  return `${key}: `;
}

/** The keys of a map with names as keys: parameters of the route, actions that a test expects. */
export function namedKeysAt(cursor: Cursor, source: SourceFile, session: Session): readonly Offer[] {
  const { form, node, entry } = cursor.place;
  const taken = new Set(node.kind === "map" ? node.entries.map(({ key }) => key) : []);
  const text = (name: string): string => (cursor.hasValue ? name : `${name}: `);
  const names = form.names === undefined ? [] : namesAt(form.names, cursor.place, source, session);
  const route = entry?.key === "params" ? scalarText(get(interfaceAround(cursor.place)?.node, "route")) : undefined;
  return [...names, ...routeNames(route)]
    .filter((name) => !taken.has(name))
    .map((name) => ({ label: name, kind: CompletionItemKind.Reference, text: text(name) }));
}
