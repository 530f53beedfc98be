import { describe, expect, test } from "vitest";
import { parseJson } from "#runtime/formats/json-text.ts";
import type { Config, Interface } from "#runtime/run/interface.ts";
import type { Run } from "#runtime/run/run.ts";
import { fits } from "#runtime/shapes/fits.ts";
import type { Shape } from "#runtime/shapes/shape.ts";
import { startConfigs } from "#runtime/start/fields.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import type { Json } from "#runtime/value/json.ts";
import type { InterfaceShapes } from "../../compiler/5-analyse/shapes/index.ts";
import { plannedFixture, printedFixture } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { wantedFixtures } from "../harness/folders.ts";
import { openedBy } from "../harness/opened.ts";
import { type Shown, stage } from "../harness/performance.ts";
import { sampled } from "../harness/rules/words.ts";
import { readScenario } from "../harness/scenario.ts";

// The shapes that the compiler infers are true: all data of the runs of the fixtures fit them.

const counts = { actions: 0, known: 0, replies: 0, held: 0 };

describe.each(sampled(wantedFixtures("interfaces"), 5))("%s", (name) => {
  test("its data fit the shapes", async () => {
    const plans = plannedFixture(name);
    if (plans.failed) return;
    const shapes = new Map(plans.plans.flatMap(({ interfaces }) => interfaces.map((each) => [each.name, each.shapes] as const)));
    count([...shapes.values()]);
    const { code } = await printedFixture(name, { interpret: true });
    const kept = recorded(await evaluate(code));
    await using world = await performed(name, kept.config);
    for (const run of kept.runs) {
      const found = shapes.get(run.interface.name);
      if (found === undefined) throw new Error(`no shapes of ${run.interface.name}`);
      expect(misfits(run, found)).toEqual([]);
      const reply = world.requests.find(({ headers }) => headers["x-request-id"] === run.id);
      if (reply !== undefined && reply.status < 400 && reply.body !== "") expect(misfit("reply", jsonOf(reply), found.reply)).toEqual([]);
    }
  });
});

test("shapes are known of most actions", () => {
  console.log(`${counts.known} of ${counts.actions} actions and ${counts.replies} replies have a shape`);
  expect(counts.known).toBeGreaterThan(counts.actions * 0.6);
  // The law must have compared data of many runs.
  expect(counts.held).toBeGreaterThan(counts.actions);
});

/** A config whose runs are recorded in `runs`. */
function recorded(config: Config): { readonly config: Config; readonly runs: readonly Run[] } {
  const runs: Run[] = [];
  const interfaces = config.interfaces.map((target): Interface => ({ ...target, run: (cx) => target.run(kept(cx, runs)) }));
  return { config: { ...config, interfaces }, runs };
}

function kept(run: Run, runs: Run[]): Run {
  runs.push(run);
  return run;
}

async function performed(name: string, config: Awaited<ReturnType<typeof evaluate>>) {
  const world = await stage(readScenario(name));
  const { requests } = await world.perform({ config, open: openedBy(HttpServer), startConfigs });
  return { requests, [Symbol.asyncDispose]: () => world.close() };
}

function misfits(run: Run, { actions, params }: InterfaceShapes): readonly unknown[] {
  counts.held += run.acts.length;
  // Without actions the parameters were refused, so that they need not fit.
  const given = run.acts.length > 0 ? misfit("params", run.params, params) : [];
  const data = run.acts.flatMap(({ name, state, data, cancelled }) => {
    const shape = actions.get(name);
    if (shape === undefined) throw new Error(`no shape of ${name}`);
    return cancelled ? [] : [...misfit(name, data, shape.seen), ...(state === "succeeded" ? misfit(name, data, shape.data) : [])];
  });
  return [...given, ...data];
}

/** The value with its shape when it does not fit, else an empty list. */
const misfit = (name: string, value: Json, shape: Shape): readonly unknown[] =>
  fits(value, shape) ? [] : [{ name, value: JSON.stringify(value), shape: shown(shape) }];

const shown = (shape: Shape): string => JSON.stringify(shape, (_, part) => (part instanceof Map ? Object.fromEntries(part) : part));

/** The body as JSON. An interface may send JSON with another media type. */
const jsonOf = ({ body }: Shown): Json => parseJson(body) ?? body;

function count(all: readonly InterfaceShapes[]): void {
  for (const { actions, reply } of all) {
    counts.actions += actions.size;
    counts.known += [...actions.values()].filter(({ data }) => data.type !== "any").length;
    if (reply.type !== "any") counts.replies += 1;
  }
}
