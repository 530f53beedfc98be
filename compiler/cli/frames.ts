import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import type { Sources } from "../diagnostics/position.ts";

/** The streams of a terminal, as far as they bound what is shown. */
interface Streams {
  readonly colors: { readonly out: boolean; readonly err: boolean };
  readonly columns?: number | undefined;
}

/** Diagnostics with the lines that they are about, as wide and as coloured as the stream of the terminal. */
export const framesFor = (
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  { colors, columns }: Streams,
  stream: keyof Streams["colors"] = "err",
): string => renderFrames(diagnostics, sources, { color: colors[stream], columns });
