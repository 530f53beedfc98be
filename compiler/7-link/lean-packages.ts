import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin } from "esbuild";
import { runtimeFile } from "./linked.ts";
import { withoutComments } from "./own-comments.ts";

// This file lists parts of packages that no service uses, with their replacements in a bundle.

/**
 * Leaves out parts of packages, with the packages that only these parts import. A console writes YAML, so it needs more of the package
 * yaml.
 */
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
    // The log tests whether its output is an instance of this class, so the class must exist.
    build.onLoad({ filter: /^sonic-boom$/, namespace: "lean" }, () => ({ contents: "module.exports = class SonicBoom {};\n" }));
    // Log messages have no placeholders.
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
 * Parts of pino that a service does not use. It has no transports, because it writes its log itself, so that no line is lost at the end;
 * and no redaction, because secrets are hidden before pino gets a record. It has one destination, and logs only JSON, so that it needs no
 * serializers.
 */
const unusedOfPino = /^\.\/(?:lib\/)?(?:transport|redaction|multistream)$|^(?:on-exit-leak-free|safe-stable-stringify)$/;

/** Packages that the exporter of spans imports but does not use. A bundle would drop their code anyway, but only after reading it. */
const unusedOfOpenTelemetry = /^@opentelemetry\/(?:resources|sdk-logs|sdk-metrics|sdk-trace|semantic-conventions)$/;

/** Marks our own request to esbuild for a package, so that the plugin does not answer it again. */
const isAsked = Symbol();

/** The package also has its sources as ES modules, of which a bundle takes only the used parts. CommonJS modules it would take whole. */
const commonJsOfYaml = /[\\/]dist[\\/]index\.js$/;
const modulesOfYaml = `${sep}${join("browser", "dist", "index.js")}`;

/** Parts that write texts, convert values to documents, or documents to values. */
const unusedOfYaml =
  /\/stringify\/(?:stringify|stringifyCollection|stringifyDocument|stringifyPair|stringifyString)\.js$|\/(?:addPairToJSMap|anchors|applyReviver|createNode|cst-visit|merge|toJS|visit)\.js$/;

/** Schemas other than the core schema of YAML 1.2, and types outside it. */
const otherYaml = /\/yaml-1\.1\/(?:binary|omap|pairs|schema|set|timestamp)\.js$|\/json\/schema\.js$/;

const filesOf = (name: string): RegExp => new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`);
