import { SourceMap } from "node:module";
import { getAsset, isSea } from "node:sea";

/** Names under which 7-link puts the script and its source map into an executable. */
export const scriptName = "bundle.cjs";
export const mapName = "bundle.cjs.map";

/**
 * Makes every stack of an executable show lines of the YAML. Node 24 does not apply a source map to the script embedded in it, even with
 * `--enable-source-maps`, so the map is an asset. It is parsed when the first stack is read. In other programs this does nothing.
 */
export function mapStacks(): void {
  if (!isSea()) return;
  let map: SourceMap | undefined;
  Error.prepareStackTrace = (error, sites) => {
    map ??= new SourceMap(JSON.parse(getAsset(mapName, "utf8")));
    return mapStack([String(error), ...sites.map((site) => `    at ${site}`)].join("\n"), map);
  };
}

/** Replaces places in the bundle by their places in the sources; places in libraries stay. */
export function mapStack(stack: string, map: SourceMap): string {
  return stack.replace(/(?<=[ (])bundle\.cjs:(\d+):(\d+)/g, (place, line: string, column: string) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    // For an unmapped region the map gives an entry without a source.
    return "originalSource" in entry && entry.originalSource
      ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : place;
  });
}
