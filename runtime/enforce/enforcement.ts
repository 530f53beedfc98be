import type { Config, Interface } from "../run/interface.ts";
import { failureCodes } from "../value/failure.ts";
import { type Manifest, type ManifestConfig, type ManifestInterface, readManifest, readManifestFile } from "./manifest.ts";
import { permitOf } from "./permit.ts";
import { openedBy, type Reached, waysInto } from "./ways.ts";

/** Configs that may touch only what a manifest lists, and the reasons why they must not be served (none when `unmet` is empty). */
export interface Enforced {
  readonly configs: readonly Config[];
  readonly unmet: readonly string[];
}

/** Holds configs to the manifest in `file`, or without a file to the one that the configs were linked with. */
export type Enforcement = (configs: readonly Config[], file: string | undefined) => Enforced;

/** Makes the enforcement of the manifest that configs are linked with, from its text and from the name that messages use for it. */
export const enforcement =
  (name: string, text: string): Enforcement =>
  (configs, file) => {
    const read = file === undefined ? readManifest(text) : manifestOf(file);
    if (typeof read === "string") return { configs: [], unmet: [file === undefined ? `${name}: ${read}` : read] };
    return {
      configs: configs.map((config) => held(config, listedOf(config, read))),
      unmet: configs.flatMap((config) => unlisted(config, read)).map((problem) => notReviewed(problem, file ?? name)),
    };
  };

/** A reason why configs are not served, with the code that `pipewright explain` knows. */
export const notReviewed = (problem: string, manifest: string): string => `${failureCodes.manifest} ${problem} in ${manifest}`;

function manifestOf(file: string): Manifest | string {
  const read = readManifestFile(file);
  if ("problem" in read) return read.problem;
  return typeof read.value === "string" ? `${file}: ${read.value}` : read.value;
}

const nothing = { capabilities: {}, interfaces: [] };

const listedOf = ({ name }: Config, { configs }: Manifest): Pick<ManifestConfig, "capabilities" | "interfaces"> =>
  configs.find((one) => one.name === name) ?? nothing;

function held(config: Config, { capabilities, interfaces }: Pick<ManifestConfig, "capabilities" | "interfaces">): Config {
  const permitted = (target: Interface): Interface => {
    const own = interfaces.find(({ name }) => name === target.name)?.capabilities ?? {};
    return { ...target, permit: permitOf(own, `interface '${target.name}'`) };
  };
  return { ...config, permit: permitOf(capabilities, `configuration '${config.name}'`), interfaces: config.interfaces.map(permitted) };
}

/** The members of an interface that a manifest also has. */
interface Served extends Reached {
  readonly name: string;
  readonly http?: { readonly method: string; readonly route: string };
}

/**
 * Sentences about the interfaces that were not reviewed as they are: the manifest does not list them, or lists another route or fewer ways
 * into them.
 */
export function unlisted(config: { readonly name: string; readonly interfaces: readonly Served[] }, manifest: Manifest): readonly string[] {
  const reviewed = manifest.configs.find(({ name }) => name === config.name);
  if (reviewed === undefined) return [`configuration '${config.name}' is not listed`];
  return config.interfaces.flatMap((target) => {
    const { name, http } = target;
    const entry = reviewed.interfaces.find((one) => one.name === name);
    if (entry === undefined) return [`interface '${name}' of '${config.name}' is not listed`];
    const route = http === undefined ? undefined : `${http.method} ${http.route}`;
    if (route !== undefined && route !== routeOf(entry))
      return [`interface '${name}' of '${config.name}' is not listed with the route ${route}`];
    const opened = openedBy(waysInto(target), entry.reached_by);
    return opened === undefined ? [] : [`interface '${name}' of '${config.name}' ${opened}`];
  });
}

const routeOf = ({ method, route }: ManifestInterface): string | undefined => (route === undefined ? undefined : `${method} ${route}`);
