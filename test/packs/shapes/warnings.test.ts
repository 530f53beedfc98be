import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findModules, readText } from "../../../compiler/1-read/files.ts";
import { planTexts, type SourceText } from "../../../compiler/pipeline.ts";
import { sharedFolder } from "../../harness/folders.ts";
import { acceptedPacks } from "../../harness/packs.ts";
import { type Edit, edits } from "./edits.ts";

// The warnings that follow from shapes, over the example packs: none in them as they are, and one for a name that is made wrong.

const folder = sharedFolder("packs");
const codes: readonly string[] = ["PW277", "PW278", "PW279", "PW280", "PW286", "PW287"];

test.skipIf(folder === undefined)("no pack has a warning, and the data of most of their actions are known", () => {
  const packs = acceptedPacks();
  const found = packs.flatMap(({ name, planned }) =>
    planned.diagnostics.filter(({ code }) => codes.includes(code)).map(({ code, message, at }) => `${name} ${at.file} ${code} ${message}`),
  );
  expect(found).toEqual([]);
  const interfaces = packs.flatMap(({ planned }) => planned.plans.flatMap((plan) => plan.interfaces));
  const data = interfaces.flatMap(({ shapes }) => [...shapes.actions.values()].map((action) => action.data.type));
  const known = data.filter((type) => type !== "any").length;
  console.log(`${known} of ${data.length} actions of the packs have a shape`);
  expect(known).toBeGreaterThan(data.length * 0.8);
});

test.skipIf(folder === undefined).each(edits)("$to ($file)", (edit) => {
  expect(warningsOf(edit).length > 0).toBe(edit.isOpen !== true);
});

/** The warnings about a pack with the mistake in it, its modules beside it. */
function warningsOf({ file, from, to }: Edit): readonly string[] {
  const before = readFileSync(new URL(file, folder), "utf8");
  const text = before.replace(from, () => to);
  expect(text).not.toBe(before);
  const modules = findModules(["."], fileURLToPath(new URL(`${file.split("/")[0]}/`, folder))).flatMap((found): SourceText[] => {
    const read = readText(found, () => undefined);
    return read === undefined ? [] : [{ file: found.file, text: read.text }];
  });
  const planned = planTexts([{ file, text }], { modules });
  if (planned.failed) throw new Error(`${file} does not compile`);
  return planned.diagnostics.filter(({ code }) => codes.includes(code)).map(({ message }) => message);
}
