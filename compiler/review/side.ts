import { existsSync, readFileSync, statSync } from "node:fs";
import { posix, resolve } from "node:path";
import { manifestFormat } from "#runtime/enforce/manifest.ts";
import { asObject, isObject, type Json } from "#runtime/value/json.ts";
import { type Included, isTestFile, skippedFolders } from "../1-read/files.ts";
import { PathError } from "../1-read/path-error.ts";
import { type Planned, planTexts, type SourceText } from "../pipeline.ts";
import { facets } from "./facets/index.ts";
import { hashed, type Reviewed, reviewedOf } from "./facts.ts";
import { filesOf, isRevision, type Stored } from "./git.ts";

/** One of the two versions. A manifest has no plans, and so no places. */
export interface Side {
  readonly name: string;
  readonly planned?: Planned;
  readonly reviewed: readonly Reviewed[];
  readonly isManifest: boolean;
}

/** Reads a version: a file, a folder, a manifest, or `REVISION:PATH`. `plan` plans what is on disk. */
export function sideOf(given: string, cwd: string, plan: (path: string) => Planned): Side {
  const path = resolve(cwd, given);
  if (!existsSync(path)) {
    if (!isRevision(given))
      throw new PathError(given, "no such file or folder; a revision of git has a path behind it, such as HEAD:. or HEAD~1:api");
    return ofRevision(given, filesOf(given, cwd));
  }
  if (path.endsWith(".json") && statSync(path).isFile()) return ofManifest(given, readFileSync(path, "utf8"));
  return ofPlan(given, plan(given));
}

const ofPlan = (name: string, planned: Planned): Side => ({
  name,
  planned,
  reviewed: planned.failed ? [] : reviewedOf(planned.plans),
  isManifest: false,
});

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name);

function ofRevision(given: string, files: readonly Stored[]): Side {
  const [only] = files;
  const path = given.slice(given.indexOf(":") + 1).replace(/^\.\//, "");
  if (only !== undefined && files.length === 1 && only.name === "") {
    if (!isYaml(path)) return ofManifest(given, only.text());
    return ofPlan(given, planTexts([{ file: path, text: only.text() }]));
  }
  const placed = files.map((each) => ({ ...each, file: posix.join(path, each.name) }));
  const parts = (name: string): readonly string[] => name.split("/").slice(0, -1);
  const texts = (wanted: (name: string) => boolean, searched: boolean): SourceText[] =>
    placed.filter(({ name }) => isYaml(name) && wanted(name)).map(({ file, text }) => ({ file, text: text(), searched }));
  const isOurs = (name: string): boolean =>
    !isTestFile(name) && !parts(name).some((part) => skippedFolders.has(part) || part.startsWith("."));
  const configs = texts(isOurs, true);
  if (configs.length === 0) throw new PathError(given, "no configuration (*.yaml, *.yml) is in it");
  const include = (config: string, wanted: string): Included => {
    const match = placed.find(({ file }) => file === posix.join(posix.dirname(config), wanted));
    return match === undefined ? { problem: "not readable" } : { text: match.text() };
  };
  const modules = texts((name) => parts(name).includes("modules"), false);
  return ofPlan(given, planTexts(configs, { modules, include }));
}

/** Formats of manifests with the current facts. */
const formats: readonly Json[] = [2, manifestFormat];

/** The side from the facts that `build` has written into a manifest. */
function ofManifest(name: string, text: string): Side {
  const content = parsed(name, text);
  const configs = formats.includes(content.format ?? null) && Array.isArray(content.configs) ? content.configs.filter(isObject) : undefined;
  if (configs === undefined)
    throw new PathError(name, `is no manifest of format ${manifestFormat}; build it with this version of pipewright`);
  const reviewed = configs.flatMap((config) => {
    const of = { config: String(config.name), file: String(config.file) };
    const own = { ...of, facts: factsOf(config.facts) };
    const targets = Array.isArray(config.interfaces) ? config.interfaces.filter(isObject) : [];
    return [
      own,
      ...targets.map((target): Reviewed => {
        const facts = isObject(target.facts ?? null) ? (target.facts as Readonly<Record<string, Json>>) : {};
        const route = target.route === undefined ? {} : { route: `${String(target.method)} ${String(target.route)}` };
        return {
          ...of,
          interface: String(target.name),
          ...route,
          proves: facts.proves === true,
          hasCallers: facts.reached === true,
          facts: factsOf(facts),
        };
      }),
    ];
  });
  return { name, reviewed, isManifest: true };
}

function parsed(name: string, text: string): Readonly<Record<string, Json>> {
  try {
    const content: Json = JSON.parse(text);
    if (isObject(content)) return content;
  } catch {
    // A text that is no JSON is reported below.
  }
  throw new PathError(name, "is no manifest of a build");
}

function factsOf(found: Json | undefined): Reviewed["facts"] {
  const record = asObject(found);
  return Object.fromEntries(
    facets.map(({ name }) => {
      const list = record[name] ?? {};
      return [name, isObject(list) ? Object.entries(list).map(([key, value]) => ({ key, value })) : []];
    }),
  );
}

/** The facts in the form of a manifest, so that a version can be compared with a manifest. */
export const asManifest = (reviewed: readonly Reviewed[]): readonly Reviewed[] =>
  reviewed.map((one) => ({
    ...one,
    facts: Object.fromEntries(
      Object.entries(one.facts).map(([name, list]) => {
        const isHashed = facets.find((facet) => facet.name === name)?.hashed === true;
        return [name, isHashed ? list.map((each) => ({ ...each, value: hashed(each.value) })) : list];
      }),
    ),
  }));
