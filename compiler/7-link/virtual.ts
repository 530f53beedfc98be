import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { OnResolveResult, Plugin } from "esbuild";
import { facade } from "#generated/facade.ts";
import type { ConsoleFacts } from "#runtime/console/facts.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { DocumentationParts } from "#runtime/triggers/documentation.ts";
import type { PageParts } from "#runtime/triggers/pages.ts";
import { visible } from "#runtime/value/visible.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { present } from "../present.ts";
import { importedAs, runtimeFile } from "./linked.ts";
import type { Late, LinkModules } from "./modules.ts";
import { fileOf, isNeeded, optionalParts } from "./optional-parts.ts";

/** Specifier of the module that lists the configs of a link. */
export const configList = "pipewright:configs";
/** The begin of the specifier of each config. */
const configSpecifier = "pipewright:config/";

/**
 * The additions of a link to the printed modules: constants for the module `pipewright:configs`, and the parts that only some services
 * have.
 */
export interface Additions {
  readonly constants: Readonly<Record<string, string>>;
  /** The API document as JSON text: if present, the page that shows it is linked, too. */
  readonly docs?: Late<string | undefined>;
  /** The console: if present, the part of the runtime that serves its page is linked, too. */
  readonly shown?: Late<ShownConsole | undefined>;
  /** The manifest that the configs must fit: if present, the part that enforces it is linked, too. */
  readonly enforced?: Late<NamedManifest | undefined>;
}

/** The text of a manifest, and its name in messages. */
export interface NamedManifest {
  readonly name: string;
  readonly text: string;
}

/** The page of the console, and the facts that it shows. */
export interface ShownConsole {
  readonly parts: PageParts;
  readonly facts: ConsoleFacts;
}

/**
 * Serves the printed modules and the list of their configs to esbuild from memory. Our package.json defines `#runtime/`, and states that
 * its files have no side effects, so that a bundle contains only the parts that its configs name.
 */
export function virtualModules(late: Late<LinkModules>, additions: Additions, root: string): Plugin {
  const textOf = textsOf(late, additions, root);
  return {
    name: "pipewright",
    setup(build) {
      build.onResolve({ filter: /^pipewright(?::|\/runtime$)/ }, ({ path }) => ({ path, namespace: "virtual" }));
      build.onLoad({ filter: /^/, namespace: "virtual" }, async ({ path }) => ({
        contents: await textOf(path),
        loader: "ts",
        resolveDir: root,
      }));
      const inPlaceOf = (file: string, resolve: () => Promise<OnResolveResult | undefined>): void =>
        build.onResolve({ filter: importedAs(basename(file)) }, async ({ path, resolveDir }) =>
          join(resolveDir, path) === runtimeFile(root, file) ? resolve() : undefined,
        );
      inPlaceOf(bundleName, async () => ({ path: bundleName, namespace: "virtual" }));
      for (const part of optionalParts) {
        const absent = runtimeFile(root, join("absent", basename(fileOf(part))));
        inPlaceOf(fileOf(part), async () => (isNeeded(part, await (await late).all) ? undefined : { path: absent }));
      }
    },
  };
}

/** Gives the text of a module by its specifier, as soon as the module is printed. */
function textsOf(late: Late<LinkModules>, additions: Additions, root: string): (specifier: string) => Promise<string> {
  let files: ReadonlyMap<string, string> | undefined;
  return async (specifier) => {
    const modules = await late;
    if (specifier === configList) return configsText(modules.files, additions, root);
    if (specifier === runtimeSpecifier) return runtimeText(await modules.all);
    if (specifier === bundleName) return `export const bundle = ${JSON.stringify(hashOf(await modules.all))};\n`;
    files ??= new Map(modules.files.map((each) => [specifierOf(each), each]));
    const file = files.get(specifier);
    if (file === undefined) throw new InternalError(`no such module: ${specifier}`);
    const module = await modules.of(file);
    return `${module.code}\n${configText(module)}${inlineMap(module.map)}`;
  };
}

/** The one import of printed modules. */
export const runtimeSpecifier = "pipewright/runtime";

/**
 * The part of `pipewright/runtime` that the modules use. With the whole façade, tree shaking would give the same bundle, but esbuild would
 * first read every database driver and every other optional package.
 */
