import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { consoleParts } from "../../compiler/console/page.ts";
import { builtPlayground } from "../../scripts/build/playground.mjs";
import { type Browser, chromium, type Page, startBrowser } from "../harness/browser.ts";
import { root } from "../harness/folders.ts";
import { key } from "../runtime/console/console-service.ts";
import { largeQuestions, largeService, scrolled } from "../runtime/console/large-service.ts";
import { median, quantile } from "./statistics.ts";
import { figure, table } from "./table.ts";

/** The cost of opening a page, in milliseconds since the address was entered; a median of several openings. */
export interface PageReport {
  readonly page: string;
  /** The factor by which the processor is slowed down. */
  readonly slowdown: number;
  readonly painted: number;
  /** Its content is there, and no task of 50 ms or more holds it up any more. */
  readonly interactive: number;
  /** The time beyond 50 ms of all tasks until then. */
  readonly blocked: number;
}

export interface ScrollReport {
  /** Milliseconds of the main thread for a frame. */
  readonly work: number;
  /** Frames that the page has drawn in a second in which a wheel was turned, counted by their time stamps. */
  readonly counted: number;
  /** Frames in a second in which the same list stands still: as many as the browser draws here. */
  readonly still: number;
  /** The longest time between two frames, in milliseconds. */
  readonly longest: number;
}

export interface PagesReport {
  readonly kilobytes: Readonly<Record<string, number>>;
  readonly pages: readonly PageReport[];
  /** Scrolling by list. */
  readonly frames: Readonly<Record<string, ScrollReport>>;
  /** Milliseconds of the processor for a question of the console. */
  readonly questions: Readonly<Record<string, number>>;
}

const rounds = 5;

/** A page is at rest that had no long task for so long. */
const restMs = 2_000;

/** Notes when a part of the page is there, and all tasks of 50 ms and more. */
const watching = (selector: string): string => `{
  globalThis.pwLong = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) globalThis.pwLong.push([startTime, duration]);
  }).observe({ type: "longtask", buffered: true });
  const look = () => (document.querySelector(${JSON.stringify(selector)}) === null ? requestAnimationFrame(look) : (globalThis.pwThere = performance.now()));
  addEventListener("DOMContentLoaded", look);
}`;

/** An expression that is evaluated when the content is there. It resolves when the page is at rest. */
const rested = `new Promise((resolve) => {
  const look = () => {
    const last = Math.max(globalThis.pwThere, ...globalThis.pwLong.map(([from, ms]) => from + ms));
    if (performance.now() - last < ${restMs}) return setTimeout(look, 100);
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    resolve({ painted: paint.startTime, interactive: last, blocked: globalThis.pwLong.reduce((sum, [, ms]) => sum + ms - 50, 0) });
  };
  look();
})`;

interface Opening {
  readonly page: string;
  readonly url: string;
  /** Selects an element that is there when the page shows what it is for. */
  readonly content: string;
  readonly before?: string;
}

async function measure(browser: Browser, { page: name, url, content, before = "" }: Opening, slowdown: number): Promise<PageReport> {
  const all: Omit<PageReport, "page" | "slowdown">[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await browser.open(url, { width: 1280, height: 900, slowdown, before: `${before};${watching(content)}` });
    await seen(page, "globalThis.pwThere !== undefined");
    all.push((await page.evaluate(rested)) as Omit<PageReport, "page" | "slowdown">); // as the script above makes it
    await page.close();
  }
  const middle = (of: (each: Omit<PageReport, "page" | "slowdown">) => number): number => median(all.map(of));
  return {
    page: name,
    slowdown,
    painted: middle((each) => each.painted),
    interactive: middle((each) => each.interactive),
    blocked: middle((each) => each.blocked),
  };
}

