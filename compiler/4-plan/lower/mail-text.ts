import type { Expr } from "#runtime/plan/index.ts";
import type { Marker } from "../markers/marker.ts";
import type { Lowering } from "../markers/scope.ts";
import { lowerHole, textOf } from "./reads.ts";
import type { Scalar } from "./scalar.ts";

/**
 * A field of addresses with text around its holes: it holds exactly the addresses that are written (spec/language 2.8 N). Values of the
 * configuration are inserted as they are.
 */
export function mailText(scalar: Scalar, cx: Lowering): Expr {
  const places = placesOf(scalar);
  return textOf(
    scalar.template.parts.map((part) => {
      if (part.kind === "text") return part.text;
      const { of, trusted } = lowerHole(part, scalar, cx, "an address of a mail");
      const place = places.get(part);
      return { fill: trusted ? "text" : place?.inside === false && place.entry.hasBrackets ? "mail_name" : "mail_address", of };
    }),
  );
}

/** An item of a list that is one marker: one address, whatever data give. */
export function mailItem(marker: Marker, scalar: Scalar, cx: Lowering): Expr {
  const { of, trusted } = lowerHole(marker, scalar, cx, "an address of a mail");
  return trusted ? of : { op: "text", parts: [{ fill: "mail_box", of }] };
}

/** One of the addresses that are written, between commas. */
interface WrittenAddress {
  /** The address stands between `<` and `>`, with or without a name before them. */
  hasBrackets: boolean;
}

interface Place {
  readonly entry: WrittenAddress;
  /** Between `<` and `>`. */
  readonly inside: boolean;
}

/** Where each hole stands, by the text that is written around the holes. */
function placesOf({ template: { parts } }: Scalar): ReadonlyMap<Marker, Place> {
  const places = new Map<Marker, Place>();
  let entry: WrittenAddress = { hasBrackets: false };
  let inside = false;
  let isQuoted = false;
  const read = (character: string): void => {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) return;
    else if (character === "<" || character === ">") {
      inside = character === "<";
      entry.hasBrackets = true;
    } else if (/[,;]/.test(character)) entry = { hasBrackets: false };
  };
  for (const part of parts) {
    if (part.kind === "text") Array.from(part.text, read);
    else places.set(part, { entry, inside });
  }
  return places;
}
