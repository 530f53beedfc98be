import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The licences of the packages among the modules of a script, as a comment for its first lines. The licences demand that their texts go
 * with the script.
 */
export function licencesOf(root, modules) {
  const names = modules.map((id) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)(?!.*node_modules)/.exec(id)?.[1]?.replaceAll("\\", "/"));
  const packages = [...new Set(names.filter((name) => name !== undefined))].sort();
  return packages.map((name) => licenceOf(join(root, "node_modules", name), name)).join("");
}

function licenceOf(folder, name) {
  if (!existsSync(folder)) throw new Error(`${name} is no package of the checkout`);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each));
  const text = file === undefined ? license : readFileSync(join(folder, file), "utf8").trim().replaceAll("*/", "* /");
  return `/*! ${name} ${version}\n${text}\n*/\n`;
}
