import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createHost, type Host, type Limits } from "#runtime/process/host.ts";
import type { Interface } from "#runtime/run/interface.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { configOf, type Got, type Sent, send, served } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";

// `respond: early` over real sockets (spec/language 7.7, spec/surfaces 1): the cap, the end of the process, callers that go away.

interface Serving {
  readonly ask: (path: string, options?: Sent) => Promise<Got>;
  readonly host: Host;
  readonly trigger: HttpServer;
  readonly logged: string[];
}

const open: Serving[] = [];
afterEach(async () => {
  for (const { trigger, host } of open.splice(0)) {
    await trigger.drain(0, 0);
    await host.close();
  }
});

async function serving(limits: Partial<Limits>, ...interfaces: readonly Interface[]): Promise<Serving> {
  const logged: string[] = [];
  const host = createHost({ env: {}, limits, log: (level, msg) => void logged.push(`${level} ${msg}`) });
  const trigger = new HttpServer({ host, configs: [configOf(...interfaces)], unmet: async () => [] });
  const url = await trigger.listen("127.0.0.1", 0);
  const one = { ask: (path: string, options?: Sent) => send(url, path, { method: "POST", ...options }), host, trigger, logged };
  open.push(one);
  return one;
}

/** Answers early, and goes on until it is told to end. */
function job(): { readonly target: Interface; readonly steps: string[]; readonly end: () => void } {
  const steps: string[] = [];
  const ends: (() => void)[] = [];
  const base = served("POST", "/job", () => null);
  const target: Interface = {
    ...base,
    respond: "early",
    run: (cx) => {
      if (!cx.admit()) return;
      cx.act("A", {}, async (act) => {
        steps.push("begins");
        await Promise.race([
          new Promise<void>((resolve) => ends.push(resolve)),
          new Promise((_, reject) => act.signal.addEventListener("abort", () => reject(new Error("aborted")))),
        ]).catch(() => steps.push("aborted"));
        steps.push("ends");
        return null;
      });
    },
  };
  return { target, steps, end: () => ends.shift()?.() };
}

test("the caller is answered while the run goes on, also when it goes away", async () => {
  const { target, steps, end } = job();
  const { ask } = await serving({ runTimeoutMs: 30 }, target);
  const { status, headers, text } = await ask("/job", { agent: false });
  expect(status).toBe(202);
  expect(JSON.parse(text)).toEqual({ accepted: true, request_id: headers["x-request-id"] });
  // Neither a closed connection nor the time limit of a run in the foreground ends it.
  await sleep(80);
  expect(steps).toEqual(["begins"]);
  end();
  await until(() => expect(steps).toEqual(["begins", "ends"]));
});

test("over the cap a run is refused and never begins; a place is free again when a run is over", async () => {
  const { target, steps, end } = job();
  const { ask } = await serving({ maxDetachedRuns: 2 }, target);
  expect([(await ask("/job")).status, (await ask("/job")).status]).toEqual([202, 202]);
  const refused = await ask("/job");
  expect([refused.status, refused.text, refused.headers["retry-after"]]).toEqual([429, '{"error":"too_many_detached_runs"}', "1"]);
  expect(steps).toEqual(["begins", "begins"]);
  end();
  await until(async () => expect((await ask("/job")).status).toBe(202));
  expect((await ask("/job")).status).toBe(429);
  end();
  end();
});

test("with a cap of 0 none begins", async () => {
  const { target } = job();
  const { ask } = await serving({ maxDetachedRuns: 0 }, target);
  expect((await ask("/job")).status).toBe(429);
});

test("a bug after the answer frees the place, and the answer stands", async () => {
  const base = served("POST", "/bug", () => null);
  const bug: Interface = {
    ...base,
    respond: "early",
    run: (cx) => {
      cx.admit();
      throw new Error("a bug");
    },
  };
  const { ask, logged } = await serving({ maxDetachedRuns: 1 }, bug);
  expect([(await ask("/bug")).status, (await ask("/bug")).status]).toEqual([202, 202]);
  expect(logged).toEqual(["critical unexpected error in a run", "critical unexpected error in a run"]);
});

test("a shutdown waits for what goes on", async () => {
  const { target, steps, end } = job();
  const { ask, trigger, host, logged } = await serving({}, target);
  await ask("/job", { agent: false });
  setTimeout(end, 50);
  expect(await trigger.drain(0, alarm)).toBe(true);
  expect(steps).toEqual(["begins", "ends"]);
  await host.close();
  expect(logged).toEqual(["info detached run ended"]);
});

test("and cuts it short when the grace is over", async () => {
  const { target, steps } = job();
  const { ask, trigger, host, logged } = await serving({}, target);
  await ask("/job", { agent: false });
  expect(await trigger.drain(0, 50)).toBe(false);
  await host.close();
  await until(() => expect(steps).toEqual(["begins", "aborted", "ends"]));
  expect(logged[0]).toBe("warn run aborted by the end of the process");
});
