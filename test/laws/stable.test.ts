import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findConfigs } from "../../compiler/1-read/files.ts";
import type { PrintedModule } from "../../compiler/6-print/index.ts";
import { bundle } from "../../compiler/7-link/bundle.ts";
import { planAll, printAll } from "../../compiler/pipeline.ts";
import { complaints } from "../harness/compile.ts";
import { readFixture } from "../harness/folders.ts";

// Law `stable`: equal configs give equal bytes at any time, in any order and in any folder (spec/command-line 3).

const folder = mkdtempSync(join(tmpdir(), "pipewright-stable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fixtures with different routes, so that they can form one project. */
const names = ["variables", "gates", "delays", "http-request", "walked", "database"];

test("modules and bundle", async () => {
  const [first, again, elsewhere] = [await built("one"), await built("one"), await built("another/and deeper", { reversed: true })];
  expect(first.modules).toHaveLength(names.length);
  for (const other of [again, elsewhere]) {
    expect(other.modules).toEqual(first.modules);
    // Only equality is compared, because the difference of two bundles would fill pages.
    expect([other.code === first.code, other.map === first.map]).toEqual([true, true]);
  }
  expect(JSON.stringify(first)).not.toContain(folder);
});

interface Built {
  readonly modules: readonly PrintedModule[];
  readonly code: string;
  readonly map: string;
}

/** Writes the fixtures into a folder of their own, then plans, prints and bundles them. */
async function built(place: string, { reversed = false } = {}): Promise<Built> {
  const project = join(folder, place);
  mkdirSync(join(project, "api"), { recursive: true });
  for (const name of reversed ? names.toReversed() : names) {
    writeFileSync(join(project, "api", `${name}.yaml`), readFixture("interfaces", name, "config.yaml"));
  }
  const files = findConfigs(["."], project);
  const planned = planAll(reversed ? files.toReversed() : files);
  expect(complaints(planned)).toEqual([]);
  const modules = await printAll(planned);
  const { code, map } = await bundle(reversed ? modules.toReversed() : modules, { environment: "test", format: "cjs" });
  return { modules, code, map };
}
