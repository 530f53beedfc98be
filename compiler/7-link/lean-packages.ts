import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin } from "esbuild";
import { runtimeFile } from "./linked.ts";
import { withoutComments } from "./own-comments.ts";

// Parts of packages that no service uses, and what stands in their place in a bundle.

/** Leaves out parts of packages, with the packages that only they import. A console writes YAML, so that it needs more of it. */
export const leanPackages = (root: string, writesYaml: () => Promise<boolean>): Plugin => ({
  name: "lean-packages",
  setup(build) {
    const importedBy = (name: string, filter: RegExp, resolve: (args: OnResolveArgs) => Promise<OnResolveResult | undefined>): void => {
      const importers = filesOf(name);
      build.onResolve({ filter }, async (args) => (importers.test(args.importer) ? resolve(args) : undefined));
    };
    const absent = (name: string): OnResolveResult => ({ path: runtimeFile(root, join("absent", name)) });

    importedBy("pino", unusedOfPino, async () => absent("pino-part.ts"));
    importedBy("pino-std-serializers", /^\.\/lib\/(?:req|res)$/, async () => absent("pino-part.ts"));
    importedBy("pino", /^(?:sonic-boom|quick-format-unescaped)$/, async ({ path }) => ({ path, namespace: "lean" }));
    // The log asks whether its output is one of these, so that a class has to be there.
    build.onLoad({ filter: /^sonic-boom$/, namespace: "lean" }, () => ({ contents: "module.exports = class SonicBoom {};\n" }));
    // Messages are whole: nothing is filled into them.
    build.onLoad({ filter: /^quick-format-unescaped$/, namespace: "lean" }, () => ({
      contents: "module.exports = (message) => message;\n",
    }));

    importedBy("@opentelemetry", /\/ExporterMetrics\.mjs$/, async () => absent("exporter-metrics.ts"));
    importedBy("@opentelemetry", unusedOfOpenTelemetry, async ({ path }) => ({ path, namespace: "lean", sideEffects: false }));
    build.onLoad({ filter: unusedOfOpenTelemetry, namespace: "lean" }, () => ({ contents: 'throw new Error("left out");\n' }));

    build.onResolve({ filter: /^yaml$/ }, async ({ path, pluginData, ...args }) => {
      if (pluginData === isAsked) return undefined;
      const { path: found } = await build.resolve(path, { ...args, pluginData: isAsked });
      return { path: found.replace(commonJsOfYaml, modulesOfYaml), sideEffects: false };
    });
    importedBy("yaml", unusedOfYaml, async () => ((await writesYaml()) ? undefined : absent("yaml-part.ts")));
    importedBy("yaml", otherYaml, async () => absent("yaml-schema.ts"));
    for (const files of [`${filesOf("yaml").source}browser[\\\\/].*\\.js$`, `${filesOf("@opentelemetry").source}.*\\.mjs$`])
      build.onLoad({ filter: new RegExp(files) }, ({ path }) => ({ contents: withoutComments(readFileSync(path, "utf8")) }));
  },
});

/**
 * Parts of pino that a service does not use: transports (it writes its log itself, so that no line is lost at the end), redaction (secrets
 * are hidden before pino gets a record), several destinations, and writers of values that are not JSON. Besides, messages have no
 * placeholders, and records hold no requests of Node.
 */
const unusedOfPino = /^\.\/(?:lib\/)?(?:transport|redaction|multistream)$|^(?:on-exit-leak-free|safe-stable-stringify)$/;

/** Packages that the exporter of spans names and uses nothing of: a bundle would leave all of it out, but only after it was read. */
const unusedOfOpenTelemetry = /^@opentelemetry\/(?:resources|sdk-logs|sdk-metrics|sdk-trace|semantic-conventions)$/;

/** Marks our own request to esbuild for a package, so that the plugin does not answer it again. */
const isAsked = Symbol();

/** The package has the same sources as ES modules, of which a bundle takes what it uses; the others it would take whole. */
const commonJsOfYaml = /[\\/]dist[\\/]index\.js$/;
const modulesOfYaml = `${sep}${join("browser", "dist", "index.js")}`;

/** Parts that write texts, make documents of values, or values of documents. */
const unusedOfYaml =
  /\/stringify\/(?:stringify|stringifyCollection|stringifyDocument|stringifyPair|stringifyString)\.js$|\/(?:addPairToJSMap|anchors|applyReviver|createNode|cst-visit|merge|toJS|visit)\.js$/;

/** Other schemas than the core schema of YAML 1.2, and types that it does not have. */
const otherYaml = /\/yaml-1\.1\/(?:binary|omap|pairs|schema|set|timestamp)\.js$|\/json\/schema\.js$/;

const filesOf = (name: string): RegExp => new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`);
