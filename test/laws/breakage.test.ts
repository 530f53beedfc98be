import { afterAll, describe, expect, test } from "vitest";
import type { FacadeName } from "#generated/facade.ts";
import { startConfigs } from "#runtime/start/fields.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { brokenStage, mistakes } from "../harness/broken.ts";
import { printedFixture } from "../harness/compile.ts";
import { calledBy, evaluate, type Replace } from "../harness/evaluate.ts";
import { fixturesOf, wantedFixtures } from "../harness/folders.ts";
import { judge } from "../harness/judge.ts";
import { openedBy } from "../harness/opened.ts";
import { type Stage, stage } from "../harness/performance.ts";
import { namesWanted, sampled } from "../harness/rules/words.ts";
import { readScenario, type Scenario } from "../harness/scenario.ts";

// Law `breakage`: for each function of the runtime that printed modules import, a fixture of the interfaces fails when the function is
// broken. So every function with a meaning has a fixture, and the comparison of `agree` is effective. `npm test` breaks only some of the
// functions.

interface Fixture {
  readonly name: string;
  readonly scenario: Scenario;
  /** The text of the module on each path. */
  readonly code: Readonly<Record<Path, string>>;
}

type Path = "print" | "walk";

/**
 * Functions whose mistakes no request of a fixture shows: `/readyz` checks databases and the store, a clock starts schedules, durable runs
 * come from another process, and some checks run only at the start (test/runtime/state/state.test.ts,
 * test/runtime/triggers/schedule.slow.test.ts, test/runtime/triggers/ws/ws-publish.slow.test.ts, test/runtime/durable).
 */
const exempt: ReadonlySet<FacadeName> = new Set(["ping", "stateAnswers", "schedules", "channelsOf", "durableRuns", "messageBus"]);

const fixtures = new Map<string, Promise<Fixture>>();

/** A fixture, compiled on first use: `npm run case` needs the other fixtures only when no selected one notices a mistake. */
function fixtureOf(name: string): Promise<Fixture> {
  const fixture = fixtures.get(name) ?? compiled(name);
  fixtures.set(name, fixture);
  return fixture;
}

async function compiled(name: string): Promise<Fixture> {
  const [print, walk] = [await printedFixture(name), await printedFixture(name, { interpret: true })];
  return { name, scenario: readScenario(name), code: { print: print.code, walk: walk.code } };
}

/** Fixtures whose requests take long come last: nearly every mistake is noticed by one of the others. */
const slow: readonly string[] = ["commands", "jq", "nested-transforms", "documents", "long-patterns"];
const lastSlow = (names: readonly string[]): readonly string[] => names.toSorted((a, b) => slow.indexOf(a) - slow.indexOf(b));

const wanted = await Promise.all(lastSlow(wantedFixtures("interfaces")).map(fixtureOf));
const others = fixturesOf("interfaces").filter((name) => !wanted.some((fixture) => fixture.name === name));

/**
 * Features that `npm run case` selects. When it selects an interface, the list is empty, and all functions that the interface calls are
 * broken.
 */
const features = ["transforms", "matchers", "actions"].flatMap(namesWanted);
const counts = (name: FacadeName): boolean =>
  !exempt.has(name) && (features.length === 0 || features.some((feature) => name === feature || name === `${feature}_prepare`));

const stages = new Map<string, Promise<Stage>>();
function stageOf({ name, scenario }: Fixture): Promise<Stage> {
  const place = stages.get(name) ?? stage(scenario);
  stages.set(name, place);
  return place;
}
afterAll(async () => {
  for (const each of stages.values()) await (await each).close();
});

describe.each(["print", "walk"] as const)("%s", (path) => {
  const names = new Set(wanted.flatMap((fixture) => importsIn(fixture.code[path])));

  test.each(sampled([...names].filter(counts).sort(), 10))("%s", async (name) => {
    for (const fixture of wanted) if (await notices(fixture, path, name)) return;
    for (const other of others) if (await notices(await fixtureOf(other), path, name)) return;
    expect.fail("no fixture notices a mistake in it");
  });
});

/** Filters of jq are compared with jq itself (test/laws/agree/jq.slow.test.ts). */
const importsIn = (code: string): readonly FacadeName[] => calledBy(code).filter((name) => !name.startsWith("jq_"));

/** True when the fixture calls the function, and the result of some request is wrong while the function is broken. */
async function notices(fixture: Fixture, path: Path, target: FacadeName): Promise<boolean> {
  if (!importsIn(fixture.code[path]).includes(target)) return false;
  return (await isNoticed(fixture, path, target, mistakes.altered)) || (await isNoticed(fixture, path, target, mistakes.idle));
}

async function isNoticed(fixture: Fixture, path: Path, target: FacadeName, mistake: (original: unknown) => unknown): Promise<boolean> {
  const { scenario, code } = fixture;
  const replace: Replace = (called, original) => {
    if (called !== target) return original;
    return called.endsWith("_prepare") ? brokenStage(original) : mistake(original);
  };
  const config = await evaluate(code[path], replace).catch(() => undefined);
  if (config === undefined) return true;
  const place = await stageOf(fixture);
  // A run that never ends, or an invalid response, counts as noticed, too.
  const performance = await place.perform({ config, open: openedBy(HttpServer), startConfigs }).catch(() => undefined);
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
