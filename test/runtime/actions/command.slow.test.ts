import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { HostOptions } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";
import { stillHost } from "../../harness/still-host.ts";
import { until } from "../../harness/until.ts";

// Commands in real shells (spec/language 5.2, 2.8 G): whatever a caller sends is a word, never a part of the script.

const folder = mkdtempSync(join(tmpdir(), "pipewright-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const allowed = { PIPEWRIGHT_ALLOW_COMMANDS: "true", PATH: "/usr/bin:/bin", HOME: "/home/ada" };

const canary = join(folder, "canary");

const hostOf = (options: HostOptions = {}): ReturnType<typeof stillHost> => stillHost({ env: allowed, ...options });

async function once(command: Json, options: HostOptions = {}, body: Json = {}) {
  const config = { name: "one", interfaces: { one: { method: "POST", actions: [{ name: "Run", command }] } } };
  const host = hostOf(options);
  const { outcomes } = await runOnce(await evaluate((await printOne(planned(JSON.stringify(config)))).code), "one", { body }, host);
  return { host, outcome: outcomes[0] };
}

describe("the process", () => {
  test("commands are refused unless they are allowed", async () => {
    for (const PIPEWRIGHT_ALLOW_COMMANDS of ["", "false", "1", "TRUE"]) {
      const { outcome } = await once({ run: `touch ${canary}` }, { env: { PIPEWRIGHT_ALLOW_COMMANDS } });
      expect(outcome).toMatchObject({ state: "failed", error: "commands are disabled", data: null });
    }
    expect(existsSync(canary)).toBe(false);
  });

  test("a command inherits the environment, but none of our own settings", async () => {
    const { outcome } = await once(
      { run: "env", parse: { split_by: "=", keys: ["name", "value"] } },
      { env: { ...allowed, TOKEN: "t", PIPEWRIGHT_MASTER_KEY: "secret", PIPEWRIGHT_API_KEYS: "k" } },
    );
    const names = JSON.parse(JSON.stringify(outcome?.data)).map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["TOKEN", "HOME", "PATH"]));
    expect(names.filter((name: string) => name.startsWith("PIPEWRIGHT_"))).toEqual([]);
  });

  test("a value stands in no list of processes", async () => {
    const { outcome } = await once({ run: "tr '\\0' ' ' < /proc/$$/cmdline; : a|body::v|" }, {}, { v: "s3cret" });
    expect(outcome?.data).toContain("pipewright_1");
    expect(outcome?.data).not.toContain("s3cret");
  });

  test("there is no input, so that nothing waits for one", async () => {
    expect((await once({ run: "cat; echo done" })).outcome?.data).toBe("done");
  });

  test("when the time is over, all that was started is killed", async () => {
    const file = join(folder, "pids");
    const run = `sleep 300 & echo $! >> ${file}; (trap '' TERM; sh -c 'echo $$ >> ${file}; sleep 301'); sleep 302`;
    const { outcome } = await once({ run, timeout: 3_000 });
    expect(outcome).toMatchObject({ state: "failed", error: "command timeout after 3000ms" });
    const pids = readFileSync(file, "utf8").trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    await until(() => expect(pids.filter(isAlive)).toEqual([]));
  });

  test("what goes on in the background cannot hold the action beyond its time", async () => {
    const { outcome } = await once({ run: "setsid sleep 20 & echo begun", timeout: 300 });
    expect(outcome).toMatchObject({ state: "failed", error: "command timeout after 300ms" });
  });

  test("closing the host kills what still runs", async () => {
    const file = join(folder, "left");
    const host = hostOf();
    const config = {
      name: "one",
      interfaces: { one: { method: "POST", actions: [{ name: "Run", command: { run: `echo $$ > ${file}; sleep 300` } }] } },
    };
    const running = runOnce(await evaluate((await printOne(planned(JSON.stringify(config)))).code), "one", {}, host);
    await until(() => expect(readFileSync(file, "utf8")).not.toBe(""));
    await host.close();
    expect((await running).outcomes[0]).toMatchObject({ state: "failed" });
    expect(isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test("output_stdout copies what the command writes", async () => {
    const printed: Buffer[] = [];
    const { outcome } = await once({ run: "printf 'a\\n'", output_stdout: true }, { print: (bytes) => printed.push(bytes) });
    expect([outcome?.data, Buffer.concat(printed).toString()]).toEqual(["a", "a\n"]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended stays in the list until its parent has waited for it.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
