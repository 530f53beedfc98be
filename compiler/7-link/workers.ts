import { dirname, join } from "node:path";
import { type BuildOptions, type BuildResult, build, buildSync, type Metafile, type Plugin } from "esbuild";
import { InternalError } from "../diagnostics/diagnostic.ts";

/** A plugin, and the metafiles of its output: they list the files and packages in each thread of the link. */
export interface Workers {
  readonly plugin: Plugin;
  readonly metafiles: readonly Metafile[];
}

const codeFiles = /[\\/]runtime[\\/]threads[\\/]kinds[\\/]\w+\.code\.[jt]s$/;

/**
 * Puts the code of threads into the link, since neither a bundle nor an executable has files from which a thread can start. A file
 * `runtime/threads/kinds/<kind>.code.ts` gives the address of `<kind>.ts`; the link replaces the address by the text of that file, with all
 * packages inside. Threads that no config of the link needs are not even read.
 */
export function workerTexts(root: string): Workers {
  const metafiles: Metafile[] = [];
  const plugin: Plugin = {
    name: "pipewright-workers",
    setup({ onLoad }) {
      onLoad({ filter: codeFiles }, async ({ path }) => {
        const { text, metafile } = await workerText(root, threadFile(path));
        metafiles.push(metafile);
        return { contents: `export const code = ${JSON.stringify(text)};\n`, loader: "js" };
      });
    },
  };
  return { plugin, metafiles };
}

/**
 * The code of a thread as one CommonJS file, the only form in which a thread takes code as text. White space and long names are removed:
 * they are never read, and names contain the folders of this machine. The syntax is not shortened, because for a large library that takes
 * esbuild ten times as long.
 */
async function workerText(root: string, file: string): Promise<{ readonly text: string; readonly metafile: Metafile }> {
  const result = await build(optionsOf(root, file));
  return { text: textOf(result), metafile: result.metafile };
}

/** Makes the text of a thread synchronously, for a link that makes it only when the thread is needed. */
export const workerTextNow = (root: string, file: string): string => textOf(buildSync(optionsOf(root, file)));

/** Name of the module through which such a link asks: the program that runs the link sets the function `of` in its export `texts`. */
export const lateWorkers = "pipewright:workers";

/** Leaves the code of threads out of a link; it is made when the module that names it runs. */
export const workersLater: Plugin = {
  name: "pipewright-workers-later",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${lateWorkers}$`) }, ({ path }) => ({ path, namespace: "late" }));
    onLoad({ filter: /^/, namespace: "late" }, () => ({ contents: "export const texts = {};" }));
    onLoad({ filter: codeFiles }, ({ path }) => ({
      contents: `import { texts } from "${lateWorkers}"; export const code = texts.of(${JSON.stringify(threadFile(path))});`,
      loader: "js",
      resolveDir: dirname(path),
    }));
  },
};

/** The file with the code of a thread, by the file that names its address. */
const threadFile = (path: string): string => path.replace(/\.code(\.[jt]s)$/, "$1");

function textOf({ outputFiles: [output] = [] }: BuildResult): string {
  if (output === undefined) throw new InternalError("esbuild gave no text of a worker");
  return output.text;
}

function optionsOf(root: string, file: string) {
  return {
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
  } as const satisfies BuildOptions;
}
