import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enforcement } from "#runtime/enforce/enforcement.ts";
import { startConfigs } from "#runtime/start/fields.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { manifestToEnforce } from "../../../compiler/7-link/manifest.ts";
import { plannedFixture, printedFixture } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { wantedFixtures } from "../../harness/folders.ts";
import { judge } from "../../harness/judge.ts";
import { openedBy } from "../../harness/opened.ts";
import { type Linked, type Stage, stage } from "../../harness/performance.ts";
import { sampled } from "../../harness/rules/words.ts";
import { readScenario, type Scenario } from "../../harness/scenario.ts";

// Law: a configuration under the enforcement of its own manifest behaves as it does without a manifest. An access that the manifest leaves
// out would be refused here.

async function heldToItself(name: string, interpret: boolean): Promise<Linked> {
  const plan = plannedFixture(name);
  const { code, action_places = "{}" } = await printedFixture(name, { interpret });
  const places = JSON.stringify({ ...JSON.parse(action_places), file: `${name}.yaml` });
  const written = { ...(await evaluate(code)), action_places: places };
  const { configs, unmet } = enforcement("its own", manifestToEnforce(plan.plans))([written], undefined);
  const [config] = configs;
  if (config === undefined || unmet.length > 0) throw new Error(unmet.join("\n"));
  return { config, open: openedBy(HttpServer), startConfigs };
}

describe.each(sampled(wantedFixtures("interfaces"), 5))("%s", (name) => {
  let scenario: Scenario;
  let world: Stage;
  beforeAll(async () => {
    scenario = readScenario(name);
    world = await stage(scenario);
  });
  afterAll(() => world.close());

  test.each([
    ["printed", false],
    ["walked", true],
  ])("%s", async (_, interpret) => {
    const performance = await world.perform(await heldToItself(name, interpret));
    for (const [i, request] of scenario.requests.entries()) {
      const shown = performance.requests[i];
      if (shown === undefined) throw new Error("a request was not sent");
      const { expected, found } = judge(request, shown);
      expect.soft(found, request.name).toEqual(expected);
    }
    expect.soft(performance.tables).toEqual(scenario.database?.holds);
  });
});
