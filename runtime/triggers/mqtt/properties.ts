import { isUtf8 } from "node:buffer";
import { reasons, Violation } from "./reasons.ts";

/** The forms of values of properties (MQTT 5, 2.2.2.2); a number is a width in bytes. */
type Form = number | "varying" | "text" | "bytes" | "pair";

const formsOf: readonly (readonly [Form, readonly number[]])[] = [
  [1, [0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2a]],
  [2, [0x13, 0x21, 0x22, 0x23]],
  [4, [0x02, 0x11, 0x18, 0x27]],
  ["varying", [0x0b]],
  ["text", [0x03, 0x08, 0x12, 0x15, 0x1a, 0x1c, 0x1f]],
  ["bytes", [0x09, 0x16]],
  ["pair", [0x26]],
];

/** The forms by the codes of properties. */
const forms: ReadonlyMap<number, Form> = new Map(formsOf.flatMap(([form, codes]) => codes.map((code) => [code, form] as const)));

/** Payload format indicator, request problem information and request response information: 0 or 1. */
const flags: ReadonlySet<number> = new Set([0x01, 0x17, 0x19]);

/** The properties of a packet, or of its will. */
export interface Properties {
  /** The position after the properties. */
  readonly end: number;
  /** User properties by their names, each with its values in order; undefined when there are none. */
  readonly user: Record<string, string | string[]> | undefined;
}

/**
 * Reads the properties that begin at a position of a packet. The library loses empty values of a repeated name, accepts a repeated property
 * with the value 0, and reads a property beyond the end of all.
 */
export function propertiesAt(frame: Buffer, at: number): Properties {
  const width = varyingWidth(frame, at, frame.length);
  const end = at + width + varying(frame, at, width);
  if (end > frame.length) throw new Violation(reasons.malformed, "properties are cut short");
  const seen = new Set<number>();
  const user = new Map<string, string[]>();
  for (let place = at + width; place < end; ) {
    const code = frame[place] ?? 0;
    const form = forms.get(code);
    const next = place + 1 + widthOf(form, frame, place + 1, end);
    if (next > end) throw new Violation(reasons.malformed, "a property is cut short");
    if (form === "pair") addPair(user, frame, place + 1);
    else if (form === "text") behindUtf8(frame, place + 1);
    if (form !== "pair" && seen.has(code)) throw new Violation(reasons.protocolError, "a property comes twice");
    seen.add(code);
    if (flags.has(code) && (frame[place + 1] ?? 0) > 1) throw new Violation(reasons.protocolError, "a property is neither 0 nor 1");
    place = next;
  }
  return { end, user: user.size === 0 ? undefined : Object.fromEntries([...user].map(([name, all]) => [name, one(all)])) };
}

/** The single value, or all of them. */
const one = (values: string[]): string | string[] => (values.length === 1 ? values.join() : values);

/** The bytes of a value; more than the packet has when the value is truncated. */
function widthOf(form: Form | undefined, frame: Buffer, at: number, end: number): number {
  switch (form) {
    case undefined:
      throw new Violation(reasons.malformed, "a property that is none");
    case "varying":
      return varyingWidth(frame, at, end);
    case "text":
    case "bytes":
      return textWidth(frame, at, end);
    case "pair": {
      const name = textWidth(frame, at, end);
      return name + textWidth(frame, at + name, end);
    }
    default:
      return form;
  }
}

const textWidth = (frame: Buffer, at: number, end: number): number =>
  at + 2 > end ? Number.POSITIVE_INFINITY : 2 + frame.readUInt16BE(at);

function addPair(user: Map<string, string[]>, frame: Buffer, at: number): void {
  const behindName = behindUtf8(frame, at);
  const name = frame.toString("utf8", at + 2, behindName);
  const value = frame.toString("utf8", behindName + 2, behindUtf8(frame, behindName));
  const values = user.get(name);
  if (values === undefined) user.set(name, [value]);
  else values.push(value);
}

/** The position after a text. */
export const behindText = (frame: Buffer, at: number): number => at + 2 + frame.readUInt16BE(at);

/** The position after a text, which must be UTF-8. */
export function behindUtf8(frame: Buffer, at: number): number {
  const end = behindText(frame, at);
  if (!isUtf8(frame.subarray(at + 2, end))) throw new Violation(reasons.malformed, "a text is no UTF-8");
  return end;
}

/** The width of a number of one to four bytes (MQTT 5, 1.5.5). */
function varyingWidth(frame: Buffer, at: number, end: number): number {
  for (let width = 1; width <= 4 && at + width <= end; width++) if ((frame[at + width - 1] ?? 0) < 0x80) return width;
  throw new Violation(reasons.malformed, "a number is cut short");
}

function varying(frame: Buffer, at: number, width: number): number {
  let value = 0;
  for (let i = 0; i < width; i++) value += ((frame[at + i] ?? 0) & 0x7f) * 128 ** i;
  return value;
}
