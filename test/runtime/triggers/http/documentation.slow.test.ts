import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Served, ServeOptions } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { bundle } from "../../../../compiler/7-link/bundle.ts";
import { load } from "../../../../compiler/7-link/load.ts";
import { documentOf, planTexts, printAll } from "../../../../compiler/pipeline.ts";
import { send } from "../../../harness/sockets.ts";
import { run } from "../../../harness/terminal.ts";

// `GET /docs.json` and `GET /documentation` (spec/surfaces 7): their contents, their headers, and the callers that may read them.

const text = `name: t
docs: true
network: { ip: { allow: [192.0.2.1] } }
interfaces:
  hello: { method: GET, summary: "<script>alert(1)</script>", actions: [{ json_output: 1 }] }
`;
const planned = planTexts([{ file: "t.yml", text }]);

const running: Served[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
});

async function served(options: ServeOptions = {}, withDocs = true): Promise<string> {
  const { configs, docs, serve } = await load(await printAll(planned), { docs: withDocs ? documentOf(planned) : undefined });
  const made = await serve(configs, { address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, log: () => undefined, docs, ...options });
  running.push(made);
  return made.url;
}

describe("the document", () => {
  test.each(["/docs.json", "/local/production/docs.json"])("is served at %s, outside every policy", async (path) => {
    const { status, headers, text: sent } = await send(await served(), path);
    expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(sent).toBe(JSON.stringify(JSON.parse(documentOf(planned) ?? "")));
  });

  test("is read only", async () => {
    const { status, headers } = await send(await served(), "/docs.json", { method: "POST" });
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  test.each<[string, ServeOptions, boolean]>([
    ["PIPEWRIGHT_DOCS=off hides it", { documentation: "off" }, true],
    ["without docs: true there is none", {}, false],
  ])("%s", async (_, options, withDocs) => {
    const url = await served(options, withDocs);
    for (const path of ["/docs.json", "/documentation"]) expect((await send(url, path)).status).toBe(404);
  });

  test("the variable is one of on and off", async () => {
    expect((await readSettings({}, { PIPEWRIGHT_DOCS: "off" })).documentation).toBe("off");
    expect((await readSettings({}, { PIPEWRIGHT_DOCS: "no" })).unmet).toEqual(["PIPEWRIGHT_DOCS must be one of on, off, not 'no'"]);
  });
});

describe("the page", () => {
  test("runs its own script and style, and nothing else", async () => {
    const { status, headers, text: html } = await send(await served(), "/documentation");
    expect([status, headers["content-type"], headers["x-content-type-options"]]).toEqual([200, "text/html; charset=utf-8", "nosniff"]);
    const policy = String(headers["content-security-policy"]);
    const hash = (tag: string): string => {
      const [, inner = ""] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
      expect(inner.length).toBeGreaterThan(1_000);
      return `'sha256-${createHash("sha256").update(inner).digest("base64")}'`;
    };
    expect(policy).toContain(`script-src ${hash("script")};`);
    expect(policy).toContain(`style-src ${hash("style")};`);
    for (const part of ["default-src 'self'", "connect-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      expect(policy.split("; ")).toContain(part);
    }
    // Inline parts are only those that the policy allows, and no part comes from another host.
    expect(html.match(/<(?:script|style)\b/g)).toHaveLength(2);
    expect(html.replace(/<(script|style)>[\s\S]*?<\/\1>/g, "")).not.toMatch(/\s(?:on\w+|style)=/);
    expect(html).not.toMatch(/https?:\/\/|@import|\burl\(/);
    expect(html).not.toContain("alert(1)");
  });

  test("sets what the document says as text, never as markup", () => {
    const script = readFileSync(new URL("../../../../templates/documentation/page.js", import.meta.url), "utf8");
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|DOMParser|srcdoc|javascript:/);
  });
});

describe("commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-docs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "t.yml"), text);

  test("generate writes the document beside the modules, and checks it", async () => {
    expect((await run(folder, "generate", "t.yml", "--quiet", "--docs-title", "Blog", "--public-url", "https://a.example/")).status).toBe(
      0,
    );
    const file = join(folder, "generated", "openapi.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ info: { title: "Blog" }, servers: [{ url: "https://a.example" }] });
    const again = await run(folder, "generate", "t.yml", "--check");
    expect(again.status).toBe(2);
    expect(again.out).toContain("generated/openapi.json");
    expect((await run(folder, "generate", "t.yml", "--public-url", "ftp://x")).status).toBe(3);
  });

  test("build carries it", async () => {
    expect((await run(folder, "build", "t.yml", "--env", "staging", "--no-executable", "--quiet", "--docs-version", "1.2.3")).status).toBe(
      0,
    );
    const out = join(folder, "dist");
    expect(readdirSync(out)).toContain("openapi.json");
    expect(JSON.parse(readFileSync(join(out, "openapi.json"), "utf8")).info.version).toBe("1.2.3");
    expect(readFileSync(join(out, "manifest.json"), "utf8")).toContain('"openapi.json"');
    expect(readFileSync(join(out, "bundle.cjs"), "utf8")).toContain("1.2.3");
  });

  test("a bundle without documentation has neither document nor page", async () => {
    const { code, metafile } = await bundle(await printAll(planned), { environment: "test", format: "cjs" });
    expect(code).not.toContain("Try it");
    expect(
      Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs).filter((path) => path.endsWith("documentation.ts"))),
    ).toEqual([]);
  });
});
