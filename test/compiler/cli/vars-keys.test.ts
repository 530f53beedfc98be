import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { canary, first, folder, given, host, newFolder, production, removeFolder, second, text, vars } from "./vars-command.ts";

beforeEach(newFolder);
afterEach(removeFolder);

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
