import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../harness/terminal.ts";

// Files and folders that the system refuses: a mistake of the call, said with the path and the reason, and never called a bug.

const folder = mkdtempSync(join(tmpdir(), "pipewright-refused-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = `name: shop
interfaces:
  price: { route: /price, actions: [{ name: A, json_output: 1 }] }
`;
const tests = "tests: [{ name: tells a price, interface: price, expect: { status: 200 } }]\n";

beforeAll(() => {
  writeFileSync(join(folder, "shop.yaml"), config);
  writeFileSync(join(folder, "shop.test.yaml"), tests);
  writeFileSync(join(folder, "api.ts"), "export const mine = 1;\n");
  mkdirSync(join(folder, "taken"));
  mkdirSync(join(folder, "links"));
  writeFileSync(join(folder, "links", "shop.yaml"), config);
  symlinkSync("loop.yaml", join(folder, "links", "loop.yaml"));
  symlinkSync("gone.yaml", join(folder, "links", ".#shop.yaml"));
});

const long = `${"n".repeat(300)}.json`;

test.each([
  ["schema --out taken", "taken: it is a folder; name a file"],
  ["test shop.yaml --format json --out taken", "taken: it is a folder; name a file"],
  ["verify shop.yaml --runs 1 --format json --out taken", "taken: it is a folder; name a file"],
  ["generate shop.yaml --client taken", "taken: it is a folder; name a file"],
  ["schema --out shop.yaml/schema.json", "shop.yaml/schema.json: cannot be written: a part of its path is a file"],
  ["generate shop.yaml --out shop.yaml", "shop.yaml: it is a file; name a folder with --out"],
  [`schema --out ${long}`, "cannot be written: its name is too long"],
  ["schema --out shop.yaml", "shop.yaml: a schema is not written over a YAML file; name another file"],
  ["test shop.yaml --format json --out shop.test.yaml", "shop.test.yaml: a report is not written over a YAML file; name another file"],
  ["generate shop.yaml --client shop.yaml", "shop.yaml: pipewright has not written this file, and does not replace it; name another file"],
  ["generate shop.yaml --client api.ts", "api.ts: pipewright has not written this file, and does not replace it; name another file"],
])("%s", async (command, says) => {
  const { status, err } = await run(folder, ...command.split(" "));
  expect({ status, err }).toEqual({ status: 3, err: expect.stringContaining(says) });
  expect(err).not.toContain("bug");
  expect(["shop.yaml", "shop.test.yaml", "api.ts"].map((file) => readFileSync(join(folder, file), "utf8"))).toEqual([
    config,
    tests,
    "export const mine = 1;\n",
  ]);
});

describe("a symbolic link of a project", () => {
  const project = join(folder, "project");
  const outside = join(folder, "outside");
  const secret = join(outside, "secret");
  const linked = (target: string, path: string): void => {
    for (const each of [project, outside]) rmSync(each, { recursive: true, force: true });
    for (const each of [project, outside]) mkdirSync(each);
    writeFileSync(secret, "canary of the machine\n");
    writeFileSync(join(project, "shop.yaml"), config);
    mkdirSync(join(project, path, ".."), { recursive: true });
    symlinkSync(target, join(project, path));
  };

  test.each([
    ["generate .", secret, "generated/shop.ts", "generated/shop.ts: it is a symbolic link, which is not followed; remove it"],
    ["generate . --check", secret, "generated/shop.ts", "generated/shop.ts: it is a symbolic link"],
    ["generate .", "/dev/null", "generated/shop.ts", "generated/shop.ts: it is a symbolic link"],
    ["generate .", outside, "generated", "generated/shop.ts: a symbolic link leads out of the working directory; name the real folder"],
    ["generate . --check", "../outside", "generated", "generated/shop.ts: a symbolic link leads out of the working directory"],
    ["generate . --out src/generated", outside, "src", "src/generated/shop.ts: a symbolic link leads out of the working directory"],
    ["generate . --client client.ts", secret, "client.ts", "client.ts: it is a symbolic link"],
    ["generate . --client src/client.ts", outside, "src", "src/client.ts: a symbolic link leads out of the working directory"],
  ])("is no way out of it: %s, %s as %s", async (command, target, path, says) => {
    linked(target, path);
    const { status, err, out } = await run(project, ...command.split(" "));
    expect({ status, err }).toEqual({ status: 3, err: expect.stringContaining(says) });
    expect(`${out}${err}`).not.toContain("canary");
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(secret, "utf8")).toBe("canary of the machine\n");
  });

  test("may lead to a folder inside, and the caller may name one outside", async () => {
    linked("build", "generated");
    mkdirSync(join(project, "build"));
    expect((await run(project, "generate", ".")).status).toBe(0);
    expect((await run(project, "generate", ".", "--out", "../outside")).status).toBe(0);
    expect([existsSync(join(project, "build", "shop.ts")), existsSync(join(outside, "shop.ts"))]).toEqual([true, true]);
  });
});

test("a client that pipewright has written is written again", async () => {
  const write = () => run(folder, "generate", "shop.yaml", "--client", "client.ts");
  expect(await write()).toMatchObject({ status: 0, err: expect.stringContaining("wrote client.ts") });
  const text = readFileSync(join(folder, "client.ts"), "utf8");
  writeFileSync(join(folder, "client.ts"), `${text}// more\n`);
  expect(await write()).toMatchObject({ status: 0, err: expect.stringContaining("wrote client.ts") });
  expect(readFileSync(join(folder, "client.ts"), "utf8")).toBe(text);
});

test("a folder with links that lead nowhere, such as the lock of an editor, is read without them", async () => {
  expect(await run(folder, "check", "links")).toMatchObject({ status: 0, out: "1 config checked, nothing to report\n" });
});

test.skipIf(!existsSync("/dev/full"))("a device is written to and stays one", async () => {
  expect(await run(folder, "schema", "--out", "/dev/null")).toEqual({ status: 0, out: "", err: "" });
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  expect(await run(folder, "schema", "--out", "/dev/full")).toEqual({
    status: 3,
    out: "",
    err: "pipewright: /dev/full: cannot be written: no space is left\n",
  });
});

test.skipIf(!existsSync("/proc/self"))("a folder that takes no others is refused, and no command waits for it", async () => {
  for (const [command, file] of [
    ["schema --out /proc/none/deep/schema.json", "/proc/none/deep/schema.json"],
    ["generate shop.yaml --out /proc/none", "/proc/none/shop.ts"],
  ] as const) {
    const { status, err } = await run(folder, ...command.split(" "));
    expect({ status, err }).toEqual({ status: 3, err: `pipewright: ${file}: cannot be written: its folder takes no files\n` });
  }
});

test("a project for which there is no room leaves nothing behind", async () => {
  const inside = "n".repeat(300);
  const { status, err } = await run(folder, "init", `new/${inside}`, "--template", "plain", "--pipewright", "0.1.0");
  expect({ status, err }).toEqual({ status: 3, err: expect.stringContaining(": its name is too long") });
  expect(existsSync(join(folder, "new", inside))).toBe(false);
});
