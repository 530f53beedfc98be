import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Package } from "./root.ts";

const textNames = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const rule = `\n${"-".repeat(80)}\n\n`;

/**
 * The licence texts that must be shipped with a build: of each package inside it, of pipewright, and of Node if the build contains Node.
 */
export function licences(
  packages: readonly Package[],
  own: Package,
  node: { readonly version: string; readonly licence: string } | undefined,
): string {
  const entries = [own, ...packages].map(
    (each) => `${each.name} ${each.version} (${each.licence ?? "no licence declared"})\n\n${licenceText(each)}`,
  );
  if (node !== undefined) entries.push(`Node.js ${node.version}\n\n${tidy(node.licence)}`);
  return entries.join(rule);
}

function licenceText({ folder, name, licence }: Package): string {
  const files = readdirSync(folder)
    .filter((file) => textNames.test(file))
    .sort();
  if (files.length > 0) return files.map((file) => tidy(readFileSync(join(folder, file), "utf8"))).join("\n");
  return `${name} ships no licence text; its package.json declares: ${licence ?? "nothing"}\n`;
}

const tidy = (text: string): string => `${text.replaceAll("\r\n", "\n").trim()}\n`;
