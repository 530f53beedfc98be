import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { LinkFailure } from "../../../compiler/7-link/failure.ts";
import { nativeTarget, targetNode, targets } from "../../../compiler/7-link/node.ts";
import { fuse } from "../../../compiler/7-link/node-file.ts";
import { programHeader } from "../../../compiler/7-link/program-file.ts";
import { run } from "../../harness/terminal.ts";
import { until } from "../../harness/until.ts";
import { embedded } from "./embedded.ts";

// Executables of every target from this machine: equal bytes wherever and in whatever order, and whole on their platform.

const scratch = mkdtempSync(join(tmpdir(), "pipewright-targets-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const texts: Readonly<Record<string, string>> = {
  "greet.yaml": `name: greet
interfaces:
  greet:
    method: GET
    route: /greet
    actions:
      - name: Guest
        json_output: { name: a|params::name| }
        post_transforms: [{ rename_keys: { name: guest } }]
      - name: Known
        json_output: a|Guest|
        assert: { tests: [{ value: a|Guest::guest|, is_equal_to: ada }] }
`,
  "parts/tables.yaml": `name: tables
global: { databases: { main: { driver: sqlite, conn_string: "sqlite::memory:" } } }
interfaces:
  rows: { method: GET, route: /rows, actions: [{ name: Rows, database: main, query: SELECT 1 AS one }] }
`,
};

/** A project with these files, written in this order. */
function project(place: string, names: readonly string[]): string {
  const folder = join(scratch, place);
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), texts[name] ?? "");
  }
  return folder;
}

const native = nativeTarget();

test.skipIf(native === undefined)("two folders and two orders give equal bytes, those of the executable as well", async () => {
  const names = Object.keys(texts);
  const one = project("one", names);
  const other = project("another/and deeper", names.toReversed());
  const build = (folder: string, paths: readonly string[]) =>
    run(folder, "build", ...paths, "--env", "staging", "--quiet", "--node", process.execPath);
  expect((await build(one, names)).status).toBe(0);
  expect((await build(other, names.toReversed())).status).toBe(0);
  const files = readdirSync(join(one, "dist")).sort();
  expect(files).toContain(`service-staging-${native}`);
  expect(readdirSync(join(other, "dist")).sort()).toEqual(files);
  const differing = files.filter((file) => !readFileSync(join(one, "dist", file)).equals(readFileSync(join(other, "dist", file))));
  expect(differing).toEqual([]);
});

test.skipIf(native === undefined)(
  "an executable of a Node that was given starts with the compiled script, and its log names the line of the YAML that failed",
  async () => {
    const folder = project("failing", ["greet.yaml"]);
    const built = await run(folder, "build", "greet.yaml", "--env", "staging", "--node", process.execPath);
    expect(built.err).toMatch(/^greet-staging-[\w-]+ starts in \d+ ms here$/m);
    expect(built.out).toMatch(/dist\/bundle\.cjs {2}\d+\.\d MB, \d+ packages inside\n/);
    const file = join(folder, "dist", `greet-staging-${native}`);
    const said = spawnSync(file, ["--version"], { encoding: "utf8", env: {} });
    expect([said.status, said.stdout, said.stderr]).toEqual([0, expect.stringMatching(/^\d/), ""]);
    const { status, log } = await asked(file, folder, "/greet?name=bob");
    expect(status).toBeGreaterThanOrEqual(400);
    const failed = log.map((line) => JSON.parse(line)).find(({ action }) => action === "Known");
    expect(failed).toMatchObject({ interface: "greet", action: "Known", at: "greet.yaml:10:15", msg: expect.stringContaining("PW904") });
  },
);

