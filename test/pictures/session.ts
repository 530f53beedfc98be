import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium, type Page, startBrowser } from "../harness/browser.ts";
import { root } from "../harness/folders.ts";
import { animated, type Frame } from "./animated.ts";

// `node test/pictures/session.ts EDITOR` records one session as docs/images/session.webp: a configuration is edited, F5 serves it, a
// request stops at a line of the YAML, and its run is looked at in the page of `dev`. EDITOR is the address of
// Visual Studio Code in a browser (code-server) with our extension. The folder with the file `orders.yaml` below is open there, and nothing
// listens at the port of `dev`.
/*
name: shop
interfaces:
  orders:
    method: POST
    output: http
    capture: all
    actions:
      - name: Check
        input: a|body|
        assert:
          tests:
            - { value: amount, is_greater_than: 0 }
      - name: Price
        run_when_succeeded: [Check]
        json_output: { amount: a|Check::amount|, currency: EUR }
        post_transforms:
          - rename_keys: { amount: total }
          - add_attribute: { paid: false }
*/

const file = "orders.yaml";
const served = "http://127.0.0.1:4111";
const view = { width: 1160, height: 720 } as const;
const frames: Frame[] = [];

async function seen(page: Page, question: string): Promise<void> {
  for (const until = performance.now() + 90_000; performance.now() < until; await sleep(50))
    if ((await page.evaluate(question)) === true) return;
  writeFileSync("session-failed.png", await page.shot());
  throw new Error(`this has not happened: ${question}`);
}

async function take(page: Page, ms: number): Promise<void> {
  await sleep(500); // what moves comes to rest
  frames.push({ webp: await page.picture(), ms });
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The box of the first element whose text has the words. */
async function boxOf(page: Page, selector: string, words: string): Promise<Box> {
  const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.textContent.replaceAll("\u00a0", " ").includes(${JSON.stringify(words)}))`;
  await seen(page, `${found} !== undefined`);
  return (await page.evaluate(`${found}.getBoundingClientRect().toJSON()`)) as Box; // a rectangle of the page
}

async function click(page: Page, selector: string, words: string): Promise<void> {
  const { x, y, width, height } = await boxOf(page, selector, words);
  await page.click(x + Math.min(width, 60) / 2, y + height / 2);
}

const order = (): Promise<Response> =>
  fetch(`${served}/orders`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"amount": 12}' });

async function type(page: Page, text: string): Promise<void> {
  for (const key of text) await page.press(key);
}

/** A line with a misspelt name is written, and mended. */
async function edit(page: Page): Promise<void> {
  await click(page, ".explorer-folders-view .monaco-list-row", file);
  // Its lenses come from the language server.
  await boxOf(page, ".codelens-decoration", "POST /orders");
  await click(page, ".view-line", "add_attribute");
  await page.press("End");
  await page.press("Enter");
  await type(page, "- add_attribute: { due: a|Chec::amount| }");
  await page.press("Escape");
  await seen(page, 'document.querySelector(".squiggly-error") !== null');
  await take(page, 2_500);
  for (let n = 0; n < "::amount| }".length; n++) await page.press("ArrowLeft");
  await type(page, "k");
  await page.press("Escape");
  await seen(page, 'document.querySelector(".squiggly-error") === null');
  await take(page, 1_500);
}

/** F5 serves the project; a request stops at the line of a transform and goes on. */
async function debug(page: Page): Promise<void> {
  const line = await boxOf(page, ".view-line", "rename_keys");
  const margin = await boxOf(page, ".margin-view-overlays", "");
  await page.click(margin.x + 10, line.y + line.height / 2);
  await seen(page, 'document.querySelector(".codicon-debug-breakpoint") !== null');
  await page.press("F5");
  await seen(
    page,
    'document.querySelector(".codicon-debug-breakpoint") !== null && document.querySelector(".debug-call-stack .monaco-list-row") !== null',
  );
  await take(page, 1_500);
  const answer = order();
  await seen(page, 'document.querySelector(".debug-top-stack-frame-line") !== null');
  await seen(page, 'document.querySelectorAll(".debug-variables .monaco-list-row").length > 2');
  await take(page, 4_000);
  await page.press("F5");
  const { status } = await answer;
  if (status !== 200) throw new Error(`the request was answered by ${status}`);
  await seen(page, 'document.querySelector(".debug-top-stack-frame-line") === null');
}

/** The run in the page of `dev`. */
async function look(page: Page): Promise<void> {
  await seen(page, 'document.querySelector(".list a") !== null');
  await page.evaluate('document.querySelector(".list a").click()');
  await seen(page, 'document.querySelector(".waterfall") !== null');
  await take(page, 4_000);
}

const [editor] = process.argv.slice(2);
const binary = chromium();
if (binary === undefined || editor === undefined) throw new Error("this needs Chromium, and the address of an editor");
const browser = await startBrowser(binary);
try {
  const page = await browser.open(editor, view);
  await edit(page);
  await debug(page);
  await look(await browser.open(`${served}/_pipewright/dev#/runs`, view));
  const recorded = animated(frames, view);
  writeFileSync(join(fileURLToPath(new URL("docs/images/", root)), "session.webp"), recorded);
  console.log(`docs/images/session.webp: ${frames.length} pictures, ${recorded.length} bytes`);
} finally {
  await browser.close();
}
