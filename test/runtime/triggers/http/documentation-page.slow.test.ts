import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Served } from "#runtime/process/server.ts";
import { load } from "../../../../compiler/7-link/load.ts";
import { documentOf, planTexts, printAll } from "../../../../compiler/pipeline.ts";
import { type Browser, chromium, type Page, startBrowser, type View } from "../../../harness/browser.ts";

// `GET /documentation` in a browser (spec/surfaces 7): readable, usable by keyboard, and without requests to other hosts.

const text = `name: shop
docs: true
description: "Orders. See **Limits**.\\n\\n- at most \`100\` a minute"
interfaces:
  orders:
    method: POST
    summary: "<img src=x onerror=alert(1)>"
    tags: [Orders]
    actions: [{ name: Body, input: a|body|, assert: { tests: [{ value: a.b.c, regex: "^[a-z]{1,80}$", description: Letters }, { value: n, is_between: { min: 1, max: 9 } }] } }]
    produces: { example: { id: 1, text: "${"long ".repeat(60)}", deep: { on: true, no: null } } }
  one: { method: GET, route: "organisations/:organisation_identifier/departments/:department_identifier/attachments/:attachment_identifier", actions: [{ name: A, json_output: 1 }] }
  ping: { method: GET, summary: ${"unbroken".repeat(20)}, tags: [${"Tag".repeat(40)}], actions: [{ name: A, json_output: { pong: true } }] }
  gone: { method: DELETE, actions: [{ name: A, json_output: 1, assert: { http_code_on_error: 409, tests: [{ value: a, is_null: true }] } }] }
  put: { method: PUT, params: { q: { validate: { is_uuid: true } } }, actions: [{ name: A, json_output: 1 }] }
  patch: { method: PATCH, actions: [{ name: A, json_output: 1 }] }
`;

const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };

/** Texts of the page whose colour is too near to what is behind them: WCAG 2.2, 1.4.3, level AA. */
const dim = `(() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = (colors) => {
    context.clearRect(0, 0, 1, 1);
    for (const color of colors) { context.fillStyle = color; context.fillRect(0, 0, 1, 1); }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => (node === null ? ["Canvas"] : [...behind(node.parentElement), getComputedStyle(node).backgroundColor]);
  const ratio = (node, color) => {
    const ground = behind(node);
    const [high, low] = [light(paint([...ground, color])), light(paint(ground))].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const found = [];
  const look = (node, color, shown) => {
    const { fontSize, fontWeight, visibility } = getComputedStyle(node);
    if (visibility === "hidden" || node.getClientRects().length === 0) return;
    const size = parseFloat(fontSize);
    const enough = size >= 24 || (size >= 18.66 && fontWeight >= 700) ? 3 : 4.5;
    const is = ratio(node, color);
    if (is < enough) found.push(shown.trim().slice(0, 30) + " " + color + " " + is.toFixed(2));
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let at = walker.nextNode(); at !== null; at = walker.nextNode())
    if (at.data.trim() !== "" && !["SCRIPT", "STYLE"].includes(at.parentElement.tagName)) look(at.parentElement, getComputedStyle(at.parentElement).color, at.data);
  for (const field of document.querySelectorAll("[placeholder]")) look(field, getComputedStyle(field, "::placeholder").color, "placeholder of " + field.name);
  return { found, looked: document.querySelectorAll("article").length };
})()`;

/** The element that has the focus, and whether it can be seen that it has. */
const focused = `(() => {
  const node = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(node);
  const { width, height } = node.getBoundingClientRect();
  return { what: node.id || node.textContent.trim().slice(0, 22) || node.name, seen: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && width > 4 && height > 4 };
})()`;

const binary = chromium();

