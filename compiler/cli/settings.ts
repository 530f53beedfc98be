import { settingNames } from "#generated/settings.ts";
import type { Environment } from "#runtime/process/settings/environment.ts";
import { type Flags, readSettings, type Settings } from "#runtime/process/settings/options.ts";
import { nearest } from "../diagnostics/nearest.ts";

/**
 * The settings of a command, with a warning for each variable whose name is nearly that of a setting. Bundles have no list of the names.
 */
export async function commandSettings(flags: Flags, outside: Environment): Promise<Settings> {
  const settings = await readSettings(flags, outside);
  return { ...settings, warnings: [...settings.warnings, ...misspelt(settings.env)] };
}

function misspelt(env: Environment): readonly string[] {
  const unknown = Object.keys(env).filter((name) => /^PIPEWRIGHT_(?!OTEL_HDR_)/i.test(name) && !settingNames.includes(name));
  return unknown.flatMap((name) => {
    const meant = nearest(name, settingNames) ?? settingNames.find((setting) => setting.startsWith(`${name}_`));
    return meant === undefined || others.includes(name) ? [] : [`${name} is no setting (did you mean ${meant}?)`];
  });
}

/** Variables that are no settings, and are read all the same. */
const others = ["PIPEWRIGHT_WORKER", "PIPEWRIGHT_CAPTURE"];
