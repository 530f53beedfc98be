import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { root } from "../../harness/folders.ts";
import { until } from "../../harness/until.ts";

// `pipewright test --watch`, as a process of its own.

const config = (text: string): string =>
  `name: shop\ninterfaces:\n  greet:\n    actions: [{ name: A, json_output: ${text} }]\n    response: { custom_body: a|A| }\n`;

const expecting = (text: string): string => `tests:\n  - { name: greets, interface: greet, expect: { body: ${text} } }\n`;

test("each save of a configuration or a test runs the tests again, a mistake included, until a signal ends it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "watch-"));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write("shop.yaml", config("hello"));
  write("shop.test.yaml", expecting("hello"));
  const command = fileURLToPath(new URL("bin/pipewright.mjs", root));
  const child = spawn(process.execPath, [command, "test", ".", "--watch"], { cwd: folder, env: { ...process.env, NO_COLOR: "1" } });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += String(chunk);
    });
  /** Waits for one more run, and gives what it has said. */
  const next = async (): Promise<string> => {
    await until(() => expect(said).toContain("Ctrl-C ends\n"));
    const run = said;
    said = "";
    return run;
  };
  try {
    expect(await next()).toContain("1 passed");
    write("shop.yaml", config("bye"));
    expect(await next()).toContain("1 failed");
    write("shop.test.yaml", expecting("bye"));
    expect(await next()).toContain("1 passed");
    write("shop.yaml", "name: shop\ninterfaces: [\n");
    expect(await next()).toContain("PW101");
    write("shop.yaml", config("bye"));
    expect(await next()).toContain("1 passed");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});
