import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import { beginBundle } from "../../compiler/7-link/begun-bundle.ts";
import { nativeTarget } from "../../compiler/7-link/node.ts";
import { build } from "../../compiler/cli/build.ts";
import { documentOf, planTexts } from "../../compiler/pipeline.ts";
import { send } from "../harness/sockets.ts";
import { packFolder, packTexts } from "./packs.ts";
import { ask, expectPromised } from "./played/calls.ts";
import { filled, token } from "./played/replay.ts";
import { rowCounts } from "./played/serving.ts";
import { seededCalls } from "./played/starter-calls.ts";
import { jwtSecret } from "./played/worlds.ts";

// The five configs of a pack as one executable, as a user would build and run it: no Node, no configs, nothing in its environment.

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "pipewright-pack-"));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(scratch, { recursive: true, force: true });
});

/** Builds a pack for `staging` below `scratch`; gives the files. */
async function built(folder: string, executable: boolean): Promise<(name: RegExp) => string> {
  const out = join(scratch, `${executable ? "executable" : "bundle"} of ${folder.split("/").at(-1)}`);
  const said: string[] = [];
  const terminal = {
    cwd: dirname(folder),
    out: () => undefined,
    err: (text: string) => void said.push(text),
    isTerminal: false,
    colors: { out: false, err: false },
    env: {},
  };
  using begun = await beginBundle("staging");
  expect(await build([folder], { env: "staging", out, executable }, terminal, begun), said.join("")).toBe(0);
  return (name) => join(out, readdirSync(out).find((file) => name.test(file)) ?? "");
}

interface Started {
  readonly child: ChildProcess;
  /** Undefined when it ends before it listens. */
  readonly url: Promise<string | undefined>;
  readonly ended: Promise<{ readonly status: number | null; readonly out: string; readonly err: string }>;
}

function start(file: string, args: readonly string[], cwd: string): Started {
  const child = spawn(file, [...args, "--port", "0", "--address", "127.0.0.1"], {
    cwd,
    env: { PATH: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err]: [string[], string[]] = [[], []];
  const lines = createInterface(child.stdout);
  const url = new Promise<string | undefined>((resolve) => {
    lines.on("line", (line) => {
      out.push(line);
      const { msg, url } = JSON.parse(line);
      if (msg === "listening") resolve(url);
    });
    lines.on("close", () => resolve(undefined));
  });
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk.toString()));
  const ended = new Promise<Awaited<Started["ended"]>>((resolve) => {
    child.on("close", (status) => resolve({ status, out: out.join("\n"), err: err.join("") }));
  });
  return { child, url, ended };
}

const sqlitePack = packFolder("sqlite-rest-api-starter");

describe.skipIf(sqlitePack === undefined || nativeTarget() === undefined)("the executable of sqlite-rest-api-starter", () => {
  let file: string;
  let vars: string;
  beforeAll(async () => {
    vars = join(scratch, "vars.yaml");
    vi.stubEnv("JWT_SECRET", jwtSecret);
    vi.stubEnv("XDG_CACHE_HOME", join(scratch, "cache"));
    writeFileSync(vars, `JWT_SECRET: ${jwtSecret}\n`);
    file = (await built(sqlitePack ?? "", true))(/^service-staging-/);
  });

  test("answers the calls of the README, drains on SIGTERM and ends with 0", async () => {
    const cwd = mkdtempSync(join(scratch, "cwd-"));
    const look = async (query: string): Promise<JsonObject[]> => {
      const db = new DatabaseSync(join(cwd, "airpipe.db"), { readOnly: true });
      const rows = db.prepare(query).all() as JsonObject[]; // texts and small numbers
      db.close();
      return rows;
    };
    const { child, url, ended } = start(file, ["--vars", vars], cwd);
    const address = (await url) ?? "";
    for (const call of seededCalls({ clears: "ClearTables", product: "Air Pipe", numbered: true }, token)) {
      expectPromised(call, await ask(address, await filled(call, { look })));
      if (call.rows !== undefined) expect(await rowCounts({ look }), call.does).toEqual(call.rows);
    }
    const ben = { email: "ben@example.com", username: "ben", password: "Secret1!" };
    const underWay = ask(address, { method: "POST", path: "/api/users/create", body: ben });
    await send(address, "/livez");
    child.kill("SIGTERM");
    expect((await underWay).status).toBe(200);
    const { status, out, err } = await ended;
    expect([status, err]).toEqual([0, ""]);
    expect(await look("SELECT username FROM users WHERE username = 'ben'")).toHaveLength(1);
    for (const hidden of [jwtSecret, token, "Secret1!", "critical"]) expect(out).not.toContain(hidden);
  });

  test("holds nothing of what only its author should see", () => {
    const bytes = readFileSync(file);
    const texts = packTexts("sqlite-rest-api-starter");
    // The description of an interface is in its API document, even if a comment repeats it.
    const document = documentOf(planTexts(texts)) ?? "";
    const comments = texts
      .flatMap(({ text }) => text.match(/(?<=# )[A-Z][^#\n{]{25,}/g) ?? [])
      .filter((comment) => !document.includes(comment));
    expect(comments.length).toBeGreaterThan(10);
    for (const hidden of [...comments, jwtSecret, sqlitePack ?? "", scratch]) expect(bytes.includes(hidden), hidden).toBe(false);
  });

  test("names a file that is not there and ends with 3", async () => {
    const { status, out, err } = await start(file, ["--vars", "nowhere.yaml"], scratch).ended;
    expect([status, out]).toEqual([3, ""]);
    expect(err).toContain("nowhere.yaml cannot be read: there is no such file");
  });
});

const postgresPack = packFolder("rest-api-starter");

test.skipIf(postgresPack === undefined)(
  "the bundle of rest-api-starter names the database that nobody has told it, for each config, and ends with 78",
  async () => {
    const bundle = (await built(postgresPack ?? "", false))(/^bundle\.cjs$/);
    const { status, out, err } = await start(process.execPath, [bundle], scratch).ended;
    expect([status, out]).toEqual([78, ""]);
    for (const config of ["RestApiAuth", "RestApiComments", "RestApiPosts", "RestApiUsers", "RestApiStarterSeed"]) {
      expect(err).toContain(`database main of ${config}: conn_string is not set; set variable DATABASE_URL`);
    }
  },
);
