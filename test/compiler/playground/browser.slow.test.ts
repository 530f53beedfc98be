import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtPlayground, examplesOf } from "../../../scripts/build/playground.mjs";
import type { Files } from "../../../templates/playground/compiled.ts";
import { fragmentOf } from "../../../templates/playground/share.ts";
import { type Browser, chromium, type Page, startBrowser } from "../../harness/browser.ts";
import { root } from "../../harness/folders.ts";
import { until } from "../../harness/until.ts";
import { commanded } from "./commanded.ts";

// The playground as it is built, from a server of files that does nothing else.

const files = await builtPlayground(root.pathname);
const kinds: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

test("all of it is small, and nothing is loaded from elsewhere", () => {
  const sizes = Object.entries(files).map(([name, text]) => [name, gzipSync(text).length] as const);
  const sum = sizes.reduce((total, [, bytes]) => total + bytes, 0);
  console.log(`the playground is ${Math.round(sum / 1_000)} kB compressed: ${sizes.map(([name, bytes]) => `${name} ${bytes}`).join(", ")}`);
  expect(sum).toBeLessThan(900_000);
  const page = files["index.html"] ?? "";
  expect(page).toContain("default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'");
  expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual(["data:,", "page.css", "page.js"]);
  expect(page).not.toMatch(/<script(?! src=)|<style| style=| on\w+=/);
});

/** Ways out of a worker: each gives a promise, or throws. */
const ways: Readonly<Record<string, string>> = {
  fetch: 'fetch("/outside-fetch")',
  "fetch of the prototype": 'WorkerGlobalScope.prototype.fetch.call(self, "/outside-prototype")',
  "fetch of the chain": 'Reflect.get(Object.getPrototypeOf(Object.getPrototypeOf(self)), "fetch").call(self, "/outside-chain")',
  XMLHttpRequest: '(() => { const x = new XMLHttpRequest(); x.open("GET", "/outside-xhr", false); x.send(); })()',
  importScripts: 'importScripts("/outside-scripts.js")',
  "importScripts of the prototype": 'WorkerGlobalScope.prototype.importScripts.call(self, "/outside-scripts.js")',
  WebSocket: 'new WebSocket("ws://127.0.0.1:1/outside")',
  EventSource: 'new EventSource("/outside-events")',
  Worker: 'new Worker("/outside-worker.js")',
  indexedDB: 'indexedDB.open("outside")',
  caches: 'caches.open("outside")',
  BroadcastChannel: 'new BroadcastChannel("outside")',
};

/** Runs in the worker behind the compiler: what it finds in its scope, and what becomes of each way out. */
const probe = `(() => {
  const chain = [];
  for (let at = self; at !== null; at = Object.getPrototypeOf(at)) chain.push(at);
  const outward = /^(?:fetch|fetchLater|XMLHttpRequest|WebSocket.*|WebTransport|EventSource|importScripts|indexedDB|caches|(?:Shared)?Worker|BroadcastChannel|webkitRequest.*|webkitResolve.*|CacheStorage|IDBFactory)$/;
  const of = (at) => Object.getOwnPropertyNames(at).filter((name) => {
    if (!outward.test(name)) return false;
    const { value, get } = Object.getOwnPropertyDescriptor(at, name);
    return value !== undefined || get !== undefined;
  });
  const tried = {};
  const attempts = { ${Object.entries(ways)
    .map(([name, code]) => `${JSON.stringify(name)}: async () => ${code}`)
    .join(", ")} };
  addEventListener("message", async () => {
    for (const [name, attempt] of Object.entries(attempts)) tried[name] = await attempt().then(() => "done", () => "refused");
    postMessage({ probe: { left: chain.flatMap(of), tried } });
  });
})();`;

