import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { main } from "../../../compiler/cli/main.ts";
import type { Ended } from "../../harness/terminal.ts";

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((key) => key.toString("base64"));
const canary = "canary-61c2e0";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-vars-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `pipewright vars …` in the folder, with this master key. */
async function vars(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = { PIPEWRIGHT_MASTER_KEY: first },
): Promise<Ended> {
  const said = { out: "", err: "" };
  const to = (stream: keyof typeof said) => (text: string) => {
    said[stream] += text;
  };
  const status = await main(["vars", ...args], {
    cwd: folder,
    isTerminal: false,
    colors: { out: false, err: false },
    env,
    out: to("out"),
    err: to("err"),
  });
  return { status, ...said };
}

const path = (slot: string): string => join(folder, "vars", `${slot}.yaml`);
const text = (slot = "production"): string => readFileSync(path(slot), "utf8");

function given(slot: string, content: string): void {
  mkdirSync(join(folder, "vars"), { recursive: true });
  writeFileSync(path(slot), content);
}

/** A process that serves with these files. */
async function host(
  env: Readonly<Record<string, string>>,
  environment = "production",
  ...slots: string[]
): Promise<{ host: Host; warnings: readonly string[] }> {
  const settings = await readSettings({ env: environment, vars: (slots.length > 0 ? slots : [environment]).map(path) }, env);
  return { host: createHost(settings), warnings: settings.warnings };
}

const production = ["--env", "production"];

describe("set and get", () => {
  test("plain values, with the comments of the file", async () => {
    given("production", "# who we are\nNAME: old # for now\nOTHER: [1, 2]\n");
    expect(await vars(["set", "NAME", "new", ...production])).toMatchObject({ status: 0, err: "vars/production.yaml: NAME set\n" });
    expect(await vars(["set", "LIMITS", '{"max":5}', "--json", ...production])).toMatchObject({ status: 0 });
    expect(text()).toBe("# who we are\nNAME: new # for now\nOTHER: [ 1, 2 ]\nLIMITS:\n  max: 5\n");
    expect(await vars(["get", "NAME", ...production])).toEqual({ status: 0, out: "new\n", err: "" });
    expect(await vars(["get", "LIMITS", ...production])).toMatchObject({ out: '{"max":5}\n' });
  });

  test("a text stays a text", async () => {
    for (const value of ["true", "042", "null", "a: b", "x\ny"]) {
      await vars(["set", "V", value, ...production]);
      expect((await host({})).host.variable("V")).toBe(value);
    }
  });

  test("sealed by name, by flag, and because it was", async () => {
    expect(await vars(["set", "ENCRYPTED_TOKEN", canary, ...production])).toMatchObject({
      status: 0,
      err: expect.stringContaining("sealed"),
    });
    await vars(["set", "KEY", canary, "--seal", ...production]);
    await vars(["set", "KEY", `${canary}-2`, ...production]);
    expect(text()).toMatch(/^x-data-key: v1\.\S+\nENCRYPTED_TOKEN: \{ sealed: v1\.\S+ \}\nKEY: \{ sealed: v1\.\S+ \}\n$/);
    expect(text()).not.toContain("canary");
    expect(await vars(["get", "KEY", ...production])).toEqual({
      status: 1,
      out: "",
      err: "pipewright: KEY is sealed; say --reveal to print it\n",
    });
    expect(await vars(["get", "KEY", "--reveal", ...production])).toMatchObject({ status: 0, out: `${canary}-2\n` });
    expect((await vars(["set", "KEY", "open", "--plain", ...production])).status).toBe(0);
    expect(text()).toContain("KEY: open\n");
  });

  test("equal values are sealed to different texts", async () => {
    await vars(["set", "A", canary, "--seal", ...production]);
    await vars(["set", "B", canary, "--seal", ...production]);
    const [, a, b] = [...text().matchAll(/v1\.(\S+)/g)].map(([, sealed]) => sealed);
    expect(a).not.toBe(b);
  });

  test("values of a file, without its last line break", async () => {
    writeFileSync(join(folder, "key.pem"), "one\ntwo\n");
    await vars(["set", "PEM", "@key.pem", "--seal", ...production]);
    expect((await vars(["get", "PEM", "--reveal", ...production])).out).toBe("one\ntwo\n");
  });

  test("only the owner may read a new file, and nothing else is left beside it", async () => {
    await vars(["set", "B", "2", ...production]);
    expect(statSync(path("production")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "vars"))).toEqual(["production.yaml"]);
  });

  test.each([0o644, 0o640, 0o600])("a file keeps its rights (%o)", async (mode) => {
    given("production", "A: 1\n");
    chmodSync(path("production"), mode);
    await vars(["set", "B", "2", ...production]);
    expect(statSync(path("production")).mode & 0o777).toBe(mode);
  });

  test("commands at the same time lose nothing", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `V${i}`);
    const ended = await Promise.all(names.map((name) => vars(["set", name, canary, "--seal", ...production])));
    expect(ended.map(({ status }) => status)).toEqual(names.map(() => 0));
    for (const name of names) expect((await vars(["get", name, "--reveal", ...production])).out).toBe(`${canary}\n`);
  });

  test("staging and production have the same names", async () => {
    given("staging", "A: 1\n");
    given("production", "A: 1\n");
    expect((await vars(["set", "B", "2", ...production])).err).toContain("note: B is set for production and not for staging\n");
    expect((await vars(["set", "B", "2", "--env", "staging"])).err).not.toContain("note");
    expect((await vars(["rm", "A", "--env", "staging"])).err).toContain("note: A is set for production and not for staging\n");
  });
});