function runtimeText(modules: readonly PrintedModule[]): string {
  const helpers = new Set(modules.flatMap(({ runtime }) => runtime));
  const files = Map.groupBy(helpers, (name) => facade[name][0]);
  return [...files.keys()]
    .sort()
    .map((file) => {
      const names = files.get(file)?.map((name) => `${facade[name][1]} as ${name}`);
      return `export { ${names?.join(", ")} } from "#runtime/${file}";\n`;
    })
    .join("");
}

/** The file of the runtime that identifies the served bundle. The time of a limited capture begins with a new bundle (spec/surfaces 16). */
const bundleName = "capture/bundle.ts";

/** A hash that is equal for equal modules, independent of the kind of link. */
function hashOf(modules: readonly PrintedModule[]): string {
  const hash = createHash("sha256");
  // The place of an interface in the YAML does not count, because it changes nothing in a run.
  for (const { file, code } of modules) {
    hash.update(JSON.stringify([file, code.replace(/^\/\*\* .*:\d+ interfaces\..*$/gm, "")]));
  }
  return hash.digest("hex").slice(0, 32);
}

/**
 * The specifier of a config. File names may have any characters, so they are escaped: esbuild writes specifiers into comments and keys of
 * the bundle.
 */
const specifierOf = (file: string): string => `${configSpecifier}${visible(JSON.stringify(file).slice(1, -1))}`;

/**
 * The module that the entry imports as `pipewright:configs`. It needs no printed module, so that esbuild can ask for the printed modules
 * early.
 */
async function configsText(files: readonly string[], { constants, docs, shown, enforced }: Additions, root: string): Promise<string> {
  const imports = files.map((file, i) => `import config_${i + 1} from ${JSON.stringify(specifierOf(file))};`);
  const lines = Object.entries(constants).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
  return [
    ...imports,
    ...docsText(await docs, root),
    ...consoleText(await shown),
    ...enforcementText(await enforced),
    ...lines,
    `export const configs = [${files.map((_, i) => `config_${i + 1}`).join(", ")}];`,
    "",
  ].join("\n");
}

/**
 * The members of a config that its module lacks: the places in the YAML of its actions and of the settings that it reads at the start, and
 * its part of the API document. The environment may remove that part.
 */
export function configAdditions({
  places = {},
  action_places,
  docs,
}: PrintedModule): Pick<Config, "places" | "action_places" | "documented"> {
  return {
    ...(Object.keys(places).length > 0 ? { places } : {}),
    ...present({ action_places }),
    ...(docs === undefined ? {} : { documented: docs.description ?? "" }),
  };
}

/** The end of a module in a link: its config with these members. A printed name can never be `default`. */
function configText(module: PrintedModule): string {
  const members = Object.entries(configAdditions(module)).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `export default { ${["...config", ...members].join(", ")} };\n`;
}

/** The code for the documentation of a service, or for none. */
function docsText(document: string | undefined, root: string): readonly string[] {
  if (document === undefined) return ["export const docs = undefined;"];
  return [
    'import { documentation } from "#runtime/triggers/documentation.ts";',
    `export const docs = documentation(${JSON.stringify(documentationParts(document, root))});`,
  ];
}

/** The API document with the page that shows it. */
export function documentationParts(document: DocumentationParts["document"], root: string): DocumentationParts {
  const part = (file: string): string => template(root, `documentation/${file}`);
  return { document, page: part("page.html"), style: part("page.css"), script: part("page.js") };
}

/** The code for the console of a service, or for none. */
function consoleText(shown: ShownConsole | undefined): readonly string[] {
  if (shown === undefined) return ["export const shown = undefined;"];
  return [
    'import { adminConsole } from "#runtime/console/console.ts";',
    `const facts = ${JSON.stringify(shown.facts)};`,
    `export const shown = adminConsole(${JSON.stringify(shown.parts)}, () => facts);`,
  ];
}

/** The code for the manifest that the configs must fit, or for none. */
function enforcementText(manifest: NamedManifest | undefined): readonly string[] {
  if (manifest === undefined) return ["export const enforcement = undefined;"];
  const { name, text } = manifest;
  return [
    'import { enforcement as enforcing } from "#runtime/enforce/enforcement.ts";',
    `export const enforcement = enforcing(${JSON.stringify(name)}, ${JSON.stringify(text)});`,
  ];
}

/** A source map as the comment that ends a module. */
export function inlineMap(map: string): string {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`;
}

/** The text of a file below `templates/`. */
export function template(root: string, name: string): string {
  return readFileSync(join(root, "templates", name), "utf8");
}
