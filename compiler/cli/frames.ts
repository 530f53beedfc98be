import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import type { Sources } from "../diagnostics/position.ts";

/** The properties of a terminal on which the form of output depends. */
interface Streams {
  readonly colors: { readonly out: boolean; readonly err: boolean };
  readonly columns?: number | undefined;
}

/** Diagnostics with their source lines, in the width and colours of the terminal's stream. */
export const framesFor = (
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  { colors, columns }: Streams,
  stream: keyof Streams["colors"] = "err",
): string => renderFrames(diagnostics, sources, { color: colors[stream], columns });
