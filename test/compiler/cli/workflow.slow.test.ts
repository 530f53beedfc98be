import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../harness/folders.ts";
import { templateProject } from "../../harness/template-project.ts";

// The workflow that `init` writes: each of its commands runs as GitHub runs it, in a repository with one version before the change.

const made: { remove: () => void }[] = [];
afterEach(() => {
  for (const each of made.splice(0)) each.remove();
});

interface Step {
  readonly run?: string;
  readonly if?: string;
}

test.skipIf(process.platform === "win32")("a pull request is checked, compared with what was before, tested and built", async () => {
  const { folder, remove } = await templateProject("http-sqlite", []);
  made.push({ remove });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: folder, encoding: "utf8" }).trim();
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "before");
  const config = join(folder, "notes.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace("is_less_than_or_equal_to: 120", "is_less_than_or_equal_to: 1000"));
  const bin = join(folder, "node_modules", ".bin");
  mkdirSync(bin);
  const command = fileURLToPath(new URL("bin/pipewright.mjs", root));
  writeFileSync(join(bin, "pipewright"), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter), BASE: git("rev-parse", "HEAD"), CI: "true" };
  const workflow = parse(readFileSync(join(folder, ".github", "workflows", "ci.yaml"), "utf8"));
  const steps: readonly Step[] = workflow.jobs.build.steps;
  const ends = steps.flatMap(({ run }) => {
    // Generated modules go with the change; packages are here already, and the executable has its own test.
    if (run === undefined || run === "npm ci") return [];
    if (run.includes("--check")) spawnSync("bash", ["-ec", "npm run generate"], { cwd: folder, env });
    const { status, stdout } = spawnSync("bash", ["-ec", run.replace("npm run build", "npm run build -- --no-executable")], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    return [{ run, status, stdout }];
  });
  expect(ends.map(({ run, status }) => [run, status])).toEqual([
    ["npm run check -- --format github", 0],
    ['npx pipewright diff "$BASE:./" . --format github || [ $? -eq 2 ]', 0],
    ["npm test", 0],
    ["npm run generate -- --check", 0],
    ["npm run build", 0],
  ]);
  expect(ends[1]?.stdout).toMatch(/^::\w+ file=notes\.yaml,line=\d+,.*title/m);
  expect(steps.find(({ run }) => run?.includes("diff"))?.if).toBe("github.event_name == 'pull_request'");
  expect(workflow.permissions).toEqual({ contents: "read" });
});
