import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { closeAll, using } from "./opened.ts";
import { serviceOf, ways } from "./service.ts";
import { inside } from "./url-upstreams.ts";

// A request that names a file of a form stays in the folder that the configuration names.

const root = mkdtempSync(join(tmpdir(), "pipewright-form-"));
mkdirSync(join(root, "a", "sent"), { recursive: true });
writeFileSync(join(root, "a", "sent", "list.txt"), "for everybody");
writeFileSync(join(root, "a", "kept.txt"), "for nobody");
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(closeAll);

const config = `
name: t
interfaces:
  t:
    method: POST
    show_error_detail: true
    actions:
      - { name: A, http: { url: "a|env::UPSTREAM|/", multipart: [{ name: f, file_path: "a|env::ROOT|/a/a|env::SENT|a|body::name|" }] } }
`;

describe.each(ways)("%s", (_, way) => {
  test("no name leads out of the folder", async () => {
    const upstream = await inside();
    const env = { UPSTREAM: upstream.url, ROOT: root, SENT: "sent/", PIPEWRIGHT_ALLOW_COMMANDS: "true" };
    const service = await using(serviceOf(config, { ...way, env }));
    const sent = async (name: string): Promise<string> => {
      const { A } = JSON.parse((await service.ask("/t", { name })).text).data;
      return A.error ?? upstream.seen.at(-1)?.body;
    };
    expect(await sent("list.txt")).toContain("for everybody");
    for (const name of ["../kept.txt", "..\\kept.txt", "..", ".", "", "./list.txt", "list.txt\0"])
      expect([name, await sent(name)]).toEqual([name, "unsafe level of a path"]);
    expect(upstream.seen).toHaveLength(1);
  });
});
