import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { enforcement } from "#runtime/enforce/enforcement.ts";
import { bundle } from "../../../compiler/7-link/bundle.ts";
import { manifestToEnforce } from "../../../compiler/7-link/manifest.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { importsOf, sourceFiles } from "../../harness/rules/import-list.ts";
import { filesIn } from "../../harness/small-link.ts";

// A manifest is read when a process starts, and configurations that it does not know are not served.

const folder = mkdtempSync(join(tmpdir(), "pipewright-enforced-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = (route: string, name = "a"): string =>
  `name: shop\nglobal:\n  databases:\n    main: { driver: sqlite, conn_string: "sqlite::memory:" }\ninterfaces:\n  ${name}: { method: GET, route: ${route}, actions: [{ name: A, database: main, query: SELECT 1 }] }\n`;

async function unmetOf(manifest: string, served: string, file?: string): Promise<readonly string[]> {
  const { code } = await printOne(planned(served));
  return enforcement("reviewed.json", manifest)([await evaluate(code)], file).unmet;
}

const reviewed = manifestToEnforce(planned(text("/a")).plans);

test("what was reviewed is served, and nothing else", async () => {
  expect(await unmetOf(reviewed, text("/a"))).toEqual([]);
  expect(await unmetOf(reviewed, text("/b"))).toEqual([
    "PW910 interface 'a' of 'shop' is not listed with the route GET /b in reviewed.json",
  ]);
  expect(await unmetOf(reviewed, text("/a", "b"))).toEqual(["PW910 interface 'b' of 'shop' is not listed in reviewed.json"]);
  expect(await unmetOf(reviewed, text("/a").replace("shop", "other"))).toEqual([
    "PW910 configuration 'other' is not listed in reviewed.json",
  ]);
});

test("an interface that is opened further than it was reviewed is not served", async () => {
  const chat = (settings: string): string => `name: shop\ninterfaces:\n  decide: { actions: [] }\n  chat: { ${settings}, actions: [] }\n`;
  const opened = async (before: string, after: string): Promise<readonly string[]> =>
    await unmetOf(manifestToEnforce(planned(chat(before)).plans), chat(after));
  const told = (what: string): readonly string[] => [`PW910 interface 'chat' of 'shop' ${what} in reviewed.json`];
  const guarded = "mqtt: room, subscribe_authorizer: decide";
  expect(await opened(guarded, guarded)).toEqual([]);
  expect(await opened(guarded, "mqtt: room2, subscribe_authorizer: decide")).toEqual(told("is not listed with mqtt room2"));
  expect(await opened(guarded, `${guarded}, ws: true`)).toEqual(told("is not listed with ws reply"));
  expect(await opened(guarded, `${guarded}, public: true`)).toEqual(told("is not listed with public"));
  expect(await opened(guarded, `${guarded}, mcp: { enabled: true }`)).toEqual(told("is not listed with mcp chat"));
  expect(await opened(guarded, `${guarded}, schedule: { cron: "0 0 * * *", enabled: true }`)).toEqual(told("is not listed with schedule"));
  expect(await opened(guarded, "mqtt: room")).toEqual(told("is listed with subscribe_authorizer decide, which it has not"));
  expect(await opened("method: GET", guarded.replace("mqtt: room, ", "method: GET, "))).toEqual([]);
  // Fewer ways are no danger, nor is a schedule that the environment decides about.
  expect(await opened(`${guarded}, public: true`, guarded)).toEqual([]);
  const decided = 'method: GET, schedule: { cron: "0 0 * * *", enabled: a|env::ON| }';
  expect(await opened(decided, decided)).toEqual([]);
});

test.each([
  ["no JSON", "{", "it is no manifest of a build"],
  ["a list", "[]", "it is no manifest of a build"],
  ["an older format", '{"format":2,"configs":[]}', "its format is 2, expected 3: build again with this version of pipewright"],
  ["no format", "{}", "its format is null, expected 3: build again with this version of pipewright"],
])("%s serves nothing", async (_, manifest, problem) => {
  expect(await unmetOf(manifest, text("/a"))).toEqual([`reviewed.json: ${problem}`]);
});

test("a file takes the place of what was linked", async () => {
  const file = join(folder, "manifest.json");
  expect(await unmetOf(reviewed, text("/a"), file)).toEqual([`${file} cannot be read: there is no such file`]);
  writeFileSync(file, manifestToEnforce(planned(text("/b")).plans));
  expect(await unmetOf(reviewed, text("/a"), file)).toEqual([
    `PW910 interface 'a' of 'shop' is not listed with the route GET /a in ${file}`,
  ]);
  expect(await unmetOf(reviewed, text("/b"), file)).toEqual([]);
});

test("the manifest of a project of thousands of interfaces is read, and no file of any size", async () => {
  const file = join(folder, "large.json");
  writeFileSync(file, `${reviewed}${" ".repeat(6 * 1024 * 1024)}`);
  expect(await unmetOf(reviewed, text("/a"), file)).toEqual([]);
  truncateSync(file, 64 * 1024 * 1024 + 1);
  expect(await unmetOf(reviewed, text("/a"), file)).toEqual([`${file} cannot be read: it is larger than 64 MiB`]);
});

test("what is not of the right type is not listed", async () => {
  const odd =
    '{"format":3,"configs":[{"name":"shop","capabilities":7,"interfaces":[{"name":"a","method":"GET","route":"/a","reached_by":[7,null],"capabilities":{"tables":"*","__proto__":[{"name":"*"}]}}]},null,7]}';
  expect(await unmetOf(odd, text("/a"))).toEqual([]);
});

test.each([
  ["with a manifest", { name: "reviewed.json", text: reviewed }],
  ["without one", undefined],
])("a bundle %s carries what enforces it, or nothing of it", async (_, enforced) => {
  const { metafile } = await bundle([await printOne(planned(text("/a")))], { environment: "test", format: "cjs", enforced });
  const files = filesIn(metafile).map((file) => file.replace(/^pipewright\//, ""));
  const parts = files.filter((file) => /^runtime\/(?:enforce|languages\/sql)\//.test(file));
  expect(parts.length > 0).toBe(enforced !== undefined);
  if (enforced !== undefined) expect(parts).toContain("runtime/languages/sql/tables.ts");
});

/** Files that open connections, files or processes, each with the file that asks the manifest first, or the reason why none does. */
const outside: Readonly<Record<string, string>> = {
  "runtime/outgoing/agents.ts": "runtime/features/actions/http/exchange.ts",
  "runtime/outgoing/connections.ts": "runtime/features/actions/http/exchange.ts",
  "runtime/features/actions/command/process.ts": "runtime/features/actions/command.ts",
  "runtime/features/actions/discover/ask.ts": "runtime/features/actions/discover.ts",
  "runtime/features/actions/discover/kubernetes.ts": "runtime/features/actions/discover.ts",
  "runtime/outgoing/names.ts": "runtime/features/actions/discover.ts",
  "runtime/features/actions/email.ts": "runtime/features/actions/email.ts",
  "runtime/features/actions/email/mailer.ts": "runtime/features/actions/email.ts",
  "runtime/features/actions/email/message.ts": "runtime/features/actions/email/message.ts",
  "runtime/features/actions/email/utf8.ts": "runtime/features/actions/email.ts",
  "runtime/features/actions/sftp/servers.ts": "runtime/features/actions/sftp.ts",
  "runtime/features/secret-stores/aws-kms.ts": "runtime/features/secret-stores/aws-kms.ts",
  "runtime/features/secret-stores/command.ts": "runtime/features/secret-stores/command.ts",
  "runtime/keys/secret-file.ts": "runtime/features/secret-stores/local.ts",
};

test("every file that reaches outside stands behind a door", () => {
  const modules =
    /^(?:undici|nodemailer.*|pg.*|mysql2.*|tedious|mongodb|ssh2|node:(?:http|https|http2|net|tls|dgram|dns.*|child_process|fs.*|sqlite))$/;
  const imports = importsOf(sourceFiles("runtime/**/*.ts")).filter(({ typeOnly }) => !typeOnly);
  const reaching = [...new Set(imports.filter(({ to }) => modules.test(to)).map(({ from }) => from))].sort();
  const doors = new Set(imports.filter(({ to }) => to === "runtime/outgoing/touches.ts").map(({ from }) => from));
  const unguarded = reaching.filter((file) => !inside.test(file) && !doors.has(outside[file] ?? ""));
  expect(unguarded).toEqual([]);
});

/** Drivers are opened by source.ts, which asks; the other parts are those of the process, which its operator sets up. */
const inside =
  /^runtime\/(?:features\/actions\/database|state|store|capture|process|admin|metrics|network|threads|tracing|testing|triggers|fastify|realtime|files|features\/actions\/discover\/member|keys\/(?:api-keys|presigned-url)|outgoing\/egress)(?:\/|\.ts$)/;