describe("list and rm", () => {
  test("names and where they come from; nothing is decrypted", async () => {
    await vars(["set", "TOKEN", canary, "--seal", ...production]);
    given("base", "NAME: base\nREGION: north\n");
    await vars(["set", "NAME", "own", ...production]);
    const listed = await vars(["list", ...production], {});
    expect(listed).toEqual({ status: 0, out: "NAME    plain   production\nREGION  plain   base\nTOKEN   sealed  production\n", err: "" });
    expect(JSON.parse((await vars(["list", "--format", "json", ...production], {})).out).variables).toHaveLength(3);
  });

  test("list refuses an environment without a file beside those of others", async () => {
    expect(await vars(["list", "--env", "nope"])).toMatchObject({ status: 0, err: "" });
    given("production", "NAME: x\n");
    given("base", "NAME: x\n");
    expect(await vars(["list", "--env", "nope"])).toEqual({
      status: 3,
      out: "",
      err: "pipewright: there is no vars/nope.yaml; environments with a file: production\n",
    });
    expect((await vars(["list", "--env", "prodution"])).err).toContain("(did you mean 'production'?)");
    expect((await vars(["list", "--env", "base"])).status).toBe(0);
  });

  test("rm", async () => {
    given("production", "NAME: x # note\nB: 1\n");
    expect(await vars(["rm", "NAMES", ...production])).toMatchObject({
      status: 1,
      err: "pipewright: NAMES is not set in vars/production.yaml; did you mean NAME?\n",
    });
    expect((await vars(["rm", "NAME", ...production])).status).toBe(0);
    expect(text()).toBe("B: 1\n");
  });
});

describe("the master key", () => {
  test("rotation seals the data key anew and leaves the values as they are", async () => {
    await vars(["set", "TOKEN", canary, "--seal", ...production]);
    const before = text();
    writeFileSync(join(folder, "new.key"), `${second}\n`);
    const rotated = await vars(["rotate", "--new-master-key-file", join(folder, "new.key"), ...production]);
    expect(rotated).toMatchObject({ status: 0 });
    expect(text().split("\n")[0]).not.toBe(before.split("\n")[0]);
    expect(text().split("\n")[1]).toBe(before.split("\n")[1]);
    expect((await vars(["get", "TOKEN", "--reveal", ...production])).status).toBe(78);
    expect((await vars(["get", "TOKEN", "--reveal", ...production], { PIPEWRIGHT_MASTER_KEY: second })).out).toBe(`${canary}\n`);
    expect((await vars(["get", "TOKEN", "--reveal", "--master-key-file", join(folder, "new.key"), ...production], {})).out).toBe(
      `${canary}\n`,
    );
  });

  test.each<[string, readonly string[], Record<string, string>, number, string]>([
    ["none", ["set", "A", "x", "--seal"], {}, 78, "no master key"],
    [
      "no key at all",
      ["set", "A", "x", "--seal"],
      { PIPEWRIGHT_MASTER_KEY: "short" },
      78,
      "PIPEWRIGHT_MASTER_KEY must be Base64 of 32 bytes",
    ],
    ["a file that is not there", ["set", "A", "x", "--seal"], { PIPEWRIGHT_MASTER_KEY: "file:/nowhere" }, 78, "/nowhere cannot be read"],
    [
      "another",
      ["set", "A", "x", "--seal"],
      { PIPEWRIGHT_MASTER_KEY: second ?? "" },
      78,
      "the master key does not open vars/production.yaml",
    ],
    [
      "of another organisation",
      ["get", "T", "--reveal"],
      { PIPEWRIGHT_MASTER_KEY: first ?? "", PIPEWRIGHT_ORG: "acme" },
      78,
      "does not open",
    ],
    ["no new one", ["rotate"], { PIPEWRIGHT_MASTER_KEY: first ?? "" }, 3, "--new-master-key-file"],
    [
      "a bad new one",
      ["rotate"],
      { PIPEWRIGHT_MASTER_KEY: first ?? "", PIPEWRIGHT_NEW_MASTER_KEY: "x" },
      78,
      "PIPEWRIGHT_NEW_MASTER_KEY must be",
    ],
  ])("%s", async (_, args, env, status, says) => {
    await vars(["set", "T", canary, "--seal", ...production]);
    const before = text();
    const ended = await vars([...args, ...production], env);
    expect(ended.status).toBe(status);
    expect(ended.err).toContain(says);
    expect(text()).toBe(before);
    expect(readdirSync(join(folder, "vars"))).toEqual(["production.yaml"]);
  });
});

