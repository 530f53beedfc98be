import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKinds } from "../../compiler/gen/new.ts";
import { root } from "../harness/folders.ts";

// Law `new`: in a copy of the repository `npm run new` makes a feature of every kind. No other file is edited by hand, and each feature
// works on both paths.

const repository = fileURLToPath(root);
const copy = mkdtempSync(join(tmpdir(), "pipewright-copy-"));
const nameOf = (kind: string): string => `fresh_${kind}`;

const run = (file: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, [file, ...args], { cwd: copy, encoding: "utf8", maxBuffer: 1e8 });

beforeAll(() => {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: repository, encoding: "utf8" });
  for (const file of listed.split("\n").filter((each) => each !== "" && existsSync(join(repository, each)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repository, file), join(copy, file));
  }
  symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
  for (const kind of Object.keys(newKinds)) run("compiler/gen/new.ts", kind, nameOf(kind));
}, 600_000);

afterAll(() => rmSync(copy, { recursive: true }));

test("what it writes passes the type checker", () => {
  const written = Object.entries(newKinds).flatMap(([kind, { files }]) =>
    Object.values(files).map((file) => file.replaceAll("NAME", nameOf(kind))),
  );
  const include = [...written.filter((file) => file.endsWith(".ts")), "generated/*.ts"];
  const compilerOptions = { noEmit: true, composite: false, incremental: false, emitDeclarationOnly: false };
  writeFileSync(join(copy, "tsconfig.new.json"), JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions, include }));
  expect(run("node_modules/typescript/bin/tsc", "-p", "tsconfig.new.json")).toBe("");
}, 600_000);

test("nothing that is generated is stale afterwards", () => {
  expect(run("compiler/gen/main.ts", "--check")).toBe("");
}, 600_000);

test("every key has its place in the reference, with an example", () => {
  expect(run("node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts", "test/laws/keys.test.ts")).toMatch(
    /Tests .*passed/,
  );
}, 600_000);

/** A config that uses all of the new features. */
const config = {
  name: "all",
  global: {
    databases: { main: { driver: "fresh_driver", conn_string: "fresh-driver://host/main" } },
    secrets: { TOKEN: { kind: "fresh_secret_store", place: "a|env::PLACE|" } },
  },
  interfaces: {
    used: {
      method: "POST",
      actions: [
        { name: "Action", fresh_action: { target: "a|body::name|" } },
        { name: "Filter", json_output: { name: "a|body::name->fresh_filter|", token: "a|secret::TOKEN|" } },
        { name: "Rows", database: "main", query: "SELECT ?", params: ["a|body::name|"] },
        { name: "Shaped", input: "a|body|", post_transforms: [{ fresh_transform: "done" }] },
        { name: "Tested", input: "a|body|", assert: { tests: [{ value: "name", fresh_matcher: "x" }] } },
      ],
    },
    greeted: { fresh_trigger: { greeting: "a|env::GREETING|" }, log: "a|body::greeting|", actions: [{ name: "A", json_output: {} }] },
  },
};

/** A script that runs in the copy, whose runtime has the new features. */
const script = `
import { planned, printOne } from "./test/harness/compile.ts";
import { evaluate } from "./test/harness/evaluate.ts";
import { runOnce } from "./test/harness/run-once.ts";
import { stillHost } from "./test/harness/still-host.ts";

const found = [];
for (const interpret of [false, true]) {
  const plan = planned(${JSON.stringify(JSON.stringify(config))});
  const config = await evaluate((await printOne(plan, { interpret })).code);
  const { promise: greeting, resolve } = Promise.withResolvers();
  const host = { ...stillHost({ env: { PLACE: "here", GREETING: "hello" } }), log: (_, msg) => { if (msg === "hello") resolve(msg); } };
  const { reply } = await runOnce(config, "used", { body: { name: " Ada " } }, host);
  const triggers = (config.triggers ?? []).map((trigger) => trigger(host, config));
  for (const trigger of triggers) trigger.start();
  found.push({ warnings: plan.diagnostics.map(({ code, message }) => code + ": " + message), body: JSON.parse(reply.body), triggers: triggers.length, greeting: await greeting });
  await host.close();
}
console.log(JSON.stringify(found));
`;

test("each has its effect, printed and walked", () => {
  writeFileSync(join(copy, "effects.ts"), script);
  const [printed, walked] = JSON.parse(run("effects.ts")) as readonly unknown[]; // what the script prints
  expect(printed).toMatchObject({
    warnings: [expect.stringMatching(/^PW283: /)],
    triggers: 1,
    greeting: "hello",
    body: {
      data: {
        Action: { data: { target: " Ada " } },
        Filter: { data: { name: "Ada", token: "secret of here" } },
        Rows: { data: [{ address: "fresh-driver://host/main", text: "SELECT $1", params: [" Ada "] }] },
        Shaped: { data: { name: " Ada ", done: true } },
        Tested: { errors: ["name::fresh_matcher: expected target  Ada  not meeting x"] },
      },
    },
  });
  expect(walked).toEqual(printed);
}, 600_000);

test("what tells of interfaces tells of the new trigger", () => {
  writeFileSync(join(copy, "all.yaml"), JSON.stringify(config));
  expect(run("bin/pipewright.mjs", "routes", "all.yaml")).toMatch(/^trigger +fresh_trigger +greeted /m);
  expect(run("bin/pipewright.mjs", "explain", "greeted", "all.yaml")).toMatch(/^ +reached by +fresh_trigger$/m);
}, 600_000);

test("a name that is taken now is refused", () => {
  expect(() => run("compiler/gen/new.ts", "action", nameOf("action"))).toThrow("exists already; nothing was written");
});
