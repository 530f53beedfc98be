import type { Span } from "#runtime/plan/index.ts";
import type { Node } from "../../1-read/document.ts";
import type { ResolvedConfig, ResolvedInterface } from "../../3-resolve/resolved.ts";
import { isSpan } from "../../5-analyse/without-places.ts";
import { type Frame, pin } from "./pins.ts";

// The text of all that phases 4 and 5 are given for an interface: when two are the same, so are the findings, but for where they stand.

/** All of a configuration but its interfaces, and what is known of managed variables. */
export function headOf(config: ResolvedConfig, sealed: ReadonlySet<string>, interfaces: Span): string {
  const { document, root, interfaces: _, ...rest } = config;
  const whole = [document.file, [...sealed].sort(), withoutInterfaces(document.root), withoutInterfaces(root), rest];
  return written(whole, { own: { file: "", start: 0, end: 0 }, interfaces });
}

export const interfaceText = (target: ResolvedInterface, frame: Frame): string => written(target, frame);

/** The root without the key, under its older name, too, and without its end, which moves with everything in it. */
function withoutInterfaces(root: Node): Node {
  const span = { ...root.span, end: root.span.start };
  if (root.kind !== "map") return { ...root, span };
  return { ...root, span, entries: root.entries.filter(({ key }) => key !== "interfaces" && key !== "interface") };
}

/**
 * Plain values as text: with pins for spans, and with the length in front of each text, which is sooner made than quotes. An object that
 * was written before, as the node of an action is, is named by its number.
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
  // The keys are those of our own records: the keys that somebody has written are values of an entry.
  const writeMember = (key: string, member: unknown): void => {
    text += `${key}:`;
    write(member);
  };
  write(value);
  return text;
}

const place = ({ file, start, end }: Span): string => `@${file}\n${start} ${end},`;