describe("wrong use", () => {
  test.each<[string, readonly string[], number, string]>([
    ["a name that no marker can say", ["set", "a.b", "x"], 3, "is no name of a variable"],
    ["the name of the data key", ["set", "x-data-key", "x"], 3, "keeps the data key"],
    ["both flags", ["set", "A", "x", "--seal", "--plain"], 3, "exclude each other"],
    ["no JSON", ["set", "A", `{"${canary}`, "--json"], 3, "the value is not valid JSON"],
    ["a file that is not there", ["set", "A", "@nowhere"], 3, "@nowhere cannot be read"],
    ["unset", ["get", "NOPE"], 1, "NOPE is not set for production"],
  ])("%s", async (_, args, status, says) => {
    const ended = await vars([...args, ...production]);
    expect([ended.status, ended.out]).toEqual([status, ""]);
    expect(ended.err).toContain(says);
    expect(ended.err).not.toContain(canary);
  });

  test("an environment must be named, and be a name", async () => {
    expect((await vars(["list"])).status).toBe(3);
    expect((await vars(["set", "A", "x", "--env", "../x"])).status).toBe(3);
  });

  test("a file that is no map, or no YAML, is left as it is and not quoted", async () => {
    for (const content of [`- ${canary}\n`, `A: [${canary}\n`]) {
      given("production", content);
      const ended = await vars(["set", "B", "1", ...production]);
      expect(ended.status).toBe(3);
      expect(ended.err).not.toContain(canary);
      expect(text()).toBe(content);
    }
  });

  test("a lock that somebody left", async () => {
    given("production", "A: 1\n");
    writeFileSync(`${path("production")}.tmp`, "");
    expect((await vars(["set", "B", "1", ...production])).err).toContain("is being written by another command");
  });
});

describe("a process reads them", () => {
  const key = { PIPEWRIGHT_MASTER_KEY: first ?? "" };

  test("its own before those of all environments, sealed or not", async () => {
    await vars(["set", "TOKEN", "base-token", "--seal", "--env", "base"]);
    await vars(["set", "ONLY", "base-only", "--seal", "--env", "base"]);
    await vars(["set", "TOKEN", canary, "--seal", ...production]);
    const { host: found, warnings } = await host(key, "production", "base", "production");
    expect([found.variable("TOKEN"), found.variable("ONLY"), found.variable("NOPE")]).toEqual([canary, "base-only", undefined]);
    expect(warnings).toEqual([]);
  });

  test("what was sealed is hidden in logs", async () => {
    await vars(["set", "TOKEN", canary, "--seal", ...production]);
    const { host: found } = await host(key);
    found.variable("TOKEN");
    expect(found.redactor.text(`is ${canary}`)).toBe("is ***");
  });

  test.each<[string, Record<string, string>, string]>([
    ["no master key", {}, "production"],
    ["another master key", { PIPEWRIGHT_MASTER_KEY: second ?? "" }, "production"],
    ["another organisation", { ...key, PIPEWRIGHT_ORG: "acme" }, "production"],
  ])("%s: what is sealed is unavailable, the rest works", async (_, env) => {
    await vars(["set", "TOKEN", canary, "--seal", ...production]);
    await vars(["set", "PLAIN", "x", ...production]);
    const { host: found, warnings } = await host(env);
    expect(found.variable("PLAIN")).toBe("x");
    expect(() => found.variable("TOKEN")).toThrow("variable unavailable");
    expect(warnings.join()).toContain("sealed variables cannot be opened: TOKEN");
  });

  test("a sealed text under another name, of another environment or altered is no value", async () => {
    await vars(["set", "TOKEN", canary, "--seal", ...production]);
    await vars(["set", "TOKEN", "staging-token", "--seal", "--env", "staging"]);
    const [dataKey = "", sealed = ""] = text().split("\n");
    const other = text("staging").split("\n")[1] ?? "";
    const altered = sealed.replace(/v1\.(.)/, (_, c) => `v1.${c === "A" ? "B" : "A"}`);
    for (const line of [sealed.replace("TOKEN", "OTHER"), other, altered]) {
      given("production", `${dataKey}\n${line}\n`);
      const { host: found } = await host(key);
      expect(() => found.variable(line.split(":")[0] ?? "")).toThrow("variable unavailable");
    }
    given("production", text("staging"));
    const { host: moved } = await host(key);
    expect(() => moved.variable("TOKEN")).toThrow("variable unavailable");
  });
});
