import { createHash } from "node:crypto";

/**
 * The number of hexadecimal digits of a hash. It may be short, because an attacker gains nothing by a plan with the hash of another one.
 */
const digits = 24;

/** A hash of a part of the plan. It is the only part of Node that phases 2 to 6 need; the playground has its own. */
export const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, digits);