describe.skipIf(binary === undefined)("in a browser", () => {
  let browser: Browser;
  let service: Served;
  beforeAll(async () => {
    const planned = planTexts([{ file: "shop.yaml", text }]);
    const { configs, docs, serve } = await load(await printAll(planned), { docs: documentOf(planned) });
    service = await serve(configs, { address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, log: () => undefined, docs });
    browser = await startBrowser(String(binary));
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  /** The page once it shows its operations. */
  async function opened(view: View): Promise<Page> {
    const page = await browser.open(`${service.url}/documentation`, view);
    await page.evaluate(until("document.querySelectorAll('article').length > 0"));
    return page;
  }

  test.each<[string, View]>([
    ["wide and light", { ...wide, scheme: "light" }],
    ["wide and dark", { ...wide, scheme: "dark" }],
    ["narrow and light", { ...narrow, scheme: "light" }],
    ["narrow and dark", { ...narrow, scheme: "dark" }],
  ])("%s: it has no fault, fits, and is readable", async (_, view) => {
    const page = await opened(view);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    await page.evaluate("document.querySelector('#ping button[type=submit]').click()");
    await page.evaluate(until("document.querySelector('#ping [role=status]').textContent !== ''"));
    expect(await page.evaluate("document.querySelector('#ping [role=status]').textContent")).toBe("Answered with 200");
    expect(await page.evaluate(dim)).toEqual({ found: [], looked: 6 });
    expect(await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")).toBe(true);
    expect(await page.evaluate("document.querySelectorAll('main img, main script').length")).toBe(0);
    expect(page.faults).toEqual([]);
    expect([...new Set(page.asked)]).toEqual(["/documentation", "/docs.json", "/ping"].map((path) => `${service.url}${path}`));
  });

  test("its policy stops a script, a style, an image and a request of another host, and the test would see it", async () => {
    const page = await opened(wide);
    await page.evaluate(`(async () => {
      const script = document.createElement("script"); script.textContent = "window.ran = true"; document.body.append(script);
      const style = document.createElement("style"); style.textContent = "body { color: red }"; document.body.append(style);
      const image = new Image(); image.src = "https://a.example/x.png"; document.body.append(image);
      await fetch("https://a.example/").catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
    })()`);
    expect(await page.evaluate("window.ran")).toBeUndefined();
    for (const directive of ["script-src", "style-src", "img-src", "connect-src"]) expect(page.faults.join("\n")).toContain(directive);
  });

  test("each stop of the Tab key can be seen, and the first one skips the list without moving anything", async () => {
    const page = await opened(wide);
    const left = "document.querySelector('main').getBoundingClientRect().left";
    const before = await page.evaluate(left);
    const stops: unknown[] = [];
    for (let i = 0; i < 16; i++) {
      await page.press("Tab");
      stops.push(await page.evaluate(focused));
      if (i === 0) expect(await page.evaluate(left)).toBe(before);
    }
    expect(stops[0]).toMatchObject({ what: "Skip to the operations" });
    expect(stops.filter((stop) => (stop as { seen: boolean }).seen)).toHaveLength(16); // as `focused` gives them
    await page.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("search");
  });

  test("on a narrow screen the list is a menu, which a choice or Escape closes", async () => {
    const page = await opened(narrow);
    const open = "document.getElementById('menu').open";
    expect(await page.evaluate(open)).toBe(false);
    await page.press("/");
    expect(await page.evaluate(open)).toBe(true);
    await page.press("Escape");
    expect(await page.evaluate(`${open} || document.activeElement.tagName`)).toBe("SUMMARY");
    await page.press("Enter");
    expect(await page.evaluate(open)).toBe(true);
    await page.evaluate("document.querySelector('#index a').click()");
    expect(await page.evaluate(open)).toBe(false);
  });

  test("who wants little motion has none", async () => {
    const behavior = "getComputedStyle(document.documentElement).scrollBehavior";
    expect(await (await opened(wide)).evaluate(behavior)).toBe("smooth");
    expect(await (await opened({ ...wide, reducedMotion: true })).evaluate(behavior)).toBe("auto");
  });
});

/** An expression that waits for another one, for at most five seconds. */
const until = (condition: string): string =>
  `(async () => { for (let i = 0; i < 1_200 && !(${condition}); i++) await new Promise((resolve) => setTimeout(resolve, 50)); })()`;
