import { setImmediate } from "node:timers/promises";
import type { PrintedModule } from "../6-print/index.ts";
import { bundle } from "./bundle.ts";
import { LateModules } from "./modules.ts";
import type { Bundle } from "./portable.ts";
import type { NamedManifest, ShownConsole } from "./virtual.ts";

/** The parts of a bundle that are known before its modules are printed. */
export interface Expected {
  /** The files of the modules. */
  readonly files: readonly string[];
  readonly docs: string | undefined;
  /** Makes the console of the printed modules. */
  readonly shown?: ((modules: readonly PrintedModule[]) => Promise<ShownConsole>) | undefined;
  readonly enforced?: NamedManifest | undefined;
}

/**
 * A bundle whose modules are still being printed. It is given up when a caller leaves its scope before all modules are added, so that
 * esbuild does not wait for them.
 */
export interface BegunBundle extends Disposable {
  /**
   * Resolves when esbuild has begun to read the runtime. Until then esbuild asks this process for files, so that the compiler must not run
   * yet.
   */
  readonly reads: Promise<void>;
  /** Names the modules that will be added, and gives their bundle. */
  expect(expected: Expected): Promise<Bundle>;
  /** Adds one of these modules, which esbuild reads at once. */
  add(module: PrintedModule): void;
}

/**
 * Begins the bundle of a build before the compiler is loaded: the process of esbuild starts on another processor meanwhile, and reads the
 * runtime and its packages while the compiler works. Resolves when the request was sent to esbuild.
 */
export async function beginBundle(environment: string): Promise<BegunBundle> {
  const begun = Promise.withResolvers<Expected & { readonly modules: LateModules }>();
  const { promise: reads, resolve: isReading } = Promise.withResolvers<void>();
  let late: LateModules | undefined;
  const modules = begun.promise.then((all) => all.modules);
  const docs = begun.promise.then((all) => all.docs);
  const shown = begun.promise.then(async (all) => all.shown?.(await all.modules.all));
  const enforced = begun.promise.then((all) => all.enforced);
  const bundled = bundle(modules, { environment, format: "cjs", docs, shown, enforced, reads: isReading });
  // A caller that expects the bundle gets the error; errors of a bundle that was given up are ignored.
  for (const promise of [modules, docs, shown, enforced]) promise.catch(() => undefined);
  bundled.catch(() => isReading());
  // The request is written in this turn of the event loop. Loading the next modules gives the event loop no other turn.
  await setImmediate();
  return {
    reads,
    expect: (expected) => {
      late = new LateModules(expected.files);
      begun.resolve({ ...expected, modules: late });
      return bundled;
    },
    add: (module) => late?.add(module),
    [Symbol.dispose]: () => {
      const error = new Error("nothing more was printed");
      begun.reject(error);
      late?.giveUp(error);
    },
  };
}
