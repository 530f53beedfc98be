import type { Json } from "#runtime/json.ts";
import type { Jq } from "../../4-plan/jq/tree.ts";

/** The filter cannot be printed, and why: jq itself runs it. */
export class Falls extends Error {
  readonly start: number;
  constructor(reason: string, { start }: Jq) {
    super(reason);
    this.name = "Falls";
    this.start = start;
  }
}

/** The value of a literal; undefined for anything else. Numbers keep their spelling in jq, so only the plain ones are known. */
export function constant(jq: Jq): Exclude<Json, Json[]> | undefined {
  if (jq.kind === "literal") return jq.value;
  if (jq.kind === "negate" && jq.of.kind === "literal" && typeof jq.of.value === "number" && jq.of.value !== 0) return -jq.of.value;
  if (jq.kind !== "string" || jq.format !== undefined) return undefined;
  return jq.parts.every((part) => typeof part === "string") ? jq.parts.join("") : undefined;
}

/** A number as jq and JavaScript write it alike. */
export function requirePlainNumber(jq: Extract<Jq, { kind: "literal" }>): void {
  if (typeof jq.value !== "number") return;
  const safe = Number.isSafeInteger(jq.value) || !Number.isInteger(jq.value);
  if (!safe || String(jq.value) !== jq.written) throw new Falls(`the number ${jq.written}`, jq);
}
