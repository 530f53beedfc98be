import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../../compiler/cli/main.ts";
import { canary, folder, given, host, newFolder, path, production, removeFolder, text, vars } from "./vars-command.ts";

beforeEach(newFolder);
afterEach(removeFolder);

describe("set and get", () => {
  test("plain values, with the comments of the file", async () => {
    given("production", "# who we are\nNAME: old # for now\nOTHER: [1, 2]\n");
    expect(await vars(["set", "NAME", "new", ...production])).toMatchObject({ status: 0, err: "vars/production.yaml: NAME set\n" });
    expect(await vars(["set", "LIMITS", '{"max":5}', "--json", ...production])).toMatchObject({ status: 0 });
    expect(text()).toBe("# who we are\nNAME: new # for now\nOTHER: [ 1, 2 ]\nLIMITS:\n  max: 5\n");
    expect(await vars(["get", "NAME", ...production])).toEqual({ status: 0, out: "new\n", err: "" });
    expect(await vars(["get", "LIMITS", ...production])).toMatchObject({ out: '{"max":5}\n' });
  });

  test("numbers of other variables stay as they are written", async () => {
    const line = `LONG: ${"words and ".repeat(20)}end`;
    const file = `BIG: 9007199254740993\nID: 123456789012345678901\nE: 1.7976931348623157e309\nHEX: 0x1F\nOLD: 0777\nEXP: 1e3\n${line}\nOCT: 0o17\nF: 1.50\n`;
    given("production", `${file}LAST: { n: 9007199254740993 }\n`);
    await vars(["set", "NEW", "x", ...production]);
    expect(text()).toBe(`${file}LAST: { n: 9007199254740993 }\nNEW: x\n`);
    await vars(["rm", "LAST", ...production]);
    await vars(["rm", "NEW", ...production]);
    expect(text()).toBe(file);
    for (const name of ["HEX", "EXP", "BIG", "F"])
      await vars(["set", name, name === "BIG" ? "9007199254740991" : "100", "--json", ...production]);
    expect(text()).toBe(
      file.replace("0x1F", "100").replace("1e3", "100").replace("9007199254740993", "9007199254740991").replace("1.50", "100"),
    );
  });

  test("line ends and the byte order mark stay", async () => {
    given("production", "\uFEFFV: 1 # one\r\n# hello\r\nW: |\r\n  a\r\n  b\r\n");
    await vars(["set", "V", "3", "--json", ...production]);
    expect(text()).toBe("\uFEFFV: 3 # one\r\n# hello\r\nW: |\r\n  a\r\n  b\r\n");
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

  test("no name of a file moves the terminal", async () => {
    given("production", '"K\\e]0;x\\a\\u202e\\u009b": 1\n');
    const shown = "K\\u001b]0;x\\u0007\\u202e\\u009b";
    expect(await vars(["list", ...production])).toMatchObject({ out: `${shown}  plain   production\n` });
    expect((await vars(["list", "--format", "json", ...production])).out).toContain(`"name": "${shown}"`);
    expect((await vars(["rm", "K\u001b]0;x\u0007\u202e", ...production])).err).toBe(
      `pipewright: K\\u001b]0;x\\u0007\\u202e is not set in vars/production.yaml; did you mean ${shown}?\n`,
    );
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
    given("production", "# of the file\nA: 1 # note\n# about B\nB: 2\nC: 3\n");
    await vars(["rm", "A", ...production]);
    await vars(["rm", "C", ...production]);
    expect(text()).toBe("# of the file\n\n# about B\nB: 2\n");
  });
});

describe("wrong use", () => {
  test.each<[string, readonly string[], number, string]>([
    ["a name that no marker can say", ["set", "a.b", "x"], 3, "is no name of a variable"],
    ["the name of the data key", ["set", "x-data-key", "x"], 3, "keeps the data key"],
    ["both flags", ["set", "A", "x", "--seal", "--plain"], 3, "exclude each other"],
    ["no JSON", ["set", "A", `{"${canary}`, "--json"], 3, "the value is not valid JSON"],
    [
      "an integer that no double holds",
      ["set", "A", '{"n":[9007199254740993]}', "--json"],
      3,
      "a number of the value is not exactly representable",
    ],
    ["a number beyond all doubles", ["set", "A", "-1e400", "--json"], 3, "a number of the value is not exactly representable"],
    ["a file that is not there", ["set", "A", "@nowhere"], 3, "@nowhere cannot be read"],
    ["unset", ["get", "NOPE"], 1, "NOPE is not set for production"],
  ])("%s", async (_, args, status, says) => {
    const ended = await vars([...args, ...production]);
    expect([ended.status, ended.out]).toEqual([status, ""]);
    expect(ended.err).toContain(says);
    expect(ended.err).not.toContain(canary);
  });

  test.each([
    [["vars", "get", "X\u001b[2J", "--env", "staging"], "pipewright: X\\u001b[2J is not set for staging\n"],
    [["explain", "PW\u001b[2J"], "no diagnostic has the code PW\\u001b[2J"],
    [["x\u001b[2J"], "unknown command 'x\\u001b[2J'"],
    [["check", ".", "--x\u001b[2J"], "unknown option '--x\\u001b[2J'"],
  ])("words of a pasted command do not move the terminal: %j", async (args, said) => {
    let err = "";
    const say = (text: string): void => {
      err += text;
    };
    const terminal = { cwd: folder, isTerminal: false, colors: { out: false, err: false }, env: {}, out: say, err: say };
    expect(await main(args, terminal)).toBeGreaterThan(0);
    expect(err).toContain(said);
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