/** Measures the size and the times of console and playground, also with a large service; undefined without a browser. */
export async function benchPages(): Promise<PagesReport | undefined> {
  const binary = chromium();
  if (binary === undefined) return undefined;
  const browser = await startBrowser(binary);
  const files = await builtPlayground(root.pathname);
  const server = createServer((request, response) => {
    const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
    const kind = { html: "text/html", css: "text/css", js: "text/javascript" }[name.split(".").at(-1) ?? ""] ?? "text/plain";
    response.writeHead(files[name] === undefined ? 404 : 200, { "content-type": kind }).end(files[name]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { one, close } = await largeService();
  try {
    const signedIn = `sessionStorage.setItem("pipewright-key", ${JSON.stringify(key)})`;
    const openings: readonly Opening[] = [
      { page: "console, map of 1,000 interfaces", url: `${one.admin}/console`, content: ".map .list a", before: signedIn },
      { page: "console, 10,000 runs", url: `${one.admin}/console#/runs`, content: ".runs .list a", before: signedIn },
      // The address of a server that listens has a port.
      { page: "playground, first compile", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, content: ".module pre" },
    ];
    const pages: PageReport[] = [];
    for (const slowdown of [1, 4]) for (const opening of openings) pages.push(await measure(browser, opening, slowdown));
    const { page, style, script } = await consoleParts();
    const kilobytes = { console: packed(page, style, script), playground: packed(...Object.values(files)) };
    const frames = await scrolling(browser, `${one.admin}/console`, signedIn);
    return { kilobytes, pages, frames, questions: await asking(one.ask) };
  } finally {
    await close();
    server.close();
    await browser.close();
  }
}

/** Asks until the answer is true; a page on which that never happens ends the measurement. */
async function seen(page: Page, question: string): Promise<void> {
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(10)) {
    if ((await page.evaluate(question)) === true) return;
  }
  throw new Error(`this has not happened within a minute: ${question}`);
}

const packed = (...texts: readonly string[]): number => texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1_000;

/** Notes the time of each frame from here on. */
const noting = `{
  const times = (globalThis.pwFrames = []);
  const note = (now) => globalThis.pwFrames === times && (times.push(now), requestAnimationFrame(note));
  requestAnimationFrame(note);
}`;

/** Turns of the wheel while frames are counted, and what one turns: a row and a half. */
const turns = 120;
const turned = 100;

/** Frames a second and the longest time between two of them, while something is done. */
async function counted(page: Page, act: () => Promise<void>): Promise<{ readonly counted: number; readonly longest: number }> {
  await page.evaluate(noting);
  await act();
  const times = (await page.evaluate("globalThis.pwFrames.splice(0)")) as readonly number[]; // as the script notes them
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? time));
  const span = gaps.reduce((sum, gap) => sum + gap, 0);
  return { counted: (gaps.length * 1_000) / span, longest: Math.max(...gaps) };
}

async function wheeled(page: Page): Promise<void> {
  await page.evaluate('document.querySelector(".list").scrollTop = 0');
  for (let n = 0; n < turns; n++) await page.wheel(400, 600, turned);
  if ((await page.evaluate('document.querySelector(".list").scrollTop > 1000')) !== true) throw new Error("the wheel has turned nothing");
}

async function scrolling(browser: Browser, url: string, before: string): Promise<PagesReport["frames"]> {
  const frames: Record<string, ScrollReport> = {};
  for (const [name, place] of [
    ["1,000 interfaces", "#/"],
    ["10,000 runs", "#/runs"],
  ] as const) {
    const page = await browser.open(`${url}${place}`, { width: 1280, height: 900, before });
    await seen(page, 'document.querySelectorAll(".list a").length >= 20');
    // More runs are read as the end comes near.
    const end = '((list) => { list.scrollTop = list.scrollHeight; })(document.querySelector(".list"))';
    await seen(page, `(${end}, document.querySelector(".count").textContent === ${JSON.stringify(name)})`);
    const began = await page.worked();
    const { frames: count } = (await page.evaluate(scrolled)) as { frames: number }; // as the script makes it
    const work = ((await page.worked()) - began) / count;
    const { counted: still } = await counted(page, () => sleep(2_000));
    frames[name] = { work, still, ...(await counted(page, () => wheeled(page))) };
    await page.close();
  }
  return frames;
}

async function asking(ask: (path: string) => Promise<{ readonly status: number }>): Promise<Readonly<Record<string, number>>> {
  const questions: Record<string, number> = {};
  for (const path of largeQuestions) {
    const times: number[] = [];
    for (let round = 0; round < 50; round++) {
      const began = performance.now();
      await ask(path);
      times.push(performance.now() - began);
    }
    questions[path] = quantile(times, 0.5);
  }
  return questions;
}

export function pagesTable({ kilobytes, pages, frames, questions }: PagesReport): string {
  const ok = (isOk: boolean, goal: string): string => `${goal} ${isOk ? "ok" : "MISSED"}`;
  const limits: Readonly<Record<string, number>> = { console: 150, playground: 900 };
  return [
    table(
      ["page", "kB compressed", "goal"],
      Object.entries(kilobytes).map(([page, size]) => [page, figure(size), ok(size <= (limits[page] ?? 0), `<= ${limits[page]}`)]),
    ),
    table(
      ["page", "slower", "painted ms", "interactive ms", "blocked ms"],
      pages.map(({ page, slowdown, painted, interactive, blocked }) => [
        page,
        `${slowdown} x`,
        figure(painted),
        figure(interactive),
        figure(blocked),
      ]),
    ),
    table(
      ["scrolling", "ms a frame", "goal", "frames a second", "at rest", "longest ms", "goal"],
      Object.entries(frames).map(([list, { work, counted: drawn, still, longest }]) => [
        list,
        figure(work),
        ok(work <= 16.6, "<= 16.6"),
        figure(drawn),
        figure(still),
        figure(longest),
        ok(drawn >= 0.97 * Math.min(60, still), ">= 60, or as at rest"),
      ]),
    ),
    table(
      ["question", "p50 ms", "goal"],
      Object.entries(questions).map(([path, ms]) => [path, figure(ms), ok(ms <= 50, "<= 50")]),
    ),
  ].join("\n");
}
