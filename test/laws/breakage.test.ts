import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FacadeName } from "#generated/facade.ts";
import { startConfigs } from "#runtime/start/fields.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { brokenStage, mistakes } from "../harness/broken.ts";
import { planned, printOne } from "../harness/compile.ts";
import { calledBy, evaluate, type Replace } from "../harness/evaluate.ts";
import { readFixture, wantedFixtures } from "../harness/folders.ts";
import { judge } from "../harness/judge.ts";
import { type Stage, stage } from "../harness/performance.ts";
import { readScenario, type Scenario } from "../harness/scenario.ts";

// Law `breakage`: whatever a module imports of the runtime, a mistake in it is seen by a fixture of the interfaces. So no function that carries
// meaning is without one, and the comparison of `agree` is no formality.

interface Fixture {
  readonly name: string;
  readonly scenario: Scenario;
  /** The module by path. */
  readonly code: Readonly<Record<Path, string>>;
}

type Path = "print" | "walk";

/**
 * What no request sees: `/readyz` asks databases and the store, a clock starts schedules, and a process looks whether it may start
 * (test/unit/state.test.ts, test/unit/schedule.test.ts, test/unit/ws-publish.test.ts).
 */
const exempt: ReadonlySet<FacadeName> = new Set(["ping", "stateAnswers", "schedules", "channelNeeds"]);

const fixtures = await Promise.all(
  wantedFixtures("interfaces").map(async (name): Promise<Fixture> => {
    const plan = planned(readFixture("interfaces", name, "config.yaml"));
    const [print, walk] = [await printOne(plan), await printOne(plan, { interpret: true })];
    return { name, scenario: readScenario(name), code: { print: print.code, walk: walk.code } };
  }),
);

const stages = new Map<string, Stage>();
beforeAll(async () => {
  for (const { name, scenario } of fixtures) stages.set(name, await stage(scenario));
});
afterAll(async () => {
  for (const each of stages.values()) await each.close();
});

describe.each(["print", "walk"] as const)("%s", (path) => {
  const users = Map.groupBy(
    fixtures.flatMap((fixture) => importsIn(fixture.code[path]).map((name) => ({ name, fixture }))),
    ({ name }) => name,
  );

  test.each([...users.keys()].filter((name) => !exempt.has(name)).sort())("%s", async (name) => {
    for (const { fixture } of users.get(name) ?? []) {
      for (const mistake of [mistakes.altered, mistakes.idle]) if (await notices(fixture, path, name, mistake)) return;
    }
    expect.fail(`no fixture of ${(users.get(name) ?? []).map(({ fixture }) => fixture.name).join(", ")} notices a mistake in it`);
  });
});

/** Filters of jq are compared with jq itself (test/laws/agree/jq.test.ts). */
const importsIn = (code: string): readonly FacadeName[] => calledBy(code).filter((name) => !name.startsWith("jq_"));

/** True when some request does not show what it should. */
async function notices(
  { name, scenario, code }: Fixture,
  path: Path,
  target: FacadeName,
  mistake: (original: unknown) => unknown,
): Promise<boolean> {
  const replace: Replace = (called, original) => {
    if (called !== target) return original;
    return called.endsWith("_prepare") ? brokenStage(original) : mistake(original);
  };
  const config = await evaluate(code[path], replace).catch(() => undefined);
  const place = stages.get(name);
  if (config === undefined || place === undefined) return true;
  // A run that never ends, or an answer that is none, is noticed, too.
  const performance = await place.perform({ config, HttpServer, startConfigs }).catch(() => undefined);
  if (performance === undefined) return true;
  const { requests, tables } = performance;
  const seen = scenario.requests.some((request, i) => {
    const shown = requests[i];
    if (shown === undefined) return true;
    const { expected, found } = judge(request, shown);
    return JSON.stringify(expected) !== JSON.stringify(found);
  });
  return seen || JSON.stringify(tables) !== JSON.stringify(scenario.database?.holds);
}
