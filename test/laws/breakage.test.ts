import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startConfigs } from "#runtime/start/fields.ts";
import { HttpTrigger } from "#runtime/triggers/http.ts";
import { brokenStage, mistakes } from "../harness/broken.ts";
import { planned, printOne } from "../harness/compile.ts";
import { evaluate, type Replace } from "../harness/evaluate.ts";
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
const exempt: ReadonlySet<string> = new Set([
  "actions/database.ts ping",
  "state/open.ts stateAnswers",
  "triggers/schedule.ts schedules",
  "realtime/settings.ts channelNeeds",
]);

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

/** `values.ts at`: the file and the exported name. */
function importsIn(code: string): readonly string[] {
  return [...code.matchAll(/^import \{([^}]*)\} from "#runtime\/(.*)";$/gm)].flatMap(([, names = "", file = ""]) =>
    [...names.matchAll(/(\w+)(?: as \w+)?/g)].map(([, exported = ""]) => `${file} ${exported}`),
  );
}

/** True when some request does not show what it should. */
async function notices(
  { name, scenario, code }: Fixture,
  path: Path,
  target: string,
  mistake: (original: unknown) => unknown,
): Promise<boolean> {
  const replace: Replace = (file, exported, original) => {
    if (`${file} ${exported}` !== target) return original;
    return exported === "prepare" ? brokenStage(original) : mistake(original);
  };
  const config = await evaluate(code[path], replace).catch(() => undefined);
  const place = stages.get(name);
  if (config === undefined || place === undefined) return true;
  // A run that never ends, or an answer that is none, is noticed, too.
  const performance = await place.perform({ config, HttpTrigger, startConfigs }).catch(() => undefined);
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
