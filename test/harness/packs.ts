import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findConfigs, findModules } from "../../compiler/1-read/files.ts";
import { type Planned, planAll } from "../../compiler/pipeline.ts";
import { sharedFolder } from "./folders.ts";

/** The part of an example pack that `check` accepts. */
export interface Pack {
  readonly name: string;
  readonly planned: Planned;
}

/**
 * Whole packs where `check` accepts all of it, and otherwise the configs that pass `check` alone. Empty when there is no folder of packs.
 */
export function acceptedPacks(): readonly Pack[] {
  const folder = sharedFolder("packs");
  if (folder === undefined) return [];
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.flatMap(({ name }) => acceptedIn(name, fileURLToPath(new URL(`${name}/`, folder))));
}

function acceptedIn(name: string, folder: string): readonly Pack[] {
  const files = findConfigs(["."], folder);
  const modules = findModules(["."], folder);
  const whole = planAll(files, { modules });
  if (!whole.failed) return [{ name, planned: whole }];
  return files
    .map((file) => ({ name: `${name}/${file.file}`, planned: planAll([file], { modules }) }))
    .filter(({ planned }) => !planned.failed);
}
