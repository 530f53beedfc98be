import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultLimits } from "#runtime/process/host.ts";
import { ownFolder, recorded } from "../../harness/captured.ts";
import { type Got, type Stub, send, stub } from "../../harness/sockets.ts";
import { serving, ways } from "../../packs/played/serving.ts";

// A client that goes away is no error of the service (spec/surfaces 1 and 6): failures of its run are shown at level debug alone.

const config = `
name: t
on_error: { interface: handler }
interfaces:
  handler: { log: { msg: a failure was handled }, actions: [] }
  slow:
    method: POST
    capture: all
    mcp: { enabled: true }
    actions:
      - { name: Wrong, json_output: 1, assert: { tests: [{ value: a|Wrong|, is_equal_to: 2 }] } }
      - { name: Call, depends_on: [], http: { url: "a|env::SILENT|/" }, retry: { attempts: 3 } }
      - { name: Items, depends_on: [], lookup: a|body::i|, actions: [{ name: Call, http: { url: "a|env::SILENT|/" } }] }
      - { name: Bounded, depends_on: [], lookup: a|body::j|, item_timeout: 30s, actions: [{ name: Call, http: { url: "a|env::SILENT|/" }, timeout: 30s }] }
      - { name: Command, depends_on: [], command: { run: sleep 30 } }
      - { name: Waits, depends_on: [], delay: 30s }
      - { name: After, run_when_succeeded: [Call], json_output: 1 }
`;

let silent: Stub;
let folder: ReturnType<typeof ownFolder>;
beforeEach(async () => {
  folder = ownFolder();
  silent = await stub(() => undefined);
});
afterEach(async () => {
  await silent.close();
  folder.remove();
});

const levels = (log: readonly string[]): string[] => log.map((line) => line.slice(0, line.indexOf("{")).trim());

const body = { i: [1, 2], j: [3, 4] };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow", arguments: body } };
const post = (url: string, path: string, message: object, signal?: AbortSignal): Promise<Got> =>
  send(url, path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });

const triggers = [
  ["/slow", body],
  ["/mcp", call],
] as const;

test.each(triggers.flatMap(([path, message]) => ways.map((way) => [path, way, message] as const)))(
  "what a client of %s has left behind, %s",
  async (path, way, message) => {
    const env = { ...folder.env, SILENT: silent.url, PIPEWRIGHT_ALLOW_COMMANDS: "true" };
    const service = await serving([{ file: "t.yaml", text: config }], way, { env });
    const gone = new AbortController();
    const asked = post(service.url, path, message, gone.signal);
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
    expect(await recorded(folder.env)).toMatchObject([{ interface: "slow", status: 499, aborted: true }]);
  },
);

test("a run whose time is up has failed", async () => {
  const env = { SILENT: silent.url, PIPEWRIGHT_ALLOW_COMMANDS: "true" };
  const limits = { limits: { ...defaultLimits, runTimeoutMs: 200 } };
  const service = await serving([{ file: "t.yaml", text: config.replace("capture: all", "capture: off") }], "compiled", { env, ...limits });
  expect((await post(service.url, "/slow", body)).status).toBe(504);
  await service.close();
  expect(levels(service.log)).toContain("error PW901 http connect failed: cancelled");
});