/** Starts an executable, sends one request, ends it. */
async function asked(program: string, cwd: string, path: string, first: readonly string[] = []) {
  const child = spawn(program, [...first, "--port", "0", "--address", "127.0.0.1"], { cwd, env: {}, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const log: string[] = [];
  let status = 0;
  for await (const line of createInterface(child.stdout)) {
    log.push(line);
    const { msg, url } = JSON.parse(line);
    if (msg !== "listening") continue;
    status = (await fetch(url + path)).status;
    child.kill("SIGTERM");
  }
  await ended;
  return { status, log };
}

/** The targets whose Node is here or can be loaded; in CI all have to be. */
const reached = await Promise.all(
  targets.map((target) =>
    targetNode(target).then(
      () => [target],
      (error: unknown) => {
        if (!(error instanceof LinkFailure) || process.env.CI === "true") throw error;
        console.log(`skipped: ${error.message}`);
        return [];
      },
    ),
  ),
);

describe("an executable of each target", async () => {
  const folder = project("all", Object.keys(texts));
  const list = reached.flat();
  const built = await run(folder, "build", ".", "--env", "staging", "--quiet", "--target", list.join(","));
  const dist = join(folder, "dist");

  test("all are built", () => {
    expect([built.status, built.err]).toEqual([0, ""]);
    expect(list).toContain(native ?? "linux-x64");
  });

  test.each(list)("for %s: its header is that of the platform, its tables lead to the script, and the fuse says so", (target) => {
    const file = readFileSync(join(dist, `service-staging-${target}${target.startsWith("win") ? ".exe" : ""}`));
    const header = programHeader(file);
    expect(header?.platform).toBe(target);
    expect(header?.length).toBeLessThanOrEqual(file.length);
    const blob = embedded(file);
    // The number that Node knows its blobs by.
    expect(blob.readUInt32LE(0)).toBe(0x143da20);
    const script = readFileSync(join(dist, "bundle.cjs"), "utf8").replace(/\/\/# sourceMappingURL=.*\n$/, "");
    expect(blob.includes(script)).toBe(true);
    expect(blob.includes(readFileSync(join(dist, "bundle.cjs.map")))).toBe(true);
    const at = file.indexOf(fuse);
    expect([file.toString("latin1", at + fuse.length, at + fuse.length + 2), file.indexOf(fuse, at + 1)]).toEqual([":1", -1]);
  });

  // No Windows starts it here: its loader reads these tables before anything runs.
  test.skipIf(!list.includes("win-x64"))(
    "for win-x64: its sections follow each other, it names no signature, and its checksum is right",
    () => {
      const file = readFileSync(join(dist, "service-staging-win-x64.exe"));
      const header = file.readUInt32LE(0x3c);
      const optional = header + 24;
      expect([file.readUInt16LE(header + 4), file.readUInt16LE(optional)]).toEqual([0x8664, 0x20b]);
      const sections = Array.from(
        { length: file.readUInt16LE(header + 6) },
        (_, i) => optional + file.readUInt16LE(header + 20) + i * 40,
      ).map((at) => ({
        name: file.toString("latin1", at, at + 8).replace(/\0+$/, ""),
        memory: { from: file.readUInt32LE(at + 12), bytes: file.readUInt32LE(at + 8) },
        disk: { from: file.readUInt32LE(at + 20), bytes: file.readUInt32LE(at + 16) },
      }));
      expect(sections.map(({ name }) => name)).toEqual(expect.arrayContaining([".text", ".rdata", ".data", ".rsrc"]));
      const [memory, raw] = [file.readUInt32LE(optional + 32), file.readUInt32LE(optional + 36)];
      sections.forEach(({ memory: at, disk }, i) => {
        const next = sections[i + 1];
        expect([at.from % memory, disk.from % raw, disk.bytes % raw]).toEqual([0, 0, 0]);
        expect(at.from + at.bytes).toBeLessThanOrEqual(next?.memory.from ?? file.readUInt32LE(optional + 56));
        expect(disk.from + disk.bytes).toBeLessThanOrEqual(next?.disk.from ?? file.length);
      });
      const directory = (index: number): readonly number[] => [0, 4].map((at) => file.readUInt32LE(optional + 112 + index * 8 + at));
      expect(directory(4)).toEqual([0, 0]);
      expect(directory(2)[0]).toBe(sections.find(({ name }) => name === ".rsrc")?.memory.from);
      // As ImageHlp counts it: the words of the file without the field, with the carry, and the length.
      const words = new Uint16Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
      const field = (optional + 64) / 2;
      let sum = words.reduce((total, word, i) => (i === field || i === field + 1 ? total : total + word), 0);
      while (sum > 0xffff) sum = (sum % 0x10000) + Math.floor(sum / 0x10000);
      expect(file.readUInt32LE(optional + 64)).toBe(sum + file.length);
    },
  );

  const wine = process.env.PIPEWRIGHT_TEST_WINE;
  test.skipIf(wine === undefined || !list.includes("win-x64"))("for win-x64: it starts in Wine, and answers", async () => {
    // Node in Wine takes no pipes of Unix.
    const out = join(scratch, "wine.out");
    const args = [join(dist, "service-staging-win-x64.exe"), "--port", "0", "--address", "127.0.0.1"];
    const child = spawn(wine ?? "", args, { cwd: folder, stdio: ["ignore", openSync(out, "w"), "ignore"] });
    const ended = once(child, "exit");
    try {
      const { url } = await until(() => JSON.parse(readFileSync(out, "utf8").split("\n")[0] ?? ""));
      expect((await fetch(`${url}/rows`)).status).toBe(200);
    } finally {
      child.kill("SIGKILL");
      await ended;
    }
  });

  const libraries = "/usr/aarch64-linux-gnu";
  const emulated = ["/usr/bin/qemu-aarch64", "/usr/bin/qemu-aarch64-static"].find(existsSync);
  test.skipIf(emulated === undefined || !existsSync(libraries) || !list.includes("linux-arm64"))(
    "for linux-arm64: it starts in an emulator, and answers",
    async () => {
      const file = join(dist, "service-staging-linux-arm64");
      const said = spawnSync(emulated ?? "", ["-L", libraries, file, "--help"], { encoding: "utf8" });
      expect([said.status, said.stdout]).toEqual([0, expect.stringContaining("built for the environment staging")]);
      expect((await asked(emulated ?? "", folder, "/rows", ["-L", libraries, file])).status).toBe(200);
    },
  );
});