const binary = chromium();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe.skipIf(binary === undefined)("the playground in a browser", () => {
  let browser: Browser;
  let server: Server;
  let address: string;
  const pages: Page[] = [];
  const asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
      asked.push(request.url ?? "");
      const text = { ...files, "probe.html": "<!doctype html><title>probe</title>", "probe.js": `${files["worker.js"]};${probe}` }[name];
      response.writeHead(text === undefined ? 404 : 200, { "content-type": kinds[name.split(".").at(-1) ?? ""] ?? "text/plain" }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens at a port
    browser = await startBrowser(binary ?? "");
  });
  afterAll(async () => {
    await browser.close();
    server.close();
    for (const { faults, asked } of pages) {
      expect(faults).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(address) && !url.startsWith("data:"))).toEqual([]);
    }
  });

  async function opened(fragment = "", view: Partial<Parameters<Browser["open"]>[1]> = {}): Promise<Page> {
    const page = await browser.open(`${address}${fragment}`, { width: 1280, height: 860, ...view });
    pages.push(page);
    await until(async () => expect(await textOf(page, "#summary")).toMatch(/ ms$| s$/));
    return page;
  }
  const textOf = async (page: Page, selector: string): Promise<string> =>
    String(await page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent).join("\\n")`));
  const sees = (page: Page, text: string, selector: string): Promise<void> =>
    until(async () => expect(await textOf(page, selector)).toContain(text));
  const click = (page: Page, selector: string): Promise<unknown> =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const write = (page: Page, text: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const area = document.querySelector("#yaml");
      area.value = ${JSON.stringify(text)};
      area.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
  const linkOf = async (...shared: Files): Promise<string> => (await fragmentOf(shared)) ?? expect.fail("too long");

  const mistaken = "name: Shop\ninterfaces:\n  order: { method: PSOT, route: /orders, actions: [{ name: A, json_output: 1 }] }\n";

  test("a mistake is shown with place, frame, remedy and page, by keys alone, and the button mends it", async () => {
    const page = await opened(await linkOf(["shop.yaml", "name: Shop\ninterfaces: { order: { method: GET, actions: [] } }\n"]));
    await write(page, mistaken);
    await sees(page, "shop.yaml:3:20", ".finding");
    await sees(page, "^^^^", ".finding pre");
    await sees(page, "PW114", ".finding summary");
    await click(page, ".finding summary");
    await sees(page, "Wrong", ".finding .page");
    await click(page, ".finding .place");
    const selected = "(({ value, selectionStart: a, selectionEnd: b }) => value?.slice(a, b))(document.activeElement)";
    await until(async () => expect(await page.evaluate(selected)).toBe("PSOT"));
    await page.evaluate('document.querySelector("[role=tab][aria-selected=true]").focus()');
    await page.press("Tab");
    for (let step = 0; step < 8 && !(await focused(page)).startsWith("Fix:"); step++) await page.press("Tab");
    await page.press("Enter");
    await sees(page, "shop.ts", ".module h2");
    expect(await page.evaluate('document.querySelector("#yaml").value')).toBe(mistaken.replace("PSOT", "POST"));
    await page.evaluate('document.querySelector("#tab-Module").focus()');
    await page.press("ArrowRight");
    await sees(page, "POST /orders", ".drawn");
    expect(await page.evaluate('document.querySelectorAll(".drawn svg .action").length')).toBe(1);
  });
  const focused = async (page: Page): Promise<string> => String(await page.evaluate("document.activeElement?.textContent"));

  test.each(examplesOf(root.pathname))(
    "$template: the module is what generate prints, byte for byte",
    async ({ template, files: example }) => {
      const page = await opened();
      await page.evaluate(`(() => {
        const list = document.querySelector("#example");
        list.value = ${JSON.stringify(template)};
        list.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
      const { modules, plans } = await commanded(example);
      await sees(page, `${modules[0]?.name}.ts`, ".module h2");
      const shown = await page.evaluate('[...document.querySelectorAll(".module pre")].map((each) => each.textContent)');
      expect(shown).toEqual(modules.map(({ code }) => code));
      await click(page, "#tab-Graph");
      const interfaces = plans.reduce((sum, each) => sum + each.interfaces.length, 0);
      await until(async () => expect(await page.evaluate('document.querySelectorAll(".drawn").length')).toBe(interfaces));
    },
  );

  test("a link brings all files back", async () => {
    const page = await opened();
    const text = "name: Ä 😀\ninterfaces:\n  a: { method: GET, actions: [{ name: A, json_output: ü }] }\n";
    await write(page, text);
    await click(page, "#share");
    await until(async () => expect(await page.evaluate("location.hash")).toMatch(/^#v1\./));
    const other = await opened(String(await page.evaluate("location.hash")));
    expect(await other.evaluate('document.querySelector("#yaml").value')).toBe(text);
    // A link that is opened in the page at hand is read, too.
    await page.evaluate(`location.hash = ${JSON.stringify(await linkOf(["b.yaml", mistaken]))}`);
    await sees(page, "b.yaml:3:20", ".finding");
  });

  test("what a stranger has put into a link is text, or refused", async () => {
    const hostile = "</textarea></pre><img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>";
    const page = await opened(
      await linkOf(["a.yaml", `name: ${JSON.stringify(hostile)}\ninterfaces:\n  a: { method: ${JSON.stringify(hostile)}, actions: [] }\n`]),
    );
    await sees(page, "onerror", ".finding");
    await write(
      page,
      `name: A\ninterfaces:\n  ${JSON.stringify(hostile)}: { actions: [{ name: A, json_output: ${JSON.stringify(hostile)} }] }\n`,
    );
    await sees(page, "onerror", "#panel");
    for (const tab of ["Module", "Graph", "Problems"]) {
      await click(page, `#tab-${tab}`);
      expect(await page.evaluate("document.querySelectorAll('#app img, #app script').length")).toBe(0);
    }
    expect(await page.evaluate("document.title")).toBe("pipewright playground");
    for (const fragment of ["#v1.%%%", `#v1.${"A".repeat(100_000)}`, "#v1.AAAA", "#javascript:alert(1)"]) {
      await sees(await opened(fragment), "The link could not be read", ".said");
    }
  });

  test("the page runs no other script and asks nobody", async () => {
    const page = await opened();
    pages.splice(pages.indexOf(page), 1); // what is tried here is a complaint of its policy
    await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'broken'";
      document.head.append(script);
    })()`);
    expect(await page.evaluate("document.title")).toBe("pipewright playground");
    const tried = `fetch("page.css").then(() => "answered", () => "refused")`;
    expect(await page.evaluate(tried)).toBe("refused");
    expect(page.faults.filter((fault) => fault.includes("Content Security Policy")).length).toBeGreaterThan(1);
  });

  test("the worker has no way outside, not even by the prototypes of its own scope", async () => {
    const page = await browser.open(`${address}probe.html`, { width: 400, height: 300 });
    const told = (await page.evaluate(`new Promise((resolve, reject) => {
      const worker = new Worker("probe.js");
      worker.addEventListener("message", ({ data }) => data.probe && resolve(data.probe));
      worker.addEventListener("error", ({ message }) => reject(new Error(message)));
      worker.postMessage({ id: 1, files: [["a.yaml", "name: a\\ninterfaces: {}\\n"]] });
    })`)) as { left: string[]; tried: Record<string, string> };
    expect(told.left).toEqual([]);
    expect(told.tried).toEqual(Object.fromEntries(Object.keys(ways).map((way) => [way, "refused"])));
    expect(asked.filter((path) => path.startsWith("/outside"))).toEqual([]);
  });

  test("from file:// the page says why nothing is compiled, and what to do", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pipewright-playground-"));
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const page = await browser.open(pathToFileURL(join(folder, "index.html")).href, { width: 1280, height: 860 });
      await until(async () => expect(await page.evaluate("document.body.innerText")).toContain("serve the folder"));
      expect(await page.evaluate('document.querySelector("#yaml").value')).toContain("interfaces:");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const)("axe finds nothing in %s at %i, and nothing is wider than the screen", async (scheme, width) => {
    for (const [name, text, tab] of [
      ["modules", undefined, "Module"],
      ["graph", undefined, "Graph"],
      ["problems", mistaken, "Problems"],
    ] as const) {
      const page = await opened(text === undefined ? "" : await linkOf(["a.yaml", text]), { scheme, width });
      await click(page, `#tab-${tab}`);
      await page.evaluate(axe);
      const found = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]))",
      );
      expect([name, found]).toEqual([name, []]);
      expect([name, await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")]).toEqual([
        name,
        false,
      ]);
    }
  });
});
