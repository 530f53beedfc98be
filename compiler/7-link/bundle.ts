import { isBuiltin } from "node:module";
import { join } from "node:path";
import { type BuildOptions, type BuildResult, build, type CommonOptions, type Metafile, type Plugin } from "esbuild";
import type { PrintedModule } from "../6-print/index.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { leanPackages } from "./lean-packages.ts";
import { linkedPackage } from "./linked.ts";
import { type Late, type LinkModules, printedModules } from "./modules.ts";
import { linkFailureOf, optionalPackages } from "./optional-packages.ts";
import { withoutOwnComments } from "./own-comments.ts";
import { type Bundle, portable } from "./portable.ts";
import { type Additions, configList, type NamedManifest, type ShownConsole, template, virtualModules } from "./virtual.ts";
import { workerTexts } from "./workers.ts";

export interface BundleOptions {
  readonly environment: string;
  /** The version that the service reports; by default the version of pipewright. */
  readonly version?: string;
  /** `cjs` for an executable (Node 24 embeds no ESM), `esm` for an installed Node. */
  readonly format: "cjs" | "esm";
  /** The API document as JSON text; absent if the service has none. */
  readonly docs?: Late<string | undefined>;
  /** The console; absent if the service has none. */
  readonly shown?: Late<ShownConsole | undefined>;
  /** The manifest that the configs must fit; absent if there is none to enforce. */
  readonly enforced?: Late<NamedManifest | undefined>;
  /** Text of the entry instead of `templates/entry.ts`. */
  readonly entry?: string;
  /** Called when esbuild has read the entry and continues with its imports. */
  readonly reads?: () => void;
}

/** Optional parts of packages that work without them, most of them native: never inside a bundle (spec/decisions D4). */
const optionalNative: readonly string[] = [
  ...["cpu-features", "pg-native"],
  // Optional packages of ws: masks and UTF-8 in native code, which Node itself provides.
  ...["bufferutil", "utf-8-validate"],
  // An optional package of the logger that tedious brings: colours.
  "supports-color",
  // An optional package of mysql2: colours of queries that it prints for debugging.
  "cardinal",
  // Optional packages of mongodb: compression, Kerberos, AWS and GCP logins, encryption in the client, proxies.
  ...["@aws-sdk/credential-providers", "@mongodb-js/zstd", "gcp-metadata", "kerberos", "mongodb-client-encryption", "snappy", "socks"],
];

/** Native add-ons that are left out, by the end of their path: the package has a JavaScript version of each. */
const optionalAddons: readonly string[] = ["ssh2/lib/protocol/crypto/build/Release/sshcrypto.node"];

/**
 * Replaces each such add-on by a module that throws, even if it was built when the package was installed. So bundles are the same on all
 * machines, and the package uses its JavaScript version.
 */
const withoutAddons: Plugin = {
  name: "without-addons",
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path).replaceAll("\\", "/");
      const addon = optionalAddons.find((each) => file.endsWith(each));
      return addon === undefined ? undefined : { path: addon, namespace: "absent" };
    });
    build.onLoad({ filter: /\.node$/, namespace: "absent" }, () => ({ contents: 'throw new Error("left out");', loader: "js" }));
  },
};

/** CommonJS libraries expect these names; an ES module has to make them. */
const commonJsNames = [
  'import { createRequire as pipewrightRequire } from "node:module";',
  'import { fileURLToPath as pipewrightPath } from "node:url";',
  "const require = pipewrightRequire(import.meta.url);",
  "const __filename = pipewrightPath(import.meta.url);",
  'const __dirname = pipewrightPath(new URL(".", import.meta.url));',
].join("\n");

/**
 * Joins printed modules, the runtime they use and the entry into one file. The same modules give the same bytes, in any folder and any
 * order. Packages behind `await import(…)` are inside as functions that run on first use. The modules may still be being printed: meanwhile
 * esbuild reads the other files, on another processor.
 */
