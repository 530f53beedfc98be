import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Act } from "../../runtime/act.ts";
import { Failure, Reject } from "../../runtime/failure.ts";
import type { MatcherOptions, Verdict } from "../../runtime/feature.ts";
import { createHost } from "../../runtime/host.ts";
import type { Json } from "../../runtime/json.ts";
import { Run } from "../../runtime/run.ts";

// Each case of test/fixtures/{transforms,matchers}/<name>/cases.yaml, called directly through prepare and run.

interface Case {
  readonly name: string;
  readonly source: "seed" | "docs" | "choice";
  /** The case is shown on the reference page. */
  readonly doc?: true;
}

interface TransformCase extends Case {
  readonly args: Json;
  readonly data: Json;
  /** Exactly one of three: the result, a pattern of its JSON text, or the reason (for a refused argument the code). */
  readonly gives?: Json;
  readonly matches?: string;
  readonly fails?: string;
}

interface MatcherCase extends Case {
  readonly operand: Json;
  readonly target: Json;
  readonly options?: MatcherOptions;
  /** Exactly one of three. */
  readonly passes?: true;
  readonly detail?: string;
  readonly fails?: string;
}

interface Loaded<Runner> {
  readonly prepare?: (args: Json) => unknown;
  readonly run: Runner;
}
type RunTransform = (data: Json, ready: unknown, act: Act) => Json | Promise<Json>;
type RunMatcher = (target: Json, ready: unknown, options?: MatcherOptions) => Verdict;

const root = new URL("../../", import.meta.url);
const transforms = featuresOf("transforms");
const matchers = featuresOf("matchers");

describe.each([
  ["transforms", transforms],
  ["matchers", matchers],
] as const)("%s", (kind, names) => {
  it("have a fixture folder each, and each folder a feature", () => {
    expect(readdirSync(new URL(`test/fixtures/${kind}/`, root)).sort()).toEqual(names);
  });

  it.each(names)("%s: has well-formed cases", (name) => {
    const cases = casesOf<TransformCase & MatcherCase>(kind, name);
    const outcomes = kind === "transforms" ? (["gives", "matches", "fails"] as const) : (["passes", "detail", "fails"] as const);
    expect(new Set(cases.map((one) => one.name)).size).toBe(cases.length);
    for (const one of cases) {
      expect(["seed", "docs", "choice"], one.name).toContain(one.source);
      expect(
        outcomes.filter((outcome) => Object.hasOwn(one, outcome)),
        one.name,
      ).toHaveLength(1);
    }
  });
});

describe.each(transforms)("transform %s", (name) => {
  it.each(casesOf<TransformCase>("transforms", name))("$name", async (one) => {
    const result = await outcome(name, one);
    if (one.fails !== undefined) expect(result).toEqual({ fails: one.fails });
    else if (one.matches !== undefined) expect(result.gives).toMatch(new RegExp(one.matches));
    else expect(result).toEqual({ gives: JSON.stringify(one.gives) });
  });
});

describe.each(matchers)("matcher %s", (name) => {
  it.each(casesOf<MatcherCase>("matchers", name))("$name", async (one) => {
    expect(await verdict(name, one)).toEqual(one.passes ?? one.detail ?? { fails: one.fails });
  });
});

function featuresOf(kind: string): string[] {
  return readdirSync(new URL(`runtime/${kind}/`, root))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}

function casesOf<C extends Case>(kind: string, name: string): C[] {
  // The shape is checked by the first tests of this file.
  return parse(readFileSync(new URL(`test/fixtures/${kind}/${name}/cases.yaml`, root), "utf8")) as C[];
}

async function load<Runner>(kind: string, name: string): Promise<Loaded<Runner>> {
  const module = await import(new URL(`runtime/${kind}/${name}.ts`, root).href);
  expect(module.spec.run).toBe(module[name]);
  expect(module.spec.prepare).toBe(module.prepare);
  return module.spec;
}

/** Compares as text, since key order is part of a result. The data is frozen: a feature that changes its input throws. */
async function outcome(name: string, { args, data }: TransformCase): Promise<{ gives?: string; fails?: string }> {
  const { prepare, run } = await load<RunTransform>("transforms", name);
  try {
    const ready = prepare === undefined ? frozen(args) : prepare(frozen(args));
    return { gives: JSON.stringify(await run(frozen(data), ready, act())) };
  } catch (error) {
    return { fails: reason(error, "transform") };
  }
}

async function verdict(name: string, { operand, target, options }: MatcherCase): Promise<Verdict | { fails: string }> {
  const { prepare, run } = await load<RunMatcher>("matchers", name);
  try {
    return run(frozen(target), prepare === undefined ? frozen(operand) : prepare(frozen(operand)), options);
  } catch (error) {
    return { fails: reason(error, "evaluation") };
  }
}

function reason(error: unknown, kind: Failure["kind"]): string {
  if (error instanceof Reject) return error.code;
  if (error instanceof Failure && error.kind === kind) return error.message;
  throw error;
}

function frozen(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) frozen(item);
  Object.freeze(value);
  return value;
}

function act(): Act {
  const target = { name: "test", output: "none", run: () => undefined } as const;
  const config = { name: "test", interfaces: [target], needs: { env: [], vars: [], secrets: [] } };
  const request = { id: "run", trigger: "test", method: null, path: null, body: null, raw_body: null, params: {}, headers: {}, ip: {} };
  const run = new Run(createHost({ env: {}, variables: {}, clock: 0 }), config, target, request);
  return new Act(run, "A", {}, () => null);
}
