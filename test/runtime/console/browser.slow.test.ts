import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, chromium, type Page, startBrowser } from "../../harness/browser.ts";
import { ownFolder } from "../../harness/captured.ts";
import { until } from "../../harness/until.ts";
import { type ConsoleService, config, consoleService, hostile, key, waits } from "./console-service.ts";
import { largeQuestions, largeService, scrolled } from "./large-service.ts";

// The console in a browser: by keys alone, for users of any ability, with hostile texts in its data.

const adminKey = "a-key-that-may-also-change-runs";
const binary = chromium();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const strange = `
name: ${JSON.stringify(hostile.name)}
interfaces:
  echo:
    summary: ${JSON.stringify(hostile.text)}
    method: POST
    route: /echo
    capture: all
    actions:
      - { name: Body, input: a|body| }
      - { name: LOAD_ALL_WARM_CUSTOMERS, json_output: 1 }
      - { name: Look_up_all_customers_of_the_summer, json_output: 2 }
`;

describe.skipIf(binary === undefined)("the console in a browser", () => {
  let browser: Browser;
  let folder: ReturnType<typeof ownFolder>;
  let one: ConsoleService;
  const pages: Page[] = [];
  beforeAll(async () => {
    browser = await startBrowser(binary ?? "");
    folder = ownFolder();
    // A run waits only where something outlives the process.
    const env = { ...folder.env, PIPEWRIGHT_ADMIN_KEYS: adminKey, PIPEWRIGHT_STATE_DATABASE_URL: `sqlite:${folder.folder}.db` };
    one = await consoleService(env, config, strange, waits);
    await one.order(1);
    await one.order(0);
    await until(async () => expect((await one.told("/api/v1/runs")).runs).toHaveLength(2));
  });
  afterAll(async () => {
    await browser.close();
    await one.served.close();
    folder.remove();
    // No page has reported an error, or sent a request to another host.
    for (const { faults, asked } of pages) {
      expect(faults.filter((fault) => !/status of 40[13]/.test(fault))).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(one.admin) && !url.startsWith("data:") && !url.startsWith("blob:"))).toEqual([]);
    }
  });

  /** Opens a place of the console in a tab that has the key. */
  async function opened(place: string, view: Partial<Parameters<Browser["open"]>[1]> = {}): Promise<Page> {
    const page = await browser.open(`${one.admin}/console`, { width: 1280, height: 900, ...view });
    pages.push(page);
    await page.evaluate(`sessionStorage.setItem("pipewright-key", ${JSON.stringify(key)}); location.hash = ${JSON.stringify(place)}`);
    await page.evaluate("location.reload()");
    return page;
  }

  const textOf = async (page: Page, selector = "main"): Promise<string> =>
    String(await page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent).join("\\n")`));
  const sees = (page: Page, text: string, selector?: string): Promise<void> =>
    until(async () => expect(await textOf(page, selector)).toContain(text));
  const focused = async (page: Page): Promise<string> => String(await page.evaluate("document.activeElement?.textContent"));

  /** Begins a run that waits; gives its id. */
  async function waiting(): Promise<string> {
    const body = JSON.stringify({ token: `a token of some length ${Math.random()}` });
    const response = await fetch(`${one.url}/approve`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return response.headers.get("x-request-id") ?? "";
  }
  const statusOf = async (id: string): Promise<unknown> => (await one.told(`/api/v1/durable-runs/${id}`)).status;

  test("a waiting run is cancelled or resumed once that was confirmed, by a key that may", async () => {
    const [first, second] = [await waiting(), await waiting()];
    const page = await opened("#/waiting");
    const click = (at: string) => until(() => page.evaluate(`document.querySelector(${JSON.stringify(at)}).click()`));
    await sees(page, first);
    await click(`[aria-label="Cancel ${first}"]`);
    await sees(page, "Cancel this run of approve?", "dialog");
    expect(await statusOf(first)).toBe("waiting");
    await click("dialog [type=submit]");
    await sees(page, "only keys of PIPEWRIGHT_ADMIN_KEYS may change runs", "dialog");
    await page.evaluate(`sessionStorage.setItem("pipewright-key", ${JSON.stringify(adminKey)})`);
    await click("dialog [type=submit]");
    await until(async () => expect(await statusOf(first)).toBe("cancelled"));
    await until(async () => expect(await textOf(page)).not.toContain(first));
    await click(`[aria-label="Resume ${second}"]`);
    await sees(page, "Approval until", "dialog");
    await page.evaluate(axe);
    expect(await page.evaluate("axe.run(document).then(({ violations }) => violations.map(({ id }) => id))")).toEqual([]);
    await click("dialog [type=submit]");
    await until(async () => expect(await statusOf(second)).toBe("done"));
  });

  test("a wrong key is told, and the right one opens the map", async () => {
    const page = await browser.open(`${one.admin}/console`, { width: 1280, height: 900 });
    pages.push(page);
    const enter = async (text: string): Promise<void> => {
      await until(async () => expect(await page.evaluate("document.activeElement?.id")).toBe("key"));
      for (const sign of text) await page.press(sign);
      await page.press("Enter");
    };
    await enter("a-wrong-key-of-some-length");
    await sees(page, "This key is not known here.", '[role="alert"]');
    await enter(key);
    await sees(page, "/orders/:shop");
    // The key is in no address, and nothing outlives the tab.
    expect(await page.evaluate("location.href + document.cookie + JSON.stringify(localStorage)")).not.toContain(key);
  });

  test("by keys alone: search, an interface, its lines, back, the runs, one run", async () => {
    const page = await opened("#/");
    await sees(page, "/orders/:shop");
    await page.press("/");
    for (const sign of "takes") await page.press(sign);
    await until(async () => expect(await page.evaluate('document.querySelectorAll(".list a").length')).toBe(1));
    await page.press("Escape");
    await page.press("ArrowDown");
    await until(async () => expect(await focused(page)).toContain("/orders/:shop"));
    await page.press("Enter");
    await sees(page, "Printed module");
    await page.evaluate("document.querySelector('.lines[aria-labelledby=\"head-YAML\"]').focus()");
    await page.press("ArrowDown");
    await until(async () => expect(await page.evaluate('document.querySelectorAll(".lines .current").length')).toBeGreaterThan(1));
    await page.press("Escape");
    await sees(page, "Schedules");
    await page.press("r");
    await until(async () => expect(await page.evaluate('document.querySelectorAll(".runs .row").length')).toBe(2));
    await page.press("End");
    await page.press("Home");
    await page.press("Enter");
    await sees(page, "Actions over time");
    await sees(page, "is_greater_than: expected target 0", ".waterfall");
    await sees(page, "shop.yaml:", ".frame");
    await page.press("?");
    await until(async () => expect(await page.evaluate('document.querySelector("dialog")?.open')).toBe(true));
    await page.press("Escape");
    await until(async () => expect(await page.evaluate('document.querySelector("dialog[open]")')).toBe(null));
  });

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const)("axe finds nothing in %s at %i, and nothing is wider than the screen", async (scheme, width) => {
    const [run] = (await one.told("/api/v1/runs")).runs as { run_uuid: string }[];
    await waiting();
    const places = ["#/", "#/interface/Shop/order", "#/interface/Shop/each", "#/runs", `#/run/${run?.run_uuid}`, "#/waiting", "#/cluster"];
    for (const place of places) {
      const page = await opened(place, { scheme, width });
      await until(async () =>
        expect(await page.evaluate('document.querySelectorAll("main .list li, main .card").length')).toBeGreaterThan(0),
      );
      await page.evaluate(axe);
      const found = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]))",
      );
      expect([place, found]).toEqual([place, []]);
      expect([place, await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")]).toEqual([
        place,
        false,
      ]);
    }
  });

  test("names and data of strangers stay text, and what nobody sees is shown by its number", async () => {
    const sent = { hostile: hostile.text, [hostile.name]: [hostile.name], long: "x".repeat(200_000) };
    const response = await fetch(`${one.url}/echo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(sent),
    });
    expect(response.status).toBe(200);
    const found = await until(async () => {
      const { runs } = (await one.told("/api/v1/runs")) as { runs: { run_uuid: string; config: string }[] };
      const [run] = runs.filter((each) => each.config === hostile.name);
      if (run === undefined) throw new Error("it is not recorded yet");
      return run.run_uuid;
    });
    for (const place of ["#/", `#/interface/${encodeURIComponent(hostile.name)}/echo`, "#/runs", `#/run/${found}`]) {
      const page = await opened(place);
      await sees(page, hostile.name);
      expect(await page.evaluate("document.querySelectorAll('#app img, #app script, #app b b').length")).toBe(0);
      expect(await page.evaluate("/[\\u202e\\u2066]/.test(document.body.innerText)")).toBe(false);
      expect(await page.evaluate("document.title")).toContain("pipewright");
    }
    const page = await opened(`#/run/${found}`);
    await sees(page, "‹U+202E›");
    await sees(page, "</script><script>");
    // The graph is drawn after the texts; its names end inside their boxes.
    await until(async () => expect(await page.evaluate("document.querySelectorAll('.action').length")).toBe(3));
    const beyond = `[...document.querySelectorAll(".action")].flatMap((action) => {
      const { right } = action.querySelector("rect").getBoundingClientRect();
      return [...action.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().right > right).map((text) => text.textContent);
    })`;
    expect(await page.evaluate(beyond)).toEqual([]);
  });

  test("a value of ten million characters is cut before it is shown", async () => {
    const page = await opened("#/runs");
    await sees(page, "order");
    const record = {
      ...{ run_uuid: "00000000-0000-4000-8000-000000000001", parent: null, config: "Shop", interface: "order", trigger: "http" },
      ...{ started: new Date().toISOString(), ms: 3, status: 200, request: { params: {}, headers: {}, body: "PLACE" } },
      actions: [],
    };
    // A store bounds what it keeps; the page does not rely on that.
    await page.evaluate(`(() => {
      const text = ${JSON.stringify(JSON.stringify(record))}.replace("PLACE", "y".repeat(10_000_000));
      const asks = window.fetch;
      window.fetch = (url, ...more) => String(url).endsWith("-000000000001") ? Promise.resolve(new Response(text)) : asks(url, ...more);
      location.hash = "#/run/00000000-0000-4000-8000-000000000001";
    })()`);
    await sees(page, "more characters are not shown");
    expect(await page.evaluate("document.body.innerText.length")).toBeLessThan(100_000);
  });
});

