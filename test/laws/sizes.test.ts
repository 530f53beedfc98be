import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bundle } from "../../compiler/7-link/bundle.ts";
import { printedFixture } from "../harness/compile.ts";
import { root } from "../harness/folders.ts";
import { update } from "../harness/rules/words.ts";
import { type Size, sizeOf } from "../harness/sizes.ts";

// Law `sizes`: sizes of bundles are reviewed. UPDATE=1 writes test/sizes.json, and a change of that file is a decision.

const file = new URL("test/sizes.json", root);

/** Fixtures from one that needs nothing to one that needs most. */
const references = ["static", "database", "http-request", "walked", "mqtt"];

test("reference bundles weigh what test/sizes.json says", async () => {
  const sizes: Record<string, Size> = {};
  for (const name of references) sizes[name] = await sizeOf(name);
  if (update) writeFileSync(file, `${JSON.stringify(sizes, null, 2)}\n`);
  expect(sizes).toEqual(JSON.parse(readFileSync(file, "utf8")));
});

test("the smallest bundle stays small", async () => {
  const module = await printedFixture("static");
  const { code, packages } = await bundle([module], { environment: "test", format: "cjs" });
  expect(Buffer.byteLength(code)).toBeLessThanOrEqual(500_000);
  const names = packages.map(({ name }) => name);
  expect(names.length).toBeLessThanOrEqual(12);
  expect(names).not.toContain("fastify");
});
