import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Served } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { ownFolder } from "../../harness/captured.ts";
import { root } from "../../harness/folders.ts";
import { update } from "../../harness/rules/words.ts";
import { send } from "../../harness/sockets.ts";
import { run } from "../../harness/terminal.ts";
import { until } from "../../harness/until.ts";

// The examples of docs/capture.md and docs/admin-api.md are what commands and services say. UPDATE=1 writes it anew.

const key = "an-api-key-of-some-length";

/** Values that differ from time to time, as the pages have them. */
const id = "3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e";
let ran = id;
const still = (text: string): string =>
  text
    .replaceAll(ran, id)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-07-01T12:00:00.000Z")
    .replace(/(?<=\.000Z +\d{3} +)\d+ */, "3   ")
    .replace(/"ms": \d+/g, '"ms": 3')
    .replace(/\d+ ms/g, "3 ms")
    .replace(/"host": "127.0.0.1:\d+"/g, '"host": "127.0.0.1:4111"');

let folder: ReturnType<typeof ownFolder>;
let served: Served | undefined;
let admin = "";
beforeEach(async () => {
  folder = ownFolder();
  await mkdir(folder.folder);
});
afterEach(async () => {
  await served?.close();
  served = undefined;
  folder.remove();
});

async function serve(page: string): Promise<string> {
  const [, text = ""] = /```yaml\n(# orders\.yaml\n.*?)```/s.exec(page) ?? [];
  const { configs, serve: begin } = await load(await printAll(planTexts([{ file: "orders.yaml", text }])));
  const env = { ...folder.env, PIPEWRIGHT_API_KEYS: key, PIPEWRIGHT_ADMIN_BIND: "127.0.0.1:0", STOCK_URL: "http://127.0.0.1:1" };
  const settings = await readSettings({ address: "127.0.0.1", port: "0" }, env);
  served = await begin(configs, {
    ...settings,
    variables: { STOCK_TOKEN: "a-token-of-the-stock" },
    noticeMs: 0,
    log: (_, msg, fields) => {
      if (msg === "admin") admin = String(fields?.url);
    },
  });
  return served.url;
}

async function asked(url: string, path: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json", "x-tenant": "blue" };
  const answer = await send(url, path, { method: "POST", headers, body: JSON.stringify(body) });
  ran = String(answer.headers["x-request-id"]);
}

/** The page with what its blocks should show; compared, or written. */
async function compare(file: string, fresh: (page: string) => Promise<string>): Promise<void> {
  const place = new URL(`docs/${file}`, root);
  const page = readFileSync(place, "utf8");
  const shown = await fresh(page);
  if (update) writeFileSync(place, shown);
  else expect(page).toBe(shown);
}

test("docs/capture.md", async () => {
  await compare("capture.md", async (page) => {
    const url = await serve(page);
    await asked(url, "/orders", { sku: "A-1", quantity: 0, card_token: "tok_1" });
    await served?.close();
    served = undefined;
    writeFileSync(`${folder.folder}/env`, `PIPEWRIGHT_CAPTURE_DIR=${folder.folder}\n`);
    let fresh = page;
    let commands = 0;
    for (const [block, command = ""] of page.matchAll(/```text\n\$ pipewright (runs [^\n]*)\n.*?```/gs)) {
      const { out, status } = await run(folder.folder, ...command.replace(id, ran).split(" "), "--dotenv", "env");
      expect(status).toBe(0);
      fresh = fresh.replace(block, () => `\`\`\`text\n$ pipewright ${command}\n${still(out)}\`\`\``);
      commands += 1;
    }
    expect(commands).toBe(2);
    return fresh;
  });
});

test("docs/admin-api.md", async () => {
  await compare("admin-api.md", async (page) => {
    const url = await serve(page);
    await asked(url, "/orders/berlin", { sku: "A-1", quantity: 0, card_token: "tok_1" });
    // The run is written a moment later.
    const headers = { "x-api-key": key };
    await until(async () => expect((await send(admin, `/api/v1/runs/${ran}`, { headers })).status).not.toBe(404));
    let fresh = page;
    let requests = 0;
    for (const [block, path = ""] of page.matchAll(/```http\nGET (\S+)\n```\n\n```json\n.*?```/gs)) {
      const { text } = await send(admin, path.replace(id, ran), { headers });
      const shown = still(JSON.stringify(JSON.parse(text), null, 2));
      fresh = fresh.replace(block, () => `\`\`\`http\nGET ${path}\n\`\`\`\n\n\`\`\`json\n${shown}\n\`\`\``);
      requests += 1;
    }
    expect(requests).toBe(5);
    return fresh;
  });
});
