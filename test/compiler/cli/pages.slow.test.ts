import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dev } from "../../../compiler/cli/dev.ts";
import { type Browser, chromium, startBrowser } from "../../harness/browser.ts";
import { templateProject } from "../../harness/template-project.ts";
import { run } from "../../harness/terminal.ts";
import { until } from "../../harness/until.ts";

// The pages of `dev` and of the coverage as a browser shows them: without a fault, and not wider than the screen.

const binary = chromium();
const views = [
  { width: 1280, height: 900, scheme: "light" },
  { width: 1280, height: 900, scheme: "dark" },
  { width: 390, height: 844, scheme: "light" },
] as const;
const tooWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

describe.skipIf(binary === undefined)("in a browser", () => {
  let browser: Browser;
  let project: Awaited<ReturnType<typeof templateProject>>;
  beforeAll(async () => {
    browser = await startBrowser(binary ?? "");
    project = await templateProject("http-sqlite", []);
  });
  afterAll(async () => {
    await browser.close();
    project.remove();
  });

  test("dev lists the routes with their places", async () => {
    let said = "";
    let press: (key: string) => void = () => undefined;
    const say = (text: string): void => {
      said += text;
    };
    const keys = (pressed: (key: string) => void) => {
      press = pressed;
      return () => undefined;
    };
    const env = { PIPEWRIGHT_METRICS_BIND: "off", PIPEWRIGHT_ADMIN_BIND: "off" };
    const flags = { address: "127.0.0.1", port: "0", ephemeral: true };
    const ended = dev(["."], flags, {
      cwd: project.folder,
      out: say,
      err: say,
      isTerminal: true,
      colors: { out: false, err: false },
      env,
      keys,
    });
    await until(() => expect(said).toContain("listening"));
    const [, url = ""] = /listening url=(\S+)/.exec(said) ?? [];
    for (const view of views) {
      const page = await browser.open(url, view);
      const rows = `[...document.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent).join(" "))`;
      await until(async () => expect(await page.evaluate(`${rows}.length`)).toBe(5));
      expect((await page.evaluate(rows)) as string[]).toEqual([
        "Method Path Interface Configuration Where",
        expect.stringMatching(/^POST \/notes notes\/create Notes notes\.yaml:\d+$/),
        ...["list", "read", "delete"].map((name) => expect.stringContaining(` notes/${name} Notes notes.yaml:`)),
      ]);
      expect([await page.evaluate(tooWide), page.faults]).toEqual([false, []]);
    }
    press("q");
    expect(await ended).toBe(0);
  });

  test("the coverage shows the lines of each file, and asks for nothing", async () => {
    expect(await run(project.folder, "test", ".", "--coverage=html")).toMatchObject({ status: 0 });
    const url = pathToFileURL(join(project.folder, "coverage", "index.html")).href;
    for (const view of views) {
      const page = await browser.open(url, view);
      expect(
        await page.evaluate(`document.querySelectorAll(".source li").length > 100 && document.querySelectorAll("tbody tr").length`),
      ).toBe(1);
      expect([await page.evaluate(tooWide), page.faults, page.asked.filter((address) => address !== url)]).toEqual([false, [], []]);
    }
  });
});
