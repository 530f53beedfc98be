import Module from "node:module";
import { join, resolve } from "node:path";
import { transform } from "esbuild";
import { type FacadeName, facade } from "#generated/facade.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { Documentation, DocumentationParts } from "#runtime/triggers/documentation.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { codeOptions } from "./bundle.ts";
import { linkedPackage } from "./linked.ts";
import { absoluteSources } from "./load.ts";
import { inOrder } from "./modules.ts";
import { configAdditions, documentationParts, inlineMap, runtimeSpecifier } from "./virtual.ts";

/** A version of a project, in the form that a process serves. */
export interface LiveVersion {
  readonly configs: readonly Config[];
  readonly docs: Documentation | undefined;
}

/** The modules of a linked runtime, by their specifiers; each runs at its first use. */
export type RuntimeModules = Readonly<Record<string, () => unknown>>;

/** An evaluated module, with its text and the source map from stacks to the YAML. */
interface Evaluated {
  readonly code: string;
  readonly map: string;
  readonly config: Config;
}

/** Evaluates the versions of a project, module by module. Modules of the last version are kept for the next one. */
export class Versions {
  readonly #runtime: RuntimeModules;
  /** The folder to which the source paths in stacks are relative. */
  readonly #root: string;
  #modules: ReadonlyMap<string, Evaluated> = new Map();

  constructor(runtime: RuntimeModules, root: string) {
    this.#runtime = runtime;
    this.#root = root;
  }

  /** `document` makes the text of the API document at its first use; undefined if there is none. */
  async evaluate(printed: readonly PrintedModule[], document: (() => string) | undefined): Promise<LiveVersion> {
    const before = this.#modules;
    const modules = await Promise.all(
      inOrder(printed).map(async (module) => {
        const { file, code, map } = module;
        const last = before.get(file);
        const isSame = last !== undefined && last.code === code && last.map === map;
        return { module, evaluated: isSame ? last : { code, map, config: await this.#configOf(module) } };
      }),
    );
    this.#modules = new Map(modules.map(({ module, evaluated }) => [module.file, evaluated]));
    const configs = modules.map(({ module, evaluated }) => ({ ...evaluated.config, ...configAdditions(module) }));
    return { configs, docs: document && this.#docsOf(document) };
  }

  #docsOf(document: () => string): Documentation {
    const { documentation } = this.#part("#runtime/triggers/documentation.ts") as {
      readonly documentation: (parts: DocumentationParts) => Documentation; // the class of the runtime
    };
    return documentation(documentationParts(document, linkedPackage().folder));
  }

  async #configOf(module: PrintedModule): Promise<Config> {
    const { code, map } = await transform(`${module.code}\n${inlineMap(module.map)}`, {
      ...codeOptions,
      loader: "ts",
      format: "cjs",
    });
    const mapped = absoluteSources(map, (source) => resolve(this.#root, source));
    const { config } = run(`${code}${inlineMap(mapped)}`, join(this.#root, `${module.name}.cjs`), this.#facadeOf(module));
    return config;
  }

  /** The functions of `pipewright/runtime` that a module calls. */
  #facadeOf({ runtime }: PrintedModule): object {
    return Object.fromEntries(runtime.map((name) => [name, this.#helper(name)]));
  }

  #helper(name: FacadeName): unknown {
    const [file, own] = facade[name];
    const part = this.#part(`#runtime/${file}`) as Readonly<Record<string, unknown>>; // a module and its exports
    return part[own];
  }

  #part(specifier: string): unknown {
    const part = Object.hasOwn(this.#runtime, specifier) ? this.#runtime[specifier] : undefined;
    if (part === undefined) throw new InternalError(`a printed module imports ${specifier}`);
    return part();
  }
}

/** A module that is freed with its last user. An imported ES module would stay in memory for ever. */
interface Evaluating {
  filename: string;
  require: (name: string) => unknown;
  readonly exports: unknown;
  readonly _compile: (code: string, filename: string) => unknown;
}

function run(code: string, filename: string, runtime: object): { readonly config: Config } {
  // Node loads CommonJS files with this class, which also applies the source map to stacks.
  const module = new Module(filename) as unknown as Evaluating;
  module.filename = filename;
  module.require = (name) => {
    if (name !== runtimeSpecifier) throw new InternalError(`a printed module imports ${name}`);
    return runtime;
  };
  module._compile(code, filename);
  return module.exports as { readonly config: Config }; // the printer prints this export
}
