import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../harness/terminal.ts";

// `check` holds configurations against managed variables: those of the environment's files, and those of --vars over them.

const folder = mkdtempSync(join(tmpdir(), "pipewright-check-vars-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = `name: shop
interfaces:
  price: { method: GET, network: { ip: { allow: a|var::ALLOWED| } }, actions: [{ name: A, input: a|var::Q| }] }
`;

beforeAll(() => {
  writeFileSync(join(folder, "shop.yaml"), config);
  writeFileSync(join(folder, "good.yaml"), "ALLOWED: 10.0.0.0/8\nQ: 1\n");
  writeFileSync(join(folder, "bad.yaml"), "ALLOWED: not-an-ip\nQ: 1\n");
  writeFileSync(join(folder, "half.yaml"), "ALLOWED: 10.0.0.0/8\n");
  writeFileSync(join(folder, "list.yaml"), "[1]\n");
  for (const [name, content] of [
    ["right", "ALLOWED: 10.0.0.0/8\nQ: 1\n"],
    ["wrong", "ALLOWED: not-an-ip\nQ: 1\n"],
    ["listed", "- ALLOWED: 10.0.0.0/8\n"],
  ] as const) {
    mkdirSync(join(folder, name, "vars"), { recursive: true });
    writeFileSync(join(folder, name, "shop.yaml"), config);
    writeFileSync(join(folder, name, "vars", "alpha.yaml"), content);
    writeFileSync(join(folder, name, "vars", "base.yaml"), "ALLOWED: also-no-ip\n");
  }
});

test.each([
  ["check shop.yaml", 0, "nothing to report"],
  ["check shop.yaml --vars good.yaml", 0, "nothing to report"],
  ["check shop.yaml --vars bad.yaml", 1, "'not-an-ip'"],
  ["check shop.yaml --vars bad.yaml --vars good.yaml", 0, "nothing to report"],
  ["check shop.yaml --vars half.yaml", 0, "PW356"],
  ["check right --env alpha", 0, "nothing to report"],
  ["check right --env alpha --vars bad.yaml", 1, "'not-an-ip'"],
  ["check wrong --env alpha", 1, "'not-an-ip'"],
  ["check wrong --env alpha --vars good.yaml", 0, "nothing to report"],
  ["check right --env beta --vars good.yaml", 0, "nothing to report"],
  ["check --vars good.yaml shop.yaml", 0, "nothing to report"],
  ["check listed --env alpha", 1, "vars/alpha.yaml:1:1: error PW114: 'variables': expected a map of names to values, got array"],
])("%s", async (command, status, says) => {
  const { status: ended, out } = await run(folder, ...command.split(" "));
  expect({ status: ended, out }).toEqual({ status, out: expect.stringContaining(says) });
});

test.each([
  ["check shop.yaml --vars nofile", "no such file"],
  ["check shop.yaml --vars list.yaml", "must be a YAML map of names to values"],
  ["check shop.yaml --vars right", "cannot be read"],
  ["check shop.yaml --dotenv nofile", "no such file"],
  ["run price --force shop.yaml --vars nofile", "no such file"],
  ["run price --force shop.yaml --dotenv nofile", "no such file"],
  ["run price --force shop.yaml --master-key-file nofile", "no such file"],
])("%s is wrong usage", async (command, says) => {
  expect(await run(folder, ...command.split(" "))).toMatchObject({ status: 3, err: expect.stringContaining(says) });
});
