import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chromium, startBrowser } from "../../harness/browser.ts";
import { type Got, type Sent, send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// The console of `pipewright dev` (spec/surfaces 21): its contents, and its rules for writing a fix.

const right = "name: t\ninterfaces:\n  a: { method: GET, capture: all, actions: [{ name: A, json_output: [1] }] }\n";
const wrong = right.replace("json_output", "json_outptu");

let folder: string;
let child: ChildProcess;
let url = "";
let said = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-dev-console-"));
  writeFileSync(join(folder, "t.yaml"), right);
  const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
  child = spawn(process.execPath, [bin, "dev", ".", "--port", "0"], {
    cwd: folder,
    env: { PATH: process.env.PATH, PIPEWRIGHT_METRICS_BIND: "off", PIPEWRIGHT_ADMIN_BIND: "off" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  await until(() => expect(said).toContain('"msg":"listening"'));
  url = /"url":"([^"]+)","environment"/.exec(said)?.[1] ?? "";
});
afterAll(() => {
  child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const ask = (path: string, sent?: Sent): Promise<Got> => send(url, path, sent);
const file = (): string => readFileSync(join(folder, "t.yaml"), "utf8");
const save = (text: string): void => writeFileSync(join(folder, "t.yaml"), text);
const place = { code: "PW110", file: "t.yaml", line: 3, column: 56 };

const fix = async (headers: Readonly<Record<string, string>>, wanted: unknown = place): Promise<number> =>
  (
    await ask("/_pipewright/fix", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(wanted),
    })
  ).status;

const broken = (): Promise<void> =>
  until(async () => expect(JSON.parse((await ask("/_pipewright/dev.json")).text)).toMatchObject({ isBroken: true, diagnostics: [place] }));

const tokenOf = async (): Promise<string> => /name="token" content="([\w-]{32})"/.exec((await ask("/_pipewright/dev")).text)?.[1] ?? "";

test("shows the version that is served, also while the files are broken", async () => {
  expect((await ask("/a")).status).toBe(200);
  expect(JSON.parse((await ask("/_pipewright/api/v1/map")).text)).toMatchObject({ interfaces: [{ interface: "a", served: true }] });
  await until(async () => expect(JSON.parse((await ask("/_pipewright/api/v1/runs")).text).runs).toHaveLength(1));
  expect(JSON.parse((await ask("/_pipewright/api/v1/figures")).text)).toMatchObject({ interfaces: [{ interface: "a", runs: 1 }] });
  save(wrong);
  await broken();
  expect(JSON.parse((await ask("/_pipewright/api/v1/interface?config=t&interface=a")).text).yaml.lines).toEqual([right.split("\n")[2]]);
});

test("no page of another site, no name of another host and nobody without the token writes a fix", async () => {
  save(wrong);
  await broken();
  const token = await tokenOf();
  expect(token).toHaveLength(32);
  expect(await fix({})).toBe(403);
  expect(await fix({ "x-pipewright-token": `${token.slice(1)}x` })).toBe(403);
  expect(await fix({ "x-pipewright-token": token, "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await fix({ "x-pipewright-token": token, host: "evil.example" })).toBe(404);
  expect((await ask("/_pipewright/dev", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
  expect((await ask("/_pipewright/api/v1/map", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
  for (const wanted of [null, [], { ...place, line: "3" }, { ...place, file: 7 }, "x"])
    expect([wanted, await fix({ "x-pipewright-token": token }, wanted)]).toEqual([wanted, 400]);
  // Only what the compiler has proposed is written, wherever a request points.
  for (const wanted of [
    { ...place, file: "../../etc/passwd" },
    { ...place, column: 1 },
    { ...place, code: "PW999" },
  ])
    expect(await fix({ "x-pipewright-token": token }, wanted)).toBe(409);
  expect(await fix({ "x-pipewright-token": token }, { ...place, more: "x".repeat(5_000) })).toBe(413);
  expect(file()).toBe(wrong);
});

test("only the page itself orders something of a durable run", async () => {
  const order = async (headers: Readonly<Record<string, string>>, name: string, body: string): Promise<number> => {
    const path = `/_pipewright/api/v1/durable-runs/00000000-0000-4000-8000-000000000001/${name}`;
    return (await ask(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body })).status;
  };
  const token = { "x-pipewright-token": await tokenOf() };
  expect(await order({}, "cancel", "null")).toBe(403);
  expect(await order({ ...token, "sec-fetch-site": "cross-site" }, "cancel", "null")).toBe(403);
  expect(await order(token, "resume", "{")).toBe(400);
  expect(await order(token, "drop", "null")).toBe(404);
  expect(await order(token, "cancel", "null")).toBe(404);
});

test("a fix is written into the file as it was looked at, with its rights, and served", async () => {
  save(wrong);
  chmodSync(join(folder, "t.yaml"), 0o600);
  await broken();
  expect(await fix({ "x-pipewright-token": await tokenOf() })).toBe(200);
  expect(file()).toBe(right);
  expect(statSync(join(folder, "t.yaml")).mode & 0o777).toBe(0o600);
  await until(async () => expect(JSON.parse((await ask("/_pipewright/dev.json")).text).isBroken).toBe(false));
  expect(await fix({ "x-pipewright-token": await tokenOf() })).toBe(409);
});

/** A configuration whose first gate never closes. No test runs its last action. */
const gated = `name: t
interfaces:
  a:
    method: GET
    route: /a/:n
    actions:
      - { name: A, json_output: [1] }
      - name: B
        run_when_succeeded: [A]
        json_output: [2]
      - name: C
        run_when_failed: [A]
        json_output: [3]
`;
const tests = `tests:
  - { name: answers, interface: a, given: { params: { n: "1" } }, expect: { status: 200 } }
  - { name: is wrong, interface: a, given: { params: { n: "1" } }, expect: { status: 404 } }
`;

const runTests = async (headers: Readonly<Record<string, string>>): Promise<Got> =>
  ask("/_pipewright/tests", { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "null" });

const served = (version: (state: { version: number; isBroken: boolean }) => unknown): Promise<unknown> =>
  until(async () => version(JSON.parse((await ask("/_pipewright/dev.json")).text)));

test("tests are run for the page alone, and what they come by belongs to the lines that were tested", async () => {
  save(gated);
  await until(async () => expect((await ask("/a/1")).status).toBe(200));
  const coverage = async (): Promise<unknown> => JSON.parse((await ask("/_pipewright/coverage?config=t&interface=a")).text).covered;
  expect(await coverage()).toBeNull();
  const token = { "x-pipewright-token": await tokenOf() };
  expect((await runTests({})).status).toBe(403);
  expect((await runTests({ ...token, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect(JSON.parse((await runTests(token)).text)).toMatchObject({ passed: 0, problem: expect.stringContaining("There are no tests") });
  writeFileSync(join(folder, "t.test.yaml"), tests);
  const [run, other] = (await Promise.all([runTests(token), runTests(token)])).map(({ text }) => JSON.parse(text));
  expect(run).toMatchObject({ passed: 1, failed: 1, skipped: 0, failures: [{ name: "is wrong", interface: "a" }] });
  expect(other).toEqual(run);
  expect(await coverage()).toMatchObject({
    isStale: false,
    actions: { A: 2, B: 2, C: 0 },
    lines: [
      { line: 7, state: "all", missing: [] },
      { line: 8, state: "part", missing: ["its gate never closes"] },
      { line: 11, state: "part", missing: ["never runs"] },
    ],
  });
  expect((await ask("/_pipewright/coverage?config=t&interface=a", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
  expect(JSON.parse((await ask("/_pipewright/coverage?config=t&interface=none")).text)).toEqual({ covered: null });
  // A broken test is said, and what was measured before stays.
  writeFileSync(join(folder, "t.test.yaml"), tests.replace("status: 404", "stauts: 404"));
  expect(JSON.parse((await runTests(token)).text).problem).toContain("stauts");
  expect(await coverage()).toMatchObject({ actions: { A: 2 } });
  save(gated.replace("[2]", "[2, 2]"));
  await until(async () => expect(await coverage()).toMatchObject({ isStale: true }));
  writeFileSync(join(folder, "t.test.yaml"), tests);
});

test("the last save is told as the printed lines that it has changed", async () => {
  const changes = async (): Promise<{ lines: { kind: string; text: string }[] }[]> =>
    JSON.parse((await ask("/_pipewright/changes")).text).modules;
  save(gated.replace("[3]", "[3, 3]"));
  await until(async () => expect(JSON.stringify(await changes())).toContain("[3, 3]"));
  save(gated);
  await until(async () => {
    const [module] = await changes();
    const told = module?.lines.flatMap(({ kind, text }) => (kind === "same" ? [] : [`${kind} ${text.trim()}`]));
    expect(told).toEqual([expect.stringMatching(/^removed .*\[3, 3\]/), expect.stringMatching(/^added .*\[3\]/)]);
  });
  // A text that does not compile is not served, and changes nothing.
  const before = await changes();
  save(gated.replace("json_output", "json_outptu"));
  await served(({ isBroken }) => expect(isBroken).toBe(true));
  expect(await changes()).toEqual(before);
  expect((await ask("/_pipewright/changes", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
});

const binary = chromium();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test.skipIf(binary === undefined).each([
  ["light", 1280],
  ["dark", 390],
] as const)("in a browser, %s at %i: tests paint lines and graph, the last save is shown, and axe finds nothing", async (scheme, width) => {
  // The last save adds the action C.
  save(gated.slice(0, gated.indexOf("      - name: C")));
  await until(async () => expect((await ask("/_pipewright/api/v1/interface?config=t&interface=a")).text).not.toContain('"name":"C"'));
  save(gated);
  await until(async () => expect((await ask("/_pipewright/api/v1/interface?config=t&interface=a")).text).toContain('"name":"C"'));
  const browser = await startBrowser(binary ?? "");
  try {
    const page = await browser.open(`${url}/_pipewright/dev#/interface/t/a`, { width, height: 900, scheme });
    const count = (selector: string): Promise<unknown> => page.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
    const clean = async (): Promise<void> => {
      await page.evaluate(axe);
      const found = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]))",
      );
      expect(found).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")).toBe(false);
    };
    await until(async () => expect(await count(".tests button")).toBe(1));
    await page.evaluate('document.querySelector(".tests button").click()');
    await until(async () =>
      expect(await page.evaluate('document.querySelector(".tests [role=status]").textContent')).toBe("1 failed, 1 test passed"),
    );
    await until(async () => expect(await count(".lines .covered-part")).toBe(2));
    expect([await count(".lines .covered-all"), await count(".action.tested"), await count(".action.never")]).toEqual([1, 2, 1]);
    expect(await page.evaluate('document.querySelector(".action.never title").textContent')).toContain("no test runs it");
    await clean();
    await page.evaluate('location.hash = "#/problems"');
    await until(async () => expect(await page.evaluate('document.querySelector(".diff .added")?.textContent')).toMatch(/^\+ /));
    await clean();
    expect(page.faults).toEqual([]);
  } finally {
    await browser.close();
  }
});

test.skipIf(binary === undefined)("in a browser: a problem, its button, and the form that asks the interface", async () => {
  save(wrong);
  await broken();
  const browser = await startBrowser(binary ?? "");
  try {
    const page = await browser.open(`${url}/_pipewright/dev#/problems`, { width: 1280, height: 900 });
    await until(async () => expect(await page.evaluate('document.querySelector(".finding")?.textContent')).toContain("json_outptu"));
    await page.evaluate('document.querySelector(".finding button").focus()');
    await page.press("Enter");
    await until(() => expect(file()).toBe(right));
    await until(async () => expect(await page.evaluate('document.querySelector(".lead").textContent')).toContain("Nothing is wrong"));
    await page.evaluate('location.hash = "#/interface/t/a"');
    await until(async () => expect(await page.evaluate('document.querySelector(".try button")?.textContent')).toBe("Send GET"));
    await page.evaluate('document.querySelector(".try button").click()');
    await until(async () => expect(await page.evaluate('document.querySelector("[role=status] .status")?.textContent')).toBe("200"));
    expect(page.faults).toEqual([]);
    expect(page.asked.filter((address) => !address.startsWith(url) && !address.startsWith("data:"))).toEqual([]);
  } finally {
    await browser.close();
  }
});
