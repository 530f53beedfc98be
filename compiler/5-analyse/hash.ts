import { createHash } from "node:crypto";

/** Hexadecimal digits of a hash: nobody gains by a plan that looks like another one. */
const digits = 24;

/** A hash of a part of the plan. It is the only thing of Node that phases 2 to 6 ask for, and the playground brings its own. */
export const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, digits);
