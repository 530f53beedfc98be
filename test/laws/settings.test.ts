import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { main } from "../../compiler/cli/main.ts";
import { commandFlags } from "../../compiler/cli/serving-flags.ts";
import { createHost } from "../../runtime/process/host.ts";
import { flagLines, flags } from "../../runtime/process/settings/flags.ts";
import { parseFlags, readSettings, type Settings } from "../../runtime/process/settings/options.ts";
import type { VariableRecord } from "../../runtime/process/settings/variable-record.ts";
import { variables } from "../../runtime/process/settings/variables.ts";
import { settingsOf as mqttSettings } from "../../runtime/triggers/mqtt/settings.ts";
import { wsSettings } from "../../runtime/triggers/ws/settings.ts";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `settings`: every variable that a process reads and every flag that it takes is in the reference, and the reference is right about
// them.

const records: Readonly<Record<string, VariableRecord>> = variables;
const names = Object.keys(records);

/** A variable for a header of traces; the operator chooses the end of its name. */
const chosen = "PIPEWRIGHT_OTEL_HDR_NAME";
/**
 * Variables that are no settings: the service sets the first for its workers, and the second is read only to warn that it has no effect.
 */
const notSettings = ["PIPEWRIGHT_WORKER", "PIPEWRIGHT_CAPTURE"];

describe("variables", () => {
  const sources = sourceFiles("{runtime,compiler}/**/*.ts").filter((file) => !file.endsWith("/settings/variables.ts"));
  const read = new Set(
    sources.flatMap((file) => [...readFileSync(new URL(file, root), "utf8").matchAll(readName)].map(([, name = ""]) => name)),
  );

  it("that a source reads are in the list", () => {
    expect([...read].filter((name) => !names.includes(name) && !notSettings.includes(name))).toEqual([]);
  });

  it("of the list are read", () => {
    expect(names.filter((name) => !read.has(name) && name !== chosen)).toEqual([]);
  });

  test.each(Object.entries(records))("%s says what it means", (_, { meaning, example, preset }) => {
    expect(meaning).toMatch(/^[A-Z].{15,}\.$/);
    expect(String(preset)).not.toBe(example);
  });

  it("change nothing where they say what holds without them", async () => {
    const presets = Object.fromEntries(
      Object.entries(records).flatMap(([name, { preset }]) => (preset === undefined ? [] : [[name, String(preset)]])),
    );
    expect(Object.keys(presets).length).toBeGreaterThan(20);
    // Without an API key the admin API is off, and settings of its address would cause a warning.
    const keys = { PIPEWRIGHT_API_KEYS: "k".repeat(16) };
    expect(plain(await readSettings({}, { ...keys, ...presets }))).toEqual(plain(await readSettings({}, keys)));
    for (const settings of [wsSettings, (host: ReturnType<typeof createHost>) => mqttSettings(host, [])])
      expect(settings(createHost({ env: presets }))).toEqual(settings(createHost({ env: {} })));
  });

  test.each(Object.entries(records))("%s has an example that is taken", async (name, { example }) => {
    const { unmet } = await readSettings({}, { [name]: example });
    // Problems about files that examples name are ignored, because these files do not exist.
    expect(unmet.filter((problem) => !problem.includes(example.replace(/^file:/, "")))).toEqual([]);
    const mqtt: string[] = [];
    mqttSettings(createHost({ env: { [name]: example } }), mqtt);
    expect([...mqtt, ...wsSettings(createHost({ env: { [name]: example } })).problems]).toEqual([]);
  });

  test.each(Object.entries(records))("%s is readable for configurations unless it is a secret", (name, { secret }) => {
    expect(createHost({ env: {} }).readable(name)).toBe(secret !== true);
  });
});

describe("flags", () => {
  const withValues = Object.entries(flags).filter(([, { type }]) => type === "string");

  it("change nothing where they say what holds without them", async () => {
    const { address, port, workers } = flags;
    const given = parseFlags([
      "--address",
      address.preset,
      "--port",
      port.preset,
      "--workers",
      workers.preset,
      "--log-level",
      flags["log-level"].preset,
    ]);
    expect(plain(await readSettings(given, {}))).toEqual(plain(await readSettings({}, {})));
  });

  it("stand in the help of an executable, a line each", () => {
    const lines = flagLines(flags);
    for (const [name, { meaning }] of Object.entries(flags))
      expect(lines).toMatch(new RegExp(`^ {2}--${name}\\b[\\s\\S]*?${meaning.slice(0, 20)}`, "m"));
    expect(withValues.length).toBeGreaterThan(5);
  });

  it("of serve are those of the lists", async () => {
    const text = await helpOf("serve");
    const listed = [...text.matchAll(/^ {2}(?:-h, )?--([a-z-]+)/gm)].map(([, name = ""]) => name);
    const { healthcheck: _, version: __, ...served } = flags;
    expect(listed.sort()).toEqual([...new Set([...Object.keys(served), ...Object.keys(commandFlags)])].sort());
  });
});

/** Names of our variables where a source reads them: in quotes, or as a member of the environment. */
const readName = /(?:["'`]|\benv\.|\{ )(PIPEWRIGHT_[A-Z][A-Z_]*[A-Z])\b/g;

/** Settings without the facts about their sources, such as `chosen`: these differ when a variable is set to its default. */
function plain({ env: _, metricsBind, admin, ...settings }: Settings): object {
  return { ...settings, metricsBind: { ...metricsBind, chosen: false }, admin: { ...admin, bind: { ...admin.bind, chosen: false } } };
}

async function helpOf(command: string): Promise<string> {
  let text = "";
  const write = (part: string): void => {
    text += part;
  };
  const terminal = { cwd: "/", out: write, err: write, isTerminal: false, colors: { out: false, err: false }, env: {} };
  expect(await main([command, "--help"], terminal)).toBe(0);
  return text;
}