describe.skipIf(binary === undefined)("1,000 interfaces and 10,000 runs", () => {
  test("are listed, searched and scrolled, each question within its time", async () => {
    const { one, close } = await largeService();
    const browser = await startBrowser(binary ?? "");
    try {
      // Counted in processor time: what else the machine does is no part of it.
      for (const path of largeQuestions) {
        expect((await one.ask(path)).status).toBe(200);
        const began = process.cpuUsage();
        for (let round = 0; round < 15; round++) expect((await one.ask(path)).status).toBe(200);
        const { user, system } = process.cpuUsage(began);
        const ms = (user + system) / 15_000;
        console.log(`${path}: ${ms.toFixed(1)} ms`);
        expect(ms).toBeLessThan(50);
      }
      const page = await browser.open(`${one.admin}/console`, { width: 1280, height: 900 });
      await page.evaluate(`sessionStorage.setItem("pipewright-key", ${JSON.stringify(key)}); location.reload()`);
      await until(async () => expect(await page.evaluate('document.querySelector(".count")?.textContent')).toBe("1,000 interfaces"));
      // However long a list is, only what is in view is there: so scrolling costs the same for ten rows and for ten thousand.
      const shown = (): Promise<unknown> => page.evaluate('document.querySelectorAll(".list li").length');
      expect(await shown()).toBeLessThan(60);
      expect(await page.evaluate(scrolled)).toMatchObject({ isThrough: true });
      expect(await shown()).toBeLessThan(60);
      await page.evaluate('location.hash = "#/runs"');
      await until(async () => expect(await page.evaluate('document.querySelectorAll(".runs .list li").length')).toBeGreaterThan(20));
      await until(async () => {
        await page.evaluate('(() => { const list = document.querySelector(".list"); list.scrollTop = list.scrollHeight; })()');
        expect(await page.evaluate('document.querySelector(".count")?.textContent')).toBe("10,000 runs");
      });
      expect(await shown()).toBeLessThan(60);
      const began = await page.worked();
      const { isThrough, frames } = (await page.evaluate(scrolled)) as { isThrough: boolean; frames: number };
      const work = ((await page.worked()) - began) / frames;
      console.log(`a frame of scrolling 10,000 runs takes ${work.toFixed(2)} ms of the main thread`);
      expect(isThrough).toBe(true);
      // 60 frames a second.
      expect(work).toBeLessThan(16.6);
    } finally {
      await browser.close();
      await close();
    }
  });
});
