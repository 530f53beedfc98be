import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nodePackages } from "../../../compiler/7-link/node-packages.ts";
import { sayOtherNode } from "../../../compiler/cli/other-node.ts";

// A command on another Node than the pinned one says so, once, to people alone.

const scratch = mkdtempSync(join(tmpdir(), "pipewright-other-node-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const { version } = nodePackages["linux-x64"];
const told = (running: string): string =>
  `this is Node ${running}; pipewright is tested on ${version}, of which executables are made. Said once\n`;

let homes = 0;
/** A user with a cache of their own; `say` gives the output of a command for them. */
function somebody({ isLive = true, CI }: { readonly isLive?: boolean; readonly CI?: string } = {}) {
  const cache = join(scratch, String(homes++));
  const say = (running: string, ...args: readonly string[]): string => {
    let said = "";
    const note = (text: string): void => {
      said += text;
    };
    const env = { XDG_CACHE_HOME: cache, LOCALAPPDATA: cache, CI };
    sayOtherNode(args, { cwd: scratch, out: note, err: note, isTerminal: true, isLive, colors: { out: false, err: false }, env }, running);
    return said;
  };
  return { cache, say };
}

// The cache of a Mac is that of its user, whatever the environment says.
test.skipIf(process.platform === "darwin")("once for each version, and never of the pinned one", () => {
  const { cache, say } = somebody();
  expect(say(version, "check", ".")).toBe("");
  expect(["26.1.0", "26.1.0", "27.0.0", "26.1.0"].map((running) => say(running, "check", "."))).toEqual([
    told("26.1.0"),
    "",
    told("27.0.0"),
    "",
  ]);
  if (process.platform !== "win32") expect(statSync(join(cache, "pipewright")).mode & 0o777).toBe(0o700);
});

test("not with --quiet, not in CI, and not where nobody reads", () => {
  expect(somebody().say("26.1.0", "build", ".", "--quiet")).toBe("");
  expect(somebody({ CI: "true" }).say("26.1.0", "check", ".")).toBe("");
  expect(somebody({ isLive: false }).say("26.1.0", "check", ".")).toBe("");
});

test.skipIf(process.platform !== "linux" || process.getuid?.() === 0)(
  "again where no note of it can be kept, and the command goes on",
  () => {
    const { cache, say } = somebody();
    mkdirSync(cache);
    chmodSync(cache, 0o500);
    expect([say("26.1.0", "check"), say("26.1.0", "check")]).toEqual([told("26.1.0"), told("26.1.0")]);
  },
);
