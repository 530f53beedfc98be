import { enforcement } from "#runtime/enforce/enforcement.ts";
import type { Config } from "#runtime/run/interface.ts";
import { manifestToEnforce } from "../../../compiler/7-link/manifest.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";

/** A config that runs what `text` says, held to the manifest of the one that was reviewed. */
export async function heldTo(reviewed: string, text: string, interpret: boolean): Promise<Config> {
  const plan = planned(text);
  const { code, action_places = "{}" } = await printOne(plan, { interpret });
  const written = { ...(await evaluate(code)), action_places: JSON.stringify({ ...JSON.parse(action_places), file: "shop.yaml" }) };
  const { configs, unmet } = enforcement("manifest.json", manifestToEnforce(planned(reviewed).plans))([written], undefined);
  const [config] = configs;
  if (config === undefined || unmet.length > 0) throw new Error(unmet.join("\n"));
  return config;
}

/** Both ways to run a config: printed and walked. */
export const bothWays = [
  ["printed", false],
  ["walked", true],
] as const;
