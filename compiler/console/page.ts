import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PageParts } from "#runtime/triggers/pages.ts";
import { linkedPackage } from "../7-link/linked.ts";
import { template } from "../7-link/virtual.ts";

/** The page of the console: from the package, or built from its sources in a checkout. */
export async function consoleParts(): Promise<PageParts> {
  const { folder } = linkedPackage();
  const builder = join(folder, "scripts", "build", "console.mjs");
  if (existsSync(builder)) {
    const { builtConsole }: { builtConsole: (root: string) => Promise<PageParts> } = await import(pathToFileURL(builder).href);
    return builtConsole(folder);
  }
  const part = (file: string): string => template(folder, `console/${file}`);
  return { page: part("page.html"), style: part("page.css"), script: part("page.js") };
}
