import type { Json } from "./json.ts";
import { mask } from "./redact.ts";
import { show } from "./show.ts";

/** The detail of a failed matcher that names its operand; where that is a secret, each place of it has `***` (spec/language 6.3). */
export type Detail = (isSecret?: boolean) => string;

/** Says a detail: the first hole is the target, all others are parts of the operand. */
export const detail =
  (words: TemplateStringsArray, target: Json, ...operand: readonly Json[]): Detail =>
  (isSecret) =>
    String.raw({ raw: words }, show(target), ...operand.map((part) => (isSecret ? mask : show(part))));
