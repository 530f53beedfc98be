import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { builtPlayground } from "../../scripts/build/playground.mjs";
import { type Browser, chromium, type Page, startBrowser } from "../harness/browser.ts";
import { ownFolder } from "../harness/captured.ts";
import { root } from "../harness/folders.ts";
import { type ConsoleService, consoleService, key } from "../runtime/console/console-service.ts";
import { durable } from "../runtime/store/run-stores.ts";
import { refunds, shop } from "./shop.ts";

// `npm run pictures`: writes the pictures of docs/images that show pages, from the pages themselves.

const images = fileURLToPath(new URL("docs/images/", root));
const view = { width: 1200, height: 760 } as const;
const ends: (() => unknown)[] = [];

async function seen(page: Page, question: string): Promise<void> {
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(20))
    if ((await page.evaluate(question)) === true) return;
  throw new Error(`this has not happened within a minute: ${question}`);
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens at a port
}

/** Says how much there is of a thing: enough of tea, hardly any coffee. */
const stock = (): Promise<string> =>
  listening(
    createServer((request, response) => {
      const left = request.url?.endsWith("/coffee") === true ? 2 : 40;
      setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ left })), 4);
    }),
  );

async function save(page: Page, name: string): Promise<void> {
  // Fonts and lines have their places, and bars of the last seconds are drawn.
  await sleep(400);
  writeFileSync(join(images, `${name}.webp`), await page.picture());
  console.log(`docs/images/${name}.webp`);
}

/** Three nodes of one service, with requests and runs that wait. */
async function nodes(stockUrl: string): Promise<readonly ConsoleService[]> {
  const [place] = durable.filter(({ name }) => name === "postgres");
  const store = await place?.open();
  if (store === undefined) throw new Error("the picture of a cluster needs PostgreSQL: set PIPEWRIGHT_TEST_POSTGRES");
  ends.push(() => store.close());
  const folder = ownFolder();
  ends.push(folder.remove);
  const env = { ...folder.env, PIPEWRIGHT_DATABASE_URL: store.address, PIPEWRIGHT_CLUSTERED: "true" };
  const started: ConsoleService[] = [];
  for (let n = 0; n < 3; n++) started.push(await consoleService(env, shop(stockUrl), refunds));
  ends.push(async () => {
    for (const one of started) await one.served.close();
  });
  return started;
}

async function order(url: string, sku: string, quantity: number): Promise<void> {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ sku, quantity }) };
  await (await fetch(`${url}/orders/berlin`, sent)).arrayBuffer();
}

async function consoles(browser: Browser): Promise<void> {
  const [one] = await nodes(await stock());
  if (one === undefined) return;
  for (let n = 0; n < 60; n++) await order(one.url, n % 12 === 5 ? "coffee" : "tea", n % 20 === 7 ? 0 : (n % 3) + 1);
  for (let n = 0; n < 60; n++) await (await fetch(`${one.url}/orders/berlin`)).arrayBuffer();
  for (let n = 0; n < 3; n++) {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: `{"token":"a-token-of-the-caller-${n}"}` };
    await (await fetch(`${one.url}/refunds`, sent)).arrayBuffer();
  }
  const before = `sessionStorage.setItem("pipewright-key", ${JSON.stringify(key)})`;
  const open = (place: string): Promise<Page> => browser.open(`${one.admin}/console${place}`, { ...view, before });
  const map = await open("#/");
  await seen(map, 'document.querySelectorAll(".list .bars").length >= 2');
  await save(map, "console-map");
  const page = await open("#/interface/Shop/orders%2Fcreate");
  await seen(page, 'document.querySelector(".figures") !== null && document.querySelectorAll(".action").length >= 5');
  await page.evaluate('document.querySelectorAll(".action")[1].dispatchEvent(new MouseEvent("click", { bubbles: true }))');
  await save(page, "console-interface");
  const failed = await failedRun(one);
  const run = await open(`#/run/${failed}`);
  await seen(run, 'document.querySelector(".waterfall") !== null && document.querySelector(".frame") !== null');
  await save(run, "console-run");
  const cluster = await open("#/cluster");
  await seen(cluster, 'document.querySelectorAll(".cluster tbody tr").length >= 4 && !document.body.innerText.includes("no figure yet")');
  await save(cluster, "console-cluster");
}

/** A run in which there was not enough of a thing; runs are recorded a moment after their answer. */
async function failedRun(one: ConsoleService): Promise<string> {
  for (;;) {
    const { runs } = (await one.told("/api/v1/runs?interface=orders/create")) as { runs: { run_uuid: string }[] }; // as the API says
    for (const { run_uuid } of runs) {
      const { actions } = (await one.told(`/api/v1/runs/${run_uuid}`)) as { actions: { name: string; status: string }[] };
      if (actions.some(({ name, status }) => name === "Stock" && status === "failed")) return run_uuid;
    }
    await sleep(200);
  }
}

/** `dev` with tests that leave something out. */
async function dev(browser: Browser): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-pictures-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "shop.yaml"), shop("https://stock.test"));
  writeFileSync(
    join(folder, "shop.test.yaml"),
    `tests:
  - name: takes an order
    interface: orders/create
    given: { params: { shop: berlin }, body: { sku: tea, quantity: 2 }, stubs: { "GET https://stock.test/stock/:sku": { body: { left: 9 } } } }
    expect: { status: 200 }
`,
  );
  const bin = fileURLToPath(new URL("bin/pipewright.mjs", root));
  const env = { PATH: process.env.PATH, PIPEWRIGHT_METRICS_BIND: "off", PIPEWRIGHT_ADMIN_BIND: "off" };
  const child: ChildProcess = spawn(process.execPath, [bin, "dev", ".", "--port", "0"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(() => child.kill("SIGKILL"));
  const url = await new Promise<string>((resolve) => {
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [, found] = /"url":"([^"]+)","environment"/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const page = await browser.open(`${url}/_pipewright/dev#/interface/Shop/orders%2Fcreate`, { ...view, height: 900 });
  await seen(page, 'document.querySelector(".tests button") !== null');
  await page.evaluate('document.querySelector(".tests button").click()');
  await seen(page, 'document.querySelectorAll(".lines .covered-all").length > 0');
  await page.evaluate('scrollTo(0, document.querySelector(".graph").getBoundingClientRect().top + scrollY - 110)');
  await save(page, "dev-coverage");
}

async function playground(browser: Browser): Promise<void> {
  const files = await builtPlayground(root.pathname);
  const url = await listening(
    createServer((request, response) => {
      const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
      const kind = { html: "text/html", css: "text/css", js: "text/javascript" }[name.split(".").at(-1) ?? ""] ?? "text/plain";
      response.writeHead(files[name] === undefined ? 404 : 200, { "content-type": kind }).end(files[name]);
    }),
  );
  const page = await browser.open(`${url}/`, view);
  await seen(page, 'document.querySelector(".module pre") !== null');
  await save(page, "playground");
}

const binary = chromium();
if (binary === undefined) process.exitCode = 1;
else {
  const browser = await startBrowser(binary);
  ends.push(() => browser.close());
  try {
    await playground(browser);
    await dev(browser);
    await consoles(browser);
  } finally {
    for (const end of ends.splice(0).reverse()) await end();
  }
}
