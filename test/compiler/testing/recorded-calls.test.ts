import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ask, compiled, ownFolder, process, recorded } from "../../harness/captured.ts";
import { stub } from "../../harness/sockets.ts";
import { run } from "../../harness/terminal.ts";

// Calls of a recorded run as stubs of a contract test.

const config = `name: shop
interfaces:
  all:
    method: POST
    capture: all
    actions:
      - { name: Moved, http: { url: "a|env::STOCK_URL|/moved" } }
      - { name: Page, http: { url: "a|env::STOCK_URL|/all?page=1" } }
    response: { custom_body: "a|Moved::body.path| a|Page::body.path|" }
`;

it("go where a redirect has led, and to each query of an address", async () => {
  const folder = ownFolder();
  const upstream = await stub((response, { url = "" }) => {
    if (url === "/moved") response.writeHead(302, { location: "/all" }).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ path: url }));
  });
  const made = await compiled(config, undefined, "shop.yaml");
  await process({ env: { ...folder.env, STOCK_URL: upstream.url } }, async (host) => {
    await ask(host, made, "all", { trigger: "http", method: "POST" });
  });
  await upstream.close();
  const [record] = await recorded(folder.env);
  const root = join(folder.folder, "..");
  const cwd = join(root, "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "shop.yaml"), config);
  const exported = await run(cwd, "runs", "export", record?.run_uuid ?? "", "--as", "test", "--dir", root);
  expect(exported.out).toContain(`location: ${upstream.url}/all`);
  writeFileSync(join(cwd, "shop.test.yaml"), exported.out);
  const { status, out } = await run(cwd, "test", "shop.test.yaml");
  folder.remove();
  expect([status, out]).toEqual([0, expect.stringContaining("1 passed")]);
});
