import type { CompletionItem, CompletionParams } from "vscode-languageserver/node";
import { languageOf } from "../language.ts";
import type { Session } from "../session.ts";
import { rangeIn } from "../source-file.ts";
import { cursorAt } from "./cursor.ts";
import { itemsOf } from "./item.ts";
import { keysAt, namedKeysAt } from "./keys.ts";
import { markerOffers } from "./markers.ts";
import { membersAt } from "./members.ts";
import { markersAt, valuesAt } from "./values.ts";

/** All completions at a place: keys of the schema, words and names, and the parts of markers. */
export function completion(session: Session, { textDocument, position }: CompletionParams): CompletionItem[] {
  const source = session.source(textDocument.uri);
  const cursor = source === undefined ? undefined : cursorAt(source, source.lines.offsetAt(position));
  if (source === undefined || cursor === undefined) return [];
  const around = { source, session, cursor };
  const { place, kind, inMarker, word, name, lead } = cursor;
  const { definitions } = languageOf(source.role, cursor.document.root);
  if (inMarker && kind === "value") return itemsOf(markerOffers(around), rangeIn(source, word));
  if (kind === "key") {
    const keys = [...keysAt(cursor, definitions), ...namedKeysAt(cursor, source, session)];
    const isAlone = place.node.kind === "map" && place.node.entries.length === 1;
    // A single word is not yet a map, so it may become a value of the place, too.
    const values = isAlone ? valuesAt(place.schema, place, definitions, around) : [];
    return itemsOf([...keys, ...values], rangeIn(source, word), lead);
  }
  const values = valuesAt(place.schema, place, definitions, around);
  const members = itemsOf(membersAt(around), rangeIn(source, word), lead);
  const offers = [...itemsOf(values, rangeIn(source, name), lead), ...members];
  return offers.length > 0 ? offers : itemsOf(markersAt(around, definitions), rangeIn(source, name), lead);
}
