import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { stateOf } from "#runtime/state/open.ts";
import { main } from "../../../compiler/cli/main.ts";
import { environmentOf } from "../../../compiler/cli/project.ts";
import { commandSettings } from "../../../compiler/cli/settings.ts";
import { ownState, stateFile } from "../../../compiler/cli/state-file.ts";
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

describe("the environment that is used", () => {
  const heard = async (isLive: boolean, ...args: readonly string[]): Promise<string> => {
    let err = "";
    const note = (text: string): void => {
      err += text;
    };
    const colors = { out: false, err: false };
    await main(args, { cwd: folder, out: () => undefined, err: note, isTerminal: isLive, isLive, colors, env: {} });
    return err;
  };

  test.each([["run place shop.yaml"], ["check shop.yaml"], ["generate shop.yaml"], ["test shop.yaml"], ["verify shop.yaml --runs 1"]])(
    "is said to people by %s, and to nobody else",
    async (command) => {
      withDevelopment();
      writeFileSync(join(folder, "shop.test.yaml"), "tests: [{ name: says where, interface: place }]\n");
      const words = command.split(" ");
      expect(await heard(true, ...words)).toContain("environment development by default; --env or PIPEWRIGHT_ENV chooses another\n");
      expect(await heard(false, ...words)).not.toContain("environment ");
      expect(await heard(true, ...words, "--env", "production")).toContain("environment production\n");
    },
  );
});

describe("the state of a project that names no database", () => {
  const file = (): string => stateFile(["shop.yaml"], folder) ?? "nowhere";

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

  test("is shared by two processes, and by paths of one folder", async () => {
    const hosts = await Promise.all(
      [["shop.yaml"], ["."]].map(async (paths) =>
        createHost({ ...(await readSettings(ownState(paths, {}, folder), {})), log: () => undefined }),
      ),
    );
    const [one, other] = hosts.map((host) => stateOf(host));
    const place = { namespace: "shop", key: "key" };
    await one?.set(place, "of the first", {});
    expect((await other?.get(place))?.value).toBe("of the first");
    await other?.set(place, "of the second", {});
    expect((await one?.get(place))?.value).toBe("of the second");
    for (const host of hosts) await host.close();
  });

  test("is nowhere with --ephemeral, nor where a link or something else stands in its place", () => {
    expect(ownState(["shop.yaml"], { ephemeral: true }, folder)).toEqual({});
    const [place, inside, elsewhere] = [join(folder, ".pipewright"), file(), join(folder, "elsewhere")];
    const kept = (): string | undefined => stateFile(["shop.yaml"], folder);
    expect(kept()).toBe(inside);
    writeFileSync(place, "");
    expect(kept()).toBeUndefined();
    rmSync(place);
    if (process.platform === "win32") return;
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, place);
    expect(kept()).toBeUndefined();
    rmSync(place);
    mkdirSync(place);
    // The project of another user leads to a file of this user.
    writeFileSync(join(elsewhere, "mine"), "mine", { mode: 0o644 });
    for (const target of [join(elsewhere, "mine"), join(elsewhere, "not-there")]) {
      symlinkSync(target, inside);
      expect(kept()).toBeUndefined();
      rmSync(inside);
    }
    expect([readdirSync(elsewhere), statSync(join(elsewhere, "mine")).mode & 0o777]).toEqual([["mine"], 0o644]);
    mkdirSync(inside);
    expect(kept()).toBeUndefined();
  });

  // Root may write to read-only files.
  test.skipIf(process.platform === "win32" || process.getuid?.() === 0)("is nowhere in a folder that is read-only", () => {
    chmodSync(folder, 0o500);
    expect(stateFile(["shop.yaml"], folder)).toBeUndefined();
    chmodSync(folder, 0o700);
    mkdirSync(join(folder, ".pipewright"), { mode: 0o500 });
    expect(stateFile(["shop.yaml"], folder)).toBeUndefined();
  });

  test.each([
    [{ PIPEWRIGHT_DATABASE_URL: "sqlite:other.db" }, undefined],
    [{ PIPEWRIGHT_STATE_DATABASE_URL: "sqlite:other.db" }, "sqlite:other.db"],
    [{ PIPEWRIGHT_CLUSTERED: "true" }, undefined],
    [{ PIPEWRIGHT_STATE_MAX_BYTES: "4096" }, undefined],
  ])("gives way to %j", async (outside, expected) => {
    const { env } = await readSettings({ stateFile: file() }, outside);
    expect(env.PIPEWRIGHT_STATE_DATABASE_URL).toBe(expected);
    expect(existsSync(join(folder, ".pipewright"))).toBe(false);
  });
});

describe("a variable of the environment", () => {
  test.each([
    ["PIPEWRIGHT_LOG_LEVLE", "PIPEWRIGHT_LOG_LEVEL"],
    ["PIPEWRIGHT_MAX_BODY", "PIPEWRIGHT_MAX_BODY_BYTES"],
    ["pipewright_env", "PIPEWRIGHT_ENV"],
  ])("%s is nearly a setting", async (name, meant) => {
    expect((await commandSettings({}, { [name]: "x" })).warnings).toEqual([`${name} is no setting (did you mean ${meant}?)`]);
  });

  test.each(["PIPEWRIGHT_LOG_LEVEL", "PIPEWRIGHT_OTEL_HDR_NAM", "PIPEWRIGHT_WORKER", "PIPEWRIGHT_OWN_THING", "OTHER"])(
    "%s is none",
    async (name) => {
      expect((await commandSettings({}, { [name]: "info" })).warnings).toEqual([]);
    },
  );
});
