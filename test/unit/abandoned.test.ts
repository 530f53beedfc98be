import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultLimits } from "#runtime/host.ts";
import { serving, ways } from "../packs/serving.ts";
import { type Stub, send, stub } from "./sockets.ts";

// A client that goes away is no error of the service (surfaces.md 1): what fails because nobody waits for it is told to who debugs.

const config = `
name: t
interfaces:
  slow:
    method: GET
    actions:
      - { name: Wrong, json_output: 1, assert: { tests: [{ value: a|Wrong|, is_equal_to: 2 }] } }
      - { name: Call, depends_on: [], http: { url: "a|env::SILENT|/" }, retry: { attempts: 3 } }
      - { name: Items, depends_on: [], lookup: a|params::i|, actions: [{ name: Call, http: { url: "a|env::SILENT|/" } }] }
      - { name: Bounded, depends_on: [], lookup: a|params::j|, item_timeout: 30s, actions: [{ name: Call, http: { url: "a|env::SILENT|/" }, timeout: 30s }] }
      - { name: Command, depends_on: [], command: { run: sleep 30 } }
      - { name: Waits, depends_on: [], delay: 30s }
      - { name: After, run_when_succeeded: [Call], json_output: 1 }
`;

let silent: Stub;
beforeEach(async () => {
  silent = await stub(() => undefined);
});
afterEach(() => silent.close());

const levels = (log: readonly string[]): string[] => log.map((line) => line.slice(0, line.indexOf("{")).trim());

test.each(ways)("what a client has left behind, %s", async (way) => {
  const env = { SILENT: silent.url, PIPEWRIGHT_ALLOW_COMMANDS: "true" };
  const service = await serving([{ file: "t.yaml", text: config }], way, { env });
  const gone = new AbortController();
  const asked = send(service.url, "/slow?i=1&i=2&j=3&j=4", { signal: gone.signal });
  await expect.poll(() => silent.seen.length).toBe(5);
  // Before it has gone an error is one.
  expect(levels(service.log)).toEqual(["info listening", "error PW904 a|Wrong|::is_equal_to: expected target 1 not equal to 2"]);
  gone.abort();
  await expect(asked).rejects.toThrow();
  await service.close();
  const said = levels(service.log).slice(2);
  expect(said[0]).toBe("debug client went away");
  expect(said.filter((line) => !line.startsWith("debug "))).toEqual([]);
  const cancelled = (code: string): string[] => said.filter((line) => line.startsWith(`debug ${code} `));
  // Call, and those of four items; the command; the delay and both loops.
  expect([cancelled("PW901"), cancelled("PW907"), cancelled("PW900")].map(({ length }) => length)).toEqual([5, 1, 3]);
});

test("a run whose time is up has failed", async () => {
  const env = { SILENT: silent.url, PIPEWRIGHT_ALLOW_COMMANDS: "true" };
  const limits = { limits: { ...defaultLimits, runTimeoutMs: 200 } };
  const service = await serving([{ file: "t.yaml", text: config }], "compiled", { env, ...limits });
  expect((await send(service.url, "/slow?i=1&i=2&j=3&j=4")).status).toBe(504);
  await service.close();
  expect(levels(service.log)).toContain("error PW901 http connect failed: cancelled");
});
