import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { planTexts } from "../../compiler/pipeline.ts";
import { compare, type Difference } from "../../compiler/review/compare.ts";
import { reviewedOf } from "../../compiler/review/facts.ts";
import { sharedFolder } from "../harness/folders.ts";
import { edits } from "./diff-edits.ts";

// Edits of example packs, as a reviewer of a pull request has to see them.

const folder = sharedFolder("packs");

function differences(before: string, after: string): readonly Difference[] {
  const [old, next] = [before, after].map((text) => planTexts([{ file: "config.yaml", text }]));
  if (old === undefined || next === undefined || old.failed || next.failed) throw new Error("a version does not compile");
  return compare(reviewedOf(old.plans), reviewedOf(next.plans));
}

test.skipIf(folder === undefined).each(edits)("$what ($file)", ({ file, from, to, told: [severity, text] }) => {
  const before = readFileSync(new URL(file, folder), "utf8");
  const after = before.replace(from, () => to);
  expect(after).not.toBe(before);
  const lines = differences(before, after).map((one) => `${one.severity} ${one.text}`);
  expect(lines.filter((line) => line.startsWith(severity) && line.includes(text))).not.toEqual([]);
});
