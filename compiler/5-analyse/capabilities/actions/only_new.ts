import { keysOf } from "../state-keys.ts";
import type { Toucher } from "../touched.ts";

/** The set of identities that were seen. */
export const toucher: Toucher = (args, known, config) => keysOf(args, "seen", known, config);
