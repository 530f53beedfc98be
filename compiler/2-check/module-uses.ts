import type { Document } from "../1-read/document.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { handleOf, moduleMarkers } from "./modules.ts";

/** How many places of use a diagnostic names. A module that half of a project uses would hide the mistake behind them. */
const mostUses = 3;

/** The diagnostics of modules with notes that name where configurations use the module (spec/language 1.1). */
export function withUses(
  diagnostics: readonly Diagnostic[],
  modules: readonly Document[],
  configs: readonly Document[],
): readonly Diagnostic[] {
  const handles = new Map(modules.map(({ file }) => [file, handleOf(file)]));
  if (!diagnostics.some(({ at }) => handles.has(at.file))) return diagnostics;
  const markers = Map.groupBy(
    configs.flatMap(({ root }) => moduleMarkers(root)),
    ({ handle }) => handle,
  );
  return diagnostics.map((one) => {
    const uses = markers.get(handles.get(one.at.file) ?? "") ?? [];
    if (uses.length === 0) return one;
    const more = uses.length > mostUses ? `, and in ${uses.length - mostUses} more places` : "";
    const shown = uses.slice(0, mostUses);
    const notes = shown.map(({ at }, i) => ({ at, message: i === shown.length - 1 ? `used here${more}` : "used here" }));
    return { ...one, related: [...(one.related ?? []), ...notes] };
  });
}
