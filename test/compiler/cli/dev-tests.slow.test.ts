import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dev } from "../../../compiler/cli/dev.ts";
import { templateProject } from "../../harness/template-project.ts";
import { until } from "../../harness/until.ts";

// `pipewright dev` and its key `t`: the contract tests run beside what is served.

test("t runs the tests of the project, says how they ended, and the service serves on", async () => {
  const { folder, remove } = await templateProject("plain", []);
  let said = "";
  let press: (key: string) => void = () => undefined;
  const say = (text: string): void => {
    said += text;
  };
  const ended = dev(
    ["."],
    { address: "127.0.0.1", port: "0", ephemeral: true },
    {
      cwd: folder,
      out: say,
      err: say,
      isTerminal: true,
      colors: { out: false, err: false },
      env: { PIPEWRIGHT_METRICS_BIND: "off", PIPEWRIGHT_ADMIN_BIND: "off" },
      keys: (pressed) => {
        press = pressed;
        return () => undefined;
      },
    },
  );
  await until(() => expect(said).toContain("listening"));
  press("t");
  await until(() => expect(said).toMatch(/✓ greets by name\n[\s\S]*1 passed/));
  const [, url = ""] = /listening url=(\S+)/.exec(said) ?? [];
  expect(await (await fetch(`${url}/hello/you`)).json()).toEqual({ text: "Hello, you!" });
  press("q");
  expect(await ended).toBe(0);
  expect(existsSync(join(folder, ".pipewright"))).toBe(false);
  remove();
});
