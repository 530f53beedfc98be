import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { run } from "../../harness/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "client-names-"));
afterAll(() => rmSync(folder, { recursive: true }));

const named = (name: string): string => `name: ${name}\ninterfaces: { ${name}: { method: GET, actions: [{ name: A, json_output: 1 }] } }\n`;

test("a client is the same from every folder", async () => {
  const project = join(folder, "project");
  mkdirSync(join(project, "shop"), { recursive: true });
  writeFileSync(join(project, "shop/notes.yaml"), named("notes"));
  writeFileSync(join(project, "more.yaml"), named("more"));
  expect((await run(project, "generate", ".", "--out", "made", "--client", "api.ts")).status).toBe(0);
  const written = readFileSync(join(project, "api.ts"), "utf8");
  expect(written).toContain(", shop/notes.yaml) */");
  for (const [at, path] of [
    [join(project, "shop"), ".."],
    [folder, "project"],
  ] as const) {
    expect((await run(at, "generate", path, "--out", "made-here", "--client", "here.ts")).status).toBe(0);
    expect(readFileSync(join(at, "here.ts"), "utf8")).toBe(written);
  }
});