export async function bundle(modules: readonly PrintedModule[] | Promise<LinkModules>, options: BundleOptions): Promise<Bundle> {
  const late = modules instanceof Promise ? modules : printedModules(modules);
  const own = linkedPackage();
  const constants = { environment: options.environment, version: options.version ?? own.version };
  const additions: Additions = { constants, docs: options.docs, shown: options.shown, enforced: options.enforced };
  const workers = workerTexts(own.folder);
  const result = await build({
    ...commonOptions(own.folder, options.entry ?? template(own.folder, "entry.ts")),
    format: options.format,
    // White space and names stay, so that stacks show readable lines and names.
    minifySyntax: true,
    metafile: true,
    external: [...optionalNative],
    loader: { ".node": "empty" },
    banner: options.format === "esm" ? { js: commonJsNames } : {},
    plugins: [
      watched(options.reads),
      workers.plugin,
      virtualModules(late, additions, own.folder),
      optionalPackages(true),
      leanPackages(own.folder, async () => (await options.shown) !== undefined),
      withoutAddons,
      withoutOwnComments(own.folder),
    ],
  }).catch((error: unknown) => Promise.reject(linkFailureOf(error)));
  for (const metafile of [result.metafile, ...workers.metafiles]) refuseLeftovers(metafile);
  return portable({ ...outputOf(result), metafile: result.metafile }, own, {
    configurations: (await (await late).all).flatMap(({ sources }) => sources),
    workers: workers.metafiles,
  });
}

/** Calls `reads` when esbuild asks for an import of the entry. */
const watched = (reads: (() => void) | undefined): Plugin => ({
  name: "watched",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^${configList}$`) }, () => {
      reads?.();
      return undefined;
    }),
});

/** The name of a file that is never written. esbuild makes the paths of a source map relative to it. */
const outputName = "bundle.js";

/** Options for the code that esbuild writes, for a whole link and for a single module. */
export const codeOptions = {
  platform: "node",
  target: "node24",
  charset: "utf8",
  legalComments: "none",
  sourcemap: "external",
  sourcesContent: false,
  tsconfigRaw: {},
  logLevel: "silent",
} as const satisfies CommonOptions;

/**
 * The options of esbuild that every link of this entry uses. Nothing is read from the user's folder, so that no file there can change the
 * output. The entry is a part of the request, so that esbuild need not ask for it.
 */
export function commonOptions(root: string, entry: string) {
  return {
    stdin: { contents: entry, sourcefile: "entry.ts", resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    outfile: join(root, outputName),
    bundle: true,
    write: false,
    ...codeOptions,
    // Only Node's own conditions apply, so that a bundle and a served config load the same file of each package.
    conditions: [],
  } as const satisfies BuildOptions;
}

/** The text that esbuild made with these options, and its source map. */
export function outputOf(result: BuildResult): { readonly code: string; readonly map: string } {
  const text = (name: string): string | undefined => result.outputFiles?.find(({ path }) => path.endsWith(name))?.text;
  const [code, map] = [text(outputName), text(`${outputName}.map`)];
  if (code === undefined || map === undefined) throw new InternalError("esbuild gave no bundle");
  return { code, map };
}

/** Fails if the bundle does not contain everything that it needs, except modules of Node and optional packages. */
function refuseLeftovers(metafile: Metafile): void {
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter((module) => module.external).map(({ path }) => path),
  );
  const missing = outside.filter((path) => !isBuiltin(path) && !optionalNative.includes(path));
  const addons = droppedAddons(metafile).filter((path) => !optionalAddons.some((addon) => path.endsWith(addon)));
  const leftovers = [...new Set([...missing, ...addons])].sort();
  if (leftovers.length > 0) throw new InternalError(`the bundle would need files that it cannot carry: ${leftovers.join(", ")}`);
}

/** The native add-ons that were left out of the bundle. */
export function droppedAddons(metafile: Metafile): readonly string[] {
  return Object.keys(metafile.inputs).filter((path) => path.endsWith(".node"));
}
