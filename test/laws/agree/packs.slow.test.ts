import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConfigPlan } from "#runtime/plan/index.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { Request } from "#runtime/run/received.ts";
import { printAll } from "../../../compiler/pipeline.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { offlineHost } from "../../harness/offline-host.ts";
import { acceptedPacks } from "../../harness/packs.ts";
import { requestsOf } from "../../harness/requests-of.ts";
import { type Once, runOnce } from "../../harness/run-once.ts";
import { type Stub, stub } from "../../harness/sockets.ts";

// Each example pack that `check` accepts behaves equally printed and walked, for requests with values for all names that its interfaces
// read.

/** The answer of every service. */
const answer = JSON.stringify({ ok: true, id: "id-1", data: [{ id: 1, name: "one" }] });

let services: Stub;
beforeAll(async () => {
  services = await stub((response) => {
    response.sendDate = false;
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
});
afterAll(() => services.close());

const packs = acceptedPacks();

test("there are packs, or no folder of them", () => {
  expect(packs.map(({ name }) => name)).toEqual([...new Set(packs.map(({ name }) => name))]);
});

for (const { name, planned } of packs) {
  describe(name, () => {
    test.each(planned.plans.map((plan, i) => [plan.name, i] as const))("%s", async (_, i) => {
      const plan = planned.plans[i];
      if (plan === undefined) return;
      const printed = await configOf(planned, i, false);
      const walked = await configOf(planned, i, true);
      for (const target of plan.interfaces) {
        for (const request of requestsOf(target)) {
          const label = `${target.name} ${JSON.stringify(request)}`;
          expect(await shown(printed, plan, target.name, request), label).toEqual(await shown(walked, plan, target.name, request));
        }
      }
    });
  });
}

async function configOf(planned: Parameters<typeof printAll>[0], i: number, interpret: boolean): Promise<Config> {
  const modules = await printAll(planned, { interpret });
  const module = modules[i];
  if (module === undefined) throw new Error("a config was not printed");
  return evaluate(module.code);
}

interface Shown extends Omit<Once, "order"> {
  readonly calls: Stub["seen"];
  readonly log: readonly string[];
}

/** Runs one request. Calls and log records are sorted, because actions that run in parallel make them in any order. */
async function shown(config: Config, plan: ConfigPlan, target: string, request: Partial<Request>): Promise<Shown> {
  const log: string[] = [];
  services.seen.length = 0;
  const options = { env: environment(plan), log: (level: string, msg: string) => log.push(`${level} ${msg}`) };
  const host = offlineHost(options, Number(new URL(services.url).port));
  try {
    const { reply, outcomes } = await runOnce(config, target, request, host);
    return { reply, outcomes, calls: services.seen.toSorted(by(({ path, body }) => `${path} ${body}`)), log: log.toSorted() };
  } finally {
    await host.close();
  }
}

/** A value for every variable that the config reads: an unreachable database, an address, or a text. */
function environment({ needs }: ConfigPlan): Record<string, string> {
  return Object.fromEntries(
    needs.env.map((name) => {
      if (/DATABASE|DB|CONN/.test(name)) return [name, "postgres://user:pass@127.0.0.1:1/none"];
      return [name, /URL|HOST/.test(name) ? "http://service.test" : `value of ${name}`];
    }),
  );
}

function by<V>(key: (value: V) => string): (a: V, b: V) => number {
  return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}
