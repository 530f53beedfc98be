import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import { runIn } from "../../harness/terminal.ts";
import { type DurablePlace, durable, hashOf, minute, newRun, of } from "../../runtime/store/run-stores.ts";

// pipewright diff --runs: durable runs that the new version would not go on with.

const before = `name: shop
interfaces:
  approve:
    method: POST
    response: { http_code_on_error: 500 }
    actions:
      - { name: Mint, json_output: { token: a|uuid| } }
      - { name: Approval, wait_for_callback: { token: a|Mint::token|, timeout: 2d } }
      - { name: Refund, run_when_succeeded: [Approval], json_output: { done: 1 } }
  plain: { method: GET, actions: [{ name: One, json_output: 1 }] }
`;

/** Each change, and the words for it; undefined where every run goes on. */
const changes: readonly (readonly [string, string, string, string | undefined])[] = [
  ["a settled action", "a|uuid| }", "a|uuid|, more: 1 }", "old.yaml:7:17 (old): approve: runs that have not settled `Mint` cannot go on"],
  ["a wait", "timeout: 2d", "timeout: 3d", "old.yaml:8:17 (old): approve: runs that have not settled `Approval` cannot go on"],
  ["the last action", "done: 1", "done: 2", "old.yaml:9:17 (old): approve: runs that have not settled `Refund` cannot go on"],
  [
    "the response",
    "error: 500",
    "error: 502",
    "approve: runs under way (`response`, `assert`, `log` or what follows from them is changed) cannot go on",
  ],
  ["the name", "approve:", "consent:", "approve: runs under way (the interface is gone, or has another name) cannot go on"],
  ["places alone", "  approve:", "  # A comment.\n  approve:", undefined],
  ["an interface that is not durable", "json_output: 1 }", "json_output: 2 }", undefined],
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "diff-runs-"));
  writeFileSync(join(folder, "old.yaml"), before);
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (from: string, to: string): void => writeFileSync(join(folder, "new.yaml"), before.replace(from, to));
const diff = (env: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
  runIn(env, folder, "diff", "old.yaml", "new.yaml", "--fail-on", "breaking", ...flags);

const linesOf = (out: string): readonly string[] => out.split("\n").filter((line) => line.includes("cannot go on"));

describe("without a database", () => {
  test.each(changes)("%s is told in words", async (_, from, to, told) => {
    put(from, to);
    const { out } = await diff({}, "--runs");
    expect(linesOf(out)).toEqual(told === undefined ? [] : [expect.stringMatching(/^breaking /)]);
    if (told !== undefined) expect(out).toContain(told);
    expect(linesOf((await diff({})).out)).toEqual([]);
  });

  test("a manifest does not say how a run goes on", async () => {
    writeFileSync(join(folder, "new.yaml"), before);
    writeFileSync(join(folder, "m.json"), '{"format":2,"configs":[]}');
    const { status, err } = await runIn({}, folder, "diff", "m.json", "new.yaml", "--runs");
    expect([status, err]).toEqual([3, expect.stringContaining("a manifest does not say how a run goes on")]);
  });
});

describe.each(durable)("with the database $name", ({ open }) => {
  let place: DurablePlace;
  beforeEach(async () => {
    place = await open();
  });
  afterEach(() => place.close());

  const plans = planTexts([{ file: "old.yaml", text: before }]).plans[0]?.interfaces[0]?.keeps?.plans ?? [];

  let tokens = 1;

  /** Makes a run whose first open action has this number; at the second one it waits. */
  async function runAt(n: number, more: Partial<ReturnType<typeof newRun>> = {}): Promise<string> {
    const run = { ...newRun(), config: "shop", interface: "approve", plan: plans[n] ?? "", lease: of("a"), ...more };
    await place.node().create(run);
    const wait = { path: "Approval", tokenHash: hashOf(tokens++), until: 1_700_000_000_000 + 10_000 * minute };
    await place.node().checkpoint({ id: run.id, epoch: 1 }, [], n === 1 ? { wait, release: {} } : { release: {} });
    return run.id;
  }

  test("runs that would be left are named, at their actions, and no others", async () => {
    const env = { PIPEWRIGHT_DATABASE_URL: place.address };
    const [first, second] = [await runAt(0), await runAt(1)];
    for (const more of [{ config: "other" }, { interface: "else" }]) await runAt(1, more);
    await runAt(2);
    await runAt(3);
    const over = await runAt(1);
    await place.node().cancel(over);
    put("timeout: 2d", "timeout: 3d");
    const { status, out } = await diff(env, "--runs");
    expect(status).toBe(2);
    expect(linesOf(out).map((line) => line.replace(/^.*approve: /, ""))).toEqual([
      `1 run that has not settled \`Mint\` cannot go on: ${first}`,
      `1 run that has not settled \`Approval\` cannot go on: ${second}`,
    ]);
    const json = JSON.parse((await diff(env, "--runs", "--format", "json")).out);
    expect(json.differences[0]).toMatchObject({ severity: "breaking", facet: "runs", interface: "approve", side: "old", line: 7 });
    expect((await diff(env, "--runs", "--format", "markdown")).out).toContain(`cannot go on: ${second}`);
    put("a|uuid| }", "a|uuid|, more: 1 }");
    expect(linesOf((await diff(env, "--runs")).out)).toHaveLength(1);
  });

  test("of many runs some are named, and all counted", async () => {
    for (let i = 0; i < 12; i++) await runAt(1);
    put("timeout: 2d", "timeout: 3d");
    expect((await diff({ PIPEWRIGHT_DATABASE_URL: place.address }, "--runs")).out).toMatch(/12 runs that have not .*, and 2 more\n/);
  });
});
