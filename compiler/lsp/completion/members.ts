import { isNever, type Shape } from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import type { WatchedReading } from "../../5-analyse/index.ts";
import { follow, followEach, followExpected } from "../../5-analyse/shapes/follow.ts";
import { knowledgeOf } from "../knowledge.ts";
import { shapeText } from "../shape-text.ts";
import { cursorWord } from "./cursor.ts";
import { CompletionItemKind, type Offer } from "./item.ts";
import type { Around } from "./values.ts";

const isHere = (step: Step): boolean => String(step).includes(cursorWord);

/** The members of the value that the path at the place reads, as far as the compiler knows it. */
export function membersAt({ source, session, cursor }: Around): readonly Offer[] {
  const { readings } = knowledgeOf(cursor.document, source, session);
  const here = readings.filter(({ path }) => path.some(isHere));
  return here.map(offersOf).find((offers) => offers.length > 0) ?? [];
}

function offersOf({ of, path, into }: WatchedReading): readonly Offer[] {
  const before = path.slice(0, path.findIndex(isHere));
  const { shape } = { value: follow, elements: followEach, rows: followExpected }[into](of, before);
  return membersOf(shape, into !== "value").map(([name, member]) => ({
    label: name,
    kind: CompletionItemKind.Field,
    detail: shapeText(member),
  }));
}

/** The members of all objects that the value may be. With `intoLists` the elements of lists count, too. */
function membersOf(shape: Shape, intoLists: boolean): readonly (readonly [string, Shape])[] {
  switch (shape.type) {
    case "object":
      return [...shape.members].flatMap(([name, member]) => (isNever(member.shape) ? [] : [[name, member.shape] as const]));
    case "union":
      return shape.of.flatMap((one) => membersOf(one, intoLists));
    case "array":
      return intoLists ? membersOf(shape.items, intoLists) : [];
    case "any":
    case "null":
    case "boolean":
    case "number":
    case "string":
      return [];
  }
}
