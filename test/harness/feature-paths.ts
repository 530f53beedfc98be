import type { Config } from "#runtime/run/interface.ts";
import { LiveAct } from "#runtime/run/live-act.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Act } from "#runtime/run/run.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import { planTexts } from "../../compiler/pipeline.ts";
import { planned, printOne } from "./compile.ts";
import { evaluate } from "./evaluate.ts";
import type { FeatureCase, Kind, Loaded } from "./feature-cases.ts";
import { type CaseInterface, caseInterface, configText, type Feature } from "./feature-config.ts";
import { frozen } from "./frozen.ts";
import { emptyRequest, runOnce } from "./run-once.ts";
import { stillHostWithThreads } from "./still-host.ts";
import type { Outcome } from "./watch.ts";

/** The result of a case: the text of the data, the detail of the test (null: it passed), a reason, or the code of a diagnostic. */
export type Left =
  | { readonly gives: string }
  | { readonly detail: string | null }
  | { readonly fails: string }
  | { readonly refused: string };

/** The ways in which a feature is run by a config. */
export const compiledPaths = ["walked", "printed", "printed with markers"] as const;
export type CompiledPath = (typeof compiledPaths)[number];

/** The detail of a verdict that has not passed; null when the test has passed. */
function detailOf(verdict: unknown): string | null {
  if (typeof verdict === "object" && verdict !== null && "errors" in verdict && Array.isArray(verdict.errors))
    return verdict.errors.join("; ");
  if (typeof verdict === "function") return String(verdict());
  return typeof verdict === "string" ? verdict : null;
}

/**
 * Calls a feature directly, as the walker and printed modules do. The input is frozen, so that a feature that changes it throws. `reason`
 * is the text of a refusal.
 */
export async function called({ args, data, options }: FeatureCase, kind: Kind, feature: Loaded): Promise<Left & { reason?: string }> {
  const { prepare, run, async, inRun } = feature;
  const act = someAct();
  const rest = kind === "transforms" ? [act] : async || inRun ? [act.run, options] : [options];
  try {
    const ready = prepare === undefined ? frozen(args) : prepare(frozen(args));
    const result = await run(frozen(data), ready, ...rest);
    if (kind === "transforms") return { gives: JSON.stringify(result) };
    return { detail: detailOf(result) };
  } catch (error) {
    if (error instanceof Reject) return { refused: error.code, reason: error.message };
    if (error instanceof Failure) return { fails: error.message };
    throw error;
  }
}

/** The result of a case that was run by a config. */
export interface CaseConfig {
  readonly left: Left;
  /** True when the case compiles and its arguments hold a marker, so that stage 1 runs at run time. */
  readonly dynamic: boolean;
}

/** Results of the cases that the path can express, by name. On `printed with markers` a case needs an argument that may be a marker. */
export async function compiled(
  path: CompiledPath,
  feature: Feature,
  cases: readonly FeatureCase[],
): Promise<ReadonlyMap<string, CaseConfig>> {
  const extent = path === "printed with markers" ? "all" : "needed";
  const all = cases.map((one, i) => ({ one, form: caseInterface(feature, one, i, extent) }));
  const sayable = all.filter(({ form }) => extent === "needed" || form.leaves.length > 0);
  const refused = refusals(sayable.map(({ form }) => form));
  const sound = sayable.flatMap(({ form }) => (refused.has(form.name) ? [] : [form]));
  const config = await configOf(configText(feature.name, sound), path === "walked");
  const said = new Map<string, CaseConfig>();
  for (const { one, form } of sayable) {
    const code = refused.get(form.name);
    const left = code === undefined ? await ran(config, feature, form, one) : { refused: code };
    said.set(one.name, { left, dynamic: code === undefined && form.leaves.length > 0 });
  }
  return said;
}

/**
 * Codes of the errors of cases, by the name of the interface. All cases are checked as one config, in which an error belongs to the
 * interface around its place.
 */
export function refusals(forms: readonly CaseInterface[]): ReadonlyMap<string, string> {
  const text = configText("cases", forms);
  const starts = forms.map(({ name }) => ({ name, start: text.indexOf(`\n  ${name}:\n`) }));
  const refused = new Map<string, string>();
  for (const { severity, code, at } of planTexts([{ file: "cases.yaml", text }]).diagnostics) {
    const around = starts.findLast(({ start }) => start < at.start);
    if (severity !== "error" || around === undefined) continue;
    const before = refused.get(around.name);
    refused.set(around.name, before === undefined ? code : `${before}, ${code}`);
  }
  return refused;
}

/** Compiles a config once for all cases of a feature. */
async function configOf(text: string, interpret: boolean): Promise<Config> {
  return evaluate((await printOne(planned(text), { interpret })).code);
}

async function ran(config: Config, { kind, name }: Feature, { name: target, leaves }: CaseInterface, { data }: FeatureCase): Promise<Left> {
  const { outcomes } = await runOnce(config, target, { body: frozen({ data, leaves: [...leaves] }) }, stillHostWithThreads());
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error("the case has no action");
  return kind === "transforms" ? leftByTransform(outcome, name) : leftByMatcher(outcome, name);
}

function leftByTransform({ state, data, error = "" }: Outcome, name: string): Left {
  return state === "succeeded" ? { gives: JSON.stringify(data) } : { fails: behind(`post_transforms[0].${name}: `, error) };
}

function leftByMatcher({ state, errors = [], error = "" }: Outcome, name: string): Left {
  if (state === "succeeded") return { detail: null };
  return errors.length === 0 ? { fails: error } : { detail: behind(`$::${name}: `, errors.join("; ")) };
}

/** The text without the start that it must have. */
function behind(start: string, text: string): string {
  if (!text.startsWith(start)) throw new Error(`'${text}' does not start with '${start}'`);
  return text.slice(start.length);
}

function someAct(): Act {
  const target = { name: "test", output: "none", run: () => undefined } as const;
  const config = { name: "test", interfaces: [target], needs: { env: [], vars: [], secrets: [] } };
  return new LiveAct(new LiveRun(stillHostWithThreads(), config, target, emptyRequest), "A", {}, () => null);
}
