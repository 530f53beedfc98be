import type { Json } from "#runtime/value/json.ts";
import type { Jq } from "../parse/tree.ts";

/** The error for a filter that cannot be printed, with the reason. jq itself runs it. */
export class Falls extends Error {
  readonly start: number;
  constructor(reason: string, { start }: Jq) {
    super(reason);
    this.name = "Falls";
    this.start = start;
  }
}

type Literal = Extract<Jq, { kind: "literal" }>;

/** The value of a literal; undefined for anything else. jq keeps the spelling of numbers, so only plain numbers have a known value. */
export function constant(jq: Jq): Exclude<Json, Json[]> | undefined {
  if (jq.kind === "literal") return isPlain(jq) ? jq.value : undefined;
  if (jq.kind === "negate") {
    const of = constant(jq.of);
    return jq.of.kind === "literal" && typeof of === "number" && of !== 0 ? -of : undefined;
  }
  if (jq.kind !== "string" || jq.format !== undefined) return undefined;
  return jq.parts.every((part) => typeof part === "string") ? jq.parts.join("") : undefined;
}

/** False for numbers that jq and JavaScript write differently. */
function isPlain({ value, written }: Literal): boolean {
  if (typeof value !== "number") return true;
  return (Number.isSafeInteger(value) || !Number.isInteger(value)) && String(value) === written;
}

export function requirePlainNumber(jq: Literal): void {
  if (!isPlain(jq)) throw new Falls(`the number ${jq.written}`, jq);
}
