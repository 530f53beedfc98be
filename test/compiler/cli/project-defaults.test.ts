import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { stateOf } from "#runtime/state/open.ts";
import { environmentOf, stateFile } from "../../../compiler/cli/project.ts";
import { run } from "../../harness/terminal.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "defaults-"));
  mkdirSync(join(folder, "vars"));
  writeFileSync(
    join(folder, "shop.yaml"),
    "name: Shop\ninterfaces: { place: { output: cli, actions: [{ name: Said, json_output: a|var::PLACE| }] } }\n",
  );
  writeFileSync(join(folder, "vars", "production.yaml"), "PLACE: production\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const withDevelopment = (): void => writeFileSync(join(folder, "vars", "development.yaml"), "PLACE: development\n");
const said = async (...flags: readonly string[]): Promise<string> =>
  (await run(folder, "run", "place", "shop.yaml", "--raw", ...flags)).out;

describe("the environment of a command that was told none", () => {
  test("is development where there is a file of it, else production", async () => {
    expect(await said()).toContain("production");
    withDevelopment();
    expect(await said()).toContain("development");
    expect(await said("--env", "production")).toContain("production");
  });

  test("PIPEWRIGHT_ENV says otherwise", () => {
    withDevelopment();
    const terminal = { cwd: folder, env: { PIPEWRIGHT_ENV: "staging" }, colors: { out: false, err: false }, isTerminal: false };
    const silent = { ...terminal, out: () => undefined, err: () => undefined };
    expect(environmentOf(["."], {}, silent)).toBe("staging");
    expect(environmentOf(["shop.yaml"], {}, { ...silent, env: {} })).toBe("development");
    expect(environmentOf(["absent"], {}, { ...silent, env: {} })).toBe("production");
  });
});

describe("the state of a project that names no database", () => {
  const file = (): string => stateFile(["shop.yaml"], folder);

  test("is a private file in a private folder beside the configurations, and outlives a process", async () => {
    const place = { namespace: "shop", key: "key" };
    for (const before of [undefined, { value: 1 }]) {
      const settings = await readSettings({ stateFile: file() }, {});
      const host = createHost({ ...settings, log: () => undefined });
      const state = stateOf(host);
      expect((await state.get(place))?.value).toEqual(before?.value);
      await state.set(place, 1, {});
      await host.close();
    }
    if (process.platform === "win32") return;
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, ".pipewright")).mode & 0o777).toBe(0o700);
  });

  test.each([
    [{ PIPEWRIGHT_DATABASE_URL: "sqlite:other.db" }, undefined],
    [{ PIPEWRIGHT_STATE_DATABASE_URL: "sqlite:other.db" }, "sqlite:other.db"],
    [{ PIPEWRIGHT_CLUSTERED: "true" }, undefined],
  ])("gives way to %j", async (outside, expected) => {
    const { env } = await readSettings({ stateFile: file() }, outside);
    expect(env.PIPEWRIGHT_STATE_DATABASE_URL).toBe(expected);
    expect(existsSync(join(folder, ".pipewright"))).toBe(false);
  });
});
