import { existsSync } from "node:fs";
import { join } from "node:path";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { ownPackage, type Package, packageFinder } from "./root.ts";

/**
 * The package whose `runtime/` and `templates/` a link reads. In a checkout it is the checkout itself; in the published package it is
 * `dist/linked`, which has the same files as JavaScript (scripts/build/linked.mjs).
 */
export function linkedPackage(): Package {
  const own = ownPackage();
  if (existsSync(join(own.folder, "runtime"))) return own;
  const linked = packageFinder()(join(own.folder, "dist", "linked", "package.json"));
  if (linked === undefined) throw new InternalError("the package has no dist/linked");
  return linked;
}

/** A file of the runtime by its name in a checkout: the path below the folder of the linked package. */
export function runtimeFile(root: string, name: string): string {
  const source = join(root, "runtime", name);
  return existsSync(source) ? source : asJavaScript(source);
}

const asJavaScript = (file: string): string => file.replace(/\.ts$/, ".js");

/** A pattern for a file of the runtime with this name, imported from TypeScript or from JavaScript. */
export const importedAs = (name: string): RegExp => new RegExp(`/${name.replace(/\.ts$/, "")}\\.[jt]s$`);
