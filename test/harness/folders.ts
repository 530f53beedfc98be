import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { isWanted } from "./rules/words.ts";

/** Root of the repository. */
export const root = new URL("../../", import.meta.url);

/** The folder that several checkouts share, with the specification and packs of examples. Some machines have none. */
export const shared = new URL("../shared/", root);

export type Area = "transforms" | "matchers" | "actions" | "interfaces" | "diagnostics";

/** All fixtures of an area, found by reading the folder: there is no list to maintain. */
export function fixturesOf(area: Area): readonly string[] {
  return readdirSync(new URL(`test/fixtures/${area}/`, root)).sort();
}

/** All fixtures of an area, or those that `npm run case` selects. */
export const wantedFixtures = (area: Area): readonly string[] => fixturesOf(area).filter((name) => isWanted(area, name));

/** A file of a fixture. */
export const fixtureFile = (area: Area, name: string, file: string): URL => new URL(`test/fixtures/${area}/${name}/${file}`, root);

export const readFixture = (area: Area, name: string, file: string): string => readFileSync(fixtureFile(area, name, file), "utf8");

/** Parses YAML of fixtures, in which any number of aliases and merges is permitted. */
export const parseYaml = (text: string): unknown => parse(text, { maxAliasCount: -1, merge: true });

/** Names of the features of a kind, as their files are called. */
export function featuresOf(kind: "transforms" | "matchers" | "actions"): readonly string[] {
  return readdirSync(new URL(`runtime/features/${kind}/`, root))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}

/** A folder of `../shared`, or undefined with a printed line. */
export function sharedFolder(name: string): URL | undefined {
  const folder = new URL(`${name}/`, shared);
  if (existsSync(folder)) return folder;
  console.log(`skipped: there is no folder ../shared/${name} beside this checkout`);
  return undefined;
}
