import type { Fill } from "#runtime/plan/fills.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import type { Lowering } from "../markers/scope.ts";
import { lowerHole, textOf } from "./reads.ts";
import type { Scalar } from "./scalar.ts";

/**
 * A field of addresses with text around its holes: data cannot add an address to the written ones (spec/language 2.8 N). Values of the
 * configuration are inserted as they are.
 */
export function mailText(scalar: Scalar, cx: Lowering): Expr {
  const places = placesOf(scalar);
  return textOf(
    scalar.template.parts.map((part) => {
      if (part.kind === "text") return part.text;
      const { of, trusted } = lowerHole(part, scalar, cx, "an address of a mail");
      return { fill: trusted ? "text" : fillOf(places.get(part)), of };
    }),
  );
}

function fillOf(place: Place | undefined): Fill {
  if (place === undefined) return "mail_part";
  if (place.isQuoted) return "mail_quoted";
  if (place.entry.hasBrackets && !place.inside) return "mail_name";
  return place.entry.hasAt ? "mail_part" : "mail_address";
}

/** An item of a list that is one marker: data can give only one address. */
export function mailItem(marker: Marker, scalar: Scalar, cx: Lowering): Expr {
  const { of, trusted } = lowerHole(marker, scalar, cx, "an address of a mail");
  return trusted ? of : { op: "text", parts: [{ fill: "mail_box", of }] };
}

/** One of the written addresses, which commas separate. */
interface WrittenAddress {
  /** True when the address stands between `<` and `>`, with or without a name before them. */
  hasBrackets: boolean;
  /** True when its `@` is written, outside quotes. */
  hasAt: boolean;
}

interface Place {
  readonly entry: WrittenAddress;
  /** True between `<` and `>`. */
  readonly inside: boolean;
  /** True between the quotes of a name. */
  readonly isQuoted: boolean;
}

/** The place of each hole, which follows from the written text around the holes. */
function placesOf({ template: { parts } }: Scalar): ReadonlyMap<Marker, Place> {
  const places = new Map<Marker, Place>();
  let entry: WrittenAddress = { hasBrackets: false, hasAt: false };
  let inside = false;
  let isQuoted = false;
  const read = (character: string): void => {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) return;
    else if (character === "<" || character === ">") {
      inside = character === "<";
      entry.hasBrackets = true;
    } else if (character === "@") entry.hasAt = true;
    else if (/[,;]/.test(character)) entry = { hasBrackets: false, hasAt: false };
  };
  for (const part of parts) {
    if (part.kind === "text") Array.from(part.text, read);
    else places.set(part, { entry, inside, isQuoted });
  }
  return places;
}
