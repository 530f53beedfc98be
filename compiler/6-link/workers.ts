import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { InternalError } from "../diagnostics/diagnostic.ts";

/** A plugin, and what it has put in: the files and packages that each thread of the link is made of. */
export interface Workers {
  readonly plugin: Plugin;
  readonly metafiles: readonly Metafile[];
}

/**
 * Carries the code of threads, since neither a bundle nor an executable has files to start them from. A file `runtime/workers/<kind>.code.ts` names
 * the address of `<kind>.ts`; the link puts the text of that in its place, with all packages inside. What no config of the link needs is not
 * even read.
 */
export function workerTexts(root: string): Workers {
  const metafiles: Metafile[] = [];
  const plugin: Plugin = {
    name: "pipewright-workers",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]runtime[\\/]workers[\\/]\w+\.code\.ts$/ }, async ({ path }) => {
        const { text, metafile } = await workerText(root, path.replace(/\.code\.ts$/, ".ts"));
        metafiles.push(metafile);
        return { contents: `export const code = ${JSON.stringify(text)};\n`, loader: "js" };
      });
    },
  };
  return { plugin, metafiles };
}

/**
 * One file of CommonJS, since that is what a thread can be given as text. Without white space and names, which nobody reads and which hold the folders
 * of this machine; its syntax stays as it is, since esbuild takes ten times as long to shorten that of a large library.
 */
async function workerText(root: string, file: string): Promise<{ readonly text: string; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    absWorkingDir: root,
    outfile: join(root, "worker.js"),
    bundle: true,
    write: false,
    minifyWhitespace: true,
    minifyIdentifiers: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    conditions: [],
    charset: "utf8",
    legalComments: "none",
    tsconfigRaw: {},
    metafile: true,
    logLevel: "silent",
  });
  const [output] = outputFiles;
  if (output === undefined) throw new InternalError("esbuild gave no text of a worker");
  return { text: output.text, metafile };
}
