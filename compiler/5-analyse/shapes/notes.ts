import type { Report } from "../../diagnostics/diagnostic.ts";
import type { Notes } from "./scope.ts";

/** Reports what the interpreter notices. */
export const notes = (_report: Report): Notes => ({ missing: () => undefined });
