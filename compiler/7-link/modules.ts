import { compareNames } from "../1-read/order.ts";
import type { PrintedModule } from "../6-print/index.ts";

/** A value, or the promise of a value that is still being made. */
export type Late<T> = T | Promise<T>;

/** The modules of a link. A build knows their files before they are printed. */
export interface LinkModules {
  /** The files, sorted, so that the order in which modules arrive does not change the output. */
  readonly files: readonly string[];
  /** The module of one of the files. */
  of(file: string): Late<PrintedModule>;
  /** All modules, in the order of the files. */
  readonly all: Late<readonly PrintedModule[]>;
}

/** The modules, sorted by their source files. */
export const inOrder = (modules: readonly PrintedModule[]): readonly PrintedModule[] =>
  modules.toSorted((a, b) => compareNames(a.file, b.file));

/** Modules that were printed. */
export function printedModules(modules: readonly PrintedModule[]): LinkModules {
  const all = inOrder(modules);
  const byFile = new Map(all.map((module) => [module.file, module]));
  return { files: [...byFile.keys()], of: (file) => byFile.get(file) ?? noModule(file), all };
}

/** Modules that are printed one after the other, while esbuild already reads the printed ones. */
export class LateModules implements LinkModules {
  readonly files: readonly string[];
  readonly all: Promise<readonly PrintedModule[]>;
  readonly #arrivals: ReadonlyMap<string, PromiseWithResolvers<PrintedModule>>;

  constructor(files: readonly string[]) {
    this.files = files.toSorted(compareNames);
    this.#arrivals = new Map(files.map((file) => [file, Promise.withResolvers()]));
    this.all = Promise.all(this.files.map((file) => this.of(file)));
    // Links that wait for the modules get the error, so it is no unhandled rejection here.
    this.all.catch(() => undefined);
  }

  of(file: string): Promise<PrintedModule> {
    return (this.#arrivals.get(file) ?? noModule(file)).promise;
  }

  add(module: PrintedModule): void {
    (this.#arrivals.get(module.file) ?? noModule(module.file)).resolve(module);
  }

  /** Ends the waiting for further modules: each waiting link gets the error. */
  giveUp(error: Error): void {
    for (const { reject } of this.#arrivals.values()) reject(error);
  }
}

function noModule(file: string): never {
  throw new Error(`${file} is no file of the link`);
}
