import type { Span } from "#runtime/plan/index.ts";
import type { Node } from "../../1-read/document.ts";
import type { ResolvedConfig, ResolvedInterface } from "../../3-resolve/resolved.ts";
import { isSpan } from "../../5-analyse/without-places.ts";
import { type Frame, pin } from "./pins.ts";

// This file makes a text of all inputs of phases 4 and 5 for an interface. Two interfaces with equal texts have equal findings, except for
// their places.

/** The text of a configuration without its interfaces, and of the known managed variables. */
export function headOf(config: ResolvedConfig, sealed: ReadonlySet<string>, interfaces: Span): string {
  const { document, root, interfaces: _, ...rest } = config;
  const whole = [document.file, [...sealed].sort(), withoutInterfaces(document.root), withoutInterfaces(root), rest];
  return written(whole, { own: { file: "", start: 0, end: 0 }, interfaces });
}

export const interfaceText = (target: ResolvedInterface, frame: Frame): string => written(target, frame);

/** The root without the key `interfaces` or `interface`, and without its end, which moves with every change inside. */
function withoutInterfaces(root: Node): Node {
  const span = { ...root.span, end: root.span.start };
  if (root.kind !== "map") return { ...root, span };
  return { ...root, span, entries: root.entries.filter(({ key }) => key !== "interfaces" && key !== "interface") };
}

/**
 * Plain values as text, with pins for spans. Each text has its length in front, which is faster than quoting. An object that was written
 * before, such as the node of an action, is replaced by its number.
 */
function written(value: unknown, frame: Frame): string {
  const numbers = new Map<object, number>();
  let text = "";
  const write = (part: unknown): void => {
    if (typeof part === "string") text += `${part.length}"${part}`;
    else if (typeof part !== "object" || part === null) text += `${String(part)},`;
    else if (isSpan(part)) text += place(pin(part, frame));
    else if (numbers.has(part)) text += `#${numbers.get(part)},`;
    else {
      numbers.set(part, numbers.size);
      text += Array.isArray(part) ? "[" : "{";
      if (Array.isArray(part)) for (const member of part) write(member);
      else for (const [key, member] of Object.entries(part)) writeMember(key, member);
      text += "]";
    }
  };
  // The keys are only those of our own records; keys that an author has written are values of an `Entry`.
  const writeMember = (key: string, member: unknown): void => {
    text += `${key}:`;
    write(member);
  };
  write(value);
  return text;
}

const place = ({ file, start, end }: Span): string => `@${file}\n${start} ${end},`;
