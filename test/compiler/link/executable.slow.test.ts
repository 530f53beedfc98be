import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { addMapping, GenMapping, toEncodedMap } from "@jridgewell/gen-mapping";
import { afterAll, expect, test, vi } from "vitest";
import type { Effect } from "#runtime/features/feature.ts";
import { analyse } from "../../../compiler/5-analyse/index.ts";
import type { PrintedModule } from "../../../compiler/6-print/index.ts";
import { link } from "../../../compiler/7-link/index.ts";
import { nativeTarget, targetNode } from "../../../compiler/7-link/node.ts";
import { ownPackage } from "../../../compiler/7-link/root.ts";
import { nothingUsed } from "../../harness/compile.ts";

const scratch = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(scratch, { recursive: true, force: true });
});

const code = `import type { Config } from "#runtime/run/interface.ts";
import { bcryptHash } from "#runtime/keys/bcrypt.ts";

// A comment that only the module has.
export const config: Config = {
  name: "posts",
  needs: { env: [], vars: [], secrets: [] },
  interfaces: [{
    name: "posts/list",
    http: { method: "GET", route: "/posts" },
    output: "http",
    start: (cx, field) => ({ response: { http_code_on_error: field("posts/list.code", { type: "integer", maximum: 599 }, () => cx.env("CODE")) } }),
    run(cx) {
      cx.act("Fetch", {}, () => {
        throw new Error("boom");
      });
    },
  }, {
    name: "posts/hash",
    http: { method: "GET", route: "/hash" },
    output: "http",
    run(cx) {
      cx.act("Hash", {}, () => bcryptHash(cx.host, "x", 4, new Uint8Array(16), cx.signal));
    },
  }],
};
`;

function printed(): PrintedModule {
  const map = new GenMapping({ file: "api/posts.yml" });
  addMapping(map, { generated: { line: 15, column: 8 }, original: { line: 120, column: 10 }, source: "api/posts.yml" });
  addMapping(map, { generated: { line: 16, column: 6 }, original: { line: 121, column: 6 }, source: "api/posts.yml" });
  const places = { "posts/list.code": "api/posts.yml:119" };
  return {
    file: "api/posts.yml",
    name: "api/posts",
    code,
    places,
    sources: ["api/posts.yml"],
    uses: nothingUsed,
    runtime: [],
    map: JSON.stringify(toEncodedMap(map)),
  };
}

const plan = analyse(
  {
    name: "posts",
    file: "api/posts.yml",
    variables: [],
    secrets: [],
    databases: [],
    needs: { env: [], vars: [], secrets: [] },
    interfaces: [],
  },
  () => undefined,
);
const native = nativeTarget();
const usual: Disturbance = { signals: ["SIGTERM"] };

test("a build starts in an empty folder without Node, answers, and its threads run, its stacks show the YAML", async () => {
  if (native === undefined) return console.log(`skipped: no Node package for ${process.platform}-${process.arch}`);
  vi.stubEnv("PIPEWRIGHT_TEST_CANARY", "canary-7d1f3a");
  vi.stubEnv("XDG_CACHE_HOME", join(scratch, "cache"));
  const steps: string[] = [];
  const out = join(scratch, "out");
  const progress = (step: string): void => void steps.push(step);
  const common = { environment: "staging", out, plans: [plan], effectOf: (): Effect => "network", progress };
  const { files } = await link([printed()], { ...common, targets: [native], executable: true });
  const name = `posts-staging-${native}${(await targetNode(native)).ending}`;
  expect(steps).toEqual(["bundle", "node", "blob", "inject", "manifest"]);
  expect(readdirSync(out).sort()).toEqual(["LICENSES.txt", "bundle.cjs", "bundle.cjs.map", "manifest.json", name, "sbom.json"].sort());
  expect(JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")).files).toEqual(expect.arrayContaining([...files]));

  const elsewhere = mkdtempSync(join(scratch, "empty-"));
  const service = join(elsewhere, "service");
  renameSync(join(out, name), service);
  const bytes = readFileSync(service);
  expect(files.find((file) => file.name === name)?.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(statSync(service).mode & 0o777).toBe(0o755);
  for (const leak of ["A comment that only the module has", "canary-7d1f3a", ownPackage().folder, scratch]) {
    expect(bytes.includes(leak)).toBe(false);
  }

  const answer = await serveAndAsk(service, elsewhere, [], usual, "/posts", "/hash");
  expect(answer.replies[0]).toMatchObject({ status: 500 });
  expect(answer.replies[1]).toMatchObject({ status: 200, body: expect.stringMatching(/"\$2b\$04\$\.{22}[./A-Za-z0-9]{31}"/) });
  expect(answer.log).toContain("(api/posts.yml:120:11)");
  expect(answer.exit).toBe(0);
  const many = await serveAndAsk(service, elsewhere, ["--workers", "2"], usual, "/readyz", "/hash", "/readyz");
  expect(many.replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(many.log).toContain('"workers":2');
  expect(many.exit).toBe(0);

  // The environment cannot make it load other code, and no signal opens a debugger. When its terminal closes, it ends after its open runs.
  const canary = join(scratch, "canary.cjs");
  writeFileSync(canary, `require("node:fs").writeFileSync(${JSON.stringify(`${canary}.ran`)}, "");`);
  const NODE_OPTIONS = `--require ${canary} --inspect=127.0.0.1:0`;
  const disturbed = await serveAndAsk(
    service,
    elsewhere,
    ["--workers", "2"],
    { NODE_OPTIONS, CODE: "418", signals: ["SIGUSR1", "SIGHUP"] },
    "/hash",
    "/posts",
  );
  // The environment has filled a field of the start.
  expect([disturbed.replies.map(({ status }) => status), disturbed.exit]).toEqual([[200, 418], 0]);
  expect(disturbed.errors).not.toMatch(/debugger/i);
  expect(existsSync(`${canary}.ran`)).toBe(false);
  const refused = await serveAndAsk(service, elsewhere, [], { CODE: "600", signals: [] });
  expect([refused.replies, refused.exit]).toEqual([[], 78]);
  expect(refused.errors).toContain("api/posts.yml:119: 'posts/list.code': 600 is outside ..599");
});

interface Disturbance {
  readonly NODE_OPTIONS?: string;
  /** Read at the start. */
  readonly CODE?: string;
  /** Sent before the requests, but the last, which ends it. */
  readonly signals: readonly NodeJS.Signals[];
}

/**
 * Starts an executable with nothing in its environment, sends requests and a signal to end; gives the replies, all that it says and the
 * exit status.
 */
async function serveAndAsk(
  file: string,
  cwd: string,
  flags: readonly string[],
  { signals, ...env }: Disturbance,
  ...paths: readonly string[]
) {
  const service = spawn(file, ["--port", "0", "--address", "127.0.0.1", ...flags], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => service.once("close", resolve));
  let log = "";
  let errors = "";
  service.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const replies: { readonly status: number; readonly body: string }[] = [];
  for await (const line of createInterface(service.stdout)) {
    log += `${line}\n`;
    const { msg, url } = JSON.parse(line);
    if (msg !== "listening") continue;
    for (const signal of signals.slice(0, -1)) service.kill(signal);
    for (const path of paths) {
      const reply = await fetch(url + path);
      replies.push({ status: reply.status, body: await reply.text() });
    }
    service.kill(signals.at(-1));
  }
  return { replies, log, exit: await exited, errors };
}
