import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { describe, expect, test } from "vitest";
import { facade } from "#generated/facade.ts";
import type { PrintedModule } from "../../compiler/6-print/index.ts";
import { commonOptions } from "../../compiler/7-link/bundle.ts";
import { printedModules } from "../../compiler/7-link/modules.ts";
import { runtimeSpecifier, virtualModules } from "../../compiler/7-link/virtual.ts";
import { facadeEntries } from "../../compiler/gen/facade.ts";
import { printedFixture } from "../harness/compile.ts";
import { calledBy } from "../harness/evaluate.ts";
import { root, wantedFixtures } from "../harness/folders.ts";
import { update } from "../harness/rules/words.ts";
import { filesIn, smallLink } from "../harness/small-link.ts";

// Law `facade`: printed modules import only `pipewright/runtime`. Its names are documented, and they change only with a line in the
// changelog.

const folder = fileURLToPath(root);
const entries = facadeEntries(join(folder, "runtime"));

const modules = await Promise.all(
  wantedFixtures("interfaces").flatMap((name) =>
    [false, true].map(async (interpret) => ({
      name: `${name}${interpret ? ", walked" : ""}`,
      module: await printedFixture(name, { interpret }),
    })),
  ),
);

describe.each(modules)("$name", ({ module }) => {
  test("imports the façade alone, and names what it calls", () => {
    expect(module.code.split("\n").filter((line) => /\bimport\b.*["']/.test(line) || line.includes("#runtime"))).toEqual([
      `import * as pw from "${runtimeSpecifier}";`,
    ]);
    expect(module.runtime).toEqual(expect.arrayContaining([...calledBy(module.code)]));
  });
});

test("every name has one meaning, and a sentence in the reference", () => {
  const page = readFileSync(new URL("generated/reference/runtime.md", root), "utf8");
  expect(entries.length).toBe(new Set(entries.map(({ name }) => name)).size);
  expect(entries.filter(({ isType }) => !isType).map(({ name }) => name)).toEqual(Object.keys(facade));
  for (const { name, section, meaning } of entries.filter((entry) => entry.section !== "features")) {
    expect(meaning, `${section}: ${name}`).toMatch(section === "jq" ? /^(?:`.+`.*|.+\.)$/ : /^.{10,}\.$/);
    expect(page).toContain(`| \`${name}\` | `);
  }
});

/** Names of the façade without those of features, which have their own lists. */
const names = entries.filter(({ section }) => section !== "features").map(({ name, isType }) => (isType ? `type ${name}` : name));

test("names change only with a line in the changelog", () => {
  const file = new URL("test/facade.txt", root);
  const listed = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  if (update && listed.length > 0) expect(unmentioned(symmetric(listed, names))).toEqual([]);
  if (update) writeFileSync(file, `${names.join("\n")}\n`);
  else expect(names).toEqual(listed);
});

const symmetric = (before: readonly string[], after: readonly string[]): readonly string[] => [
  ...before.filter((name) => !after.includes(name)),
  ...after.filter((name) => !before.includes(name)),
];

/** Names that the changelog of the next version does not mention as `pw.NAME` under "Generated code". */
function unmentioned(changed: readonly string[]): readonly string[] {
  const [, unreleased = ""] = readFileSync(new URL("CHANGELOG.md", root), "utf8").split(/^## /m);
  const [, section = ""] = unreleased.split("### Generated code\n");
  const mentioned = new Set([...(section.split(/^### /m)[0] ?? "").matchAll(/\bpw\.(\w+)/g)].map(([, name = ""]) => name));
  return changed.filter((name) => !mentioned.has(name.replace(/^type /, "")));
}

test("a name that the changelog does not mention is seen", () => {
  expect(unmentioned(symmetric(["at", "old_name"], ["at", "type NewName"]))).toEqual(["old_name", "type NewName"]);
});

/**
 * Resolves `pipewright/runtime` to the whole façade, as another bundler would. Packages stay outside, since bundling them would only take
 * time.
 */
const wholeRuntime: Plugin = {
  name: "whole-runtime",
  setup({ onResolve }) {
    onResolve({ filter: /^pipewright\/runtime$/ }, () => ({ path: join(folder, "runtime/printed/index.ts"), sideEffects: false }));
  },
};

async function wholeLink(module: PrintedModule): Promise<readonly string[]> {
  const plugins = [wholeRuntime, virtualModules(printedModules([module]), { constants: {} }, folder)];
  const options = commonOptions(folder, 'export { configs } from "pipewright:configs";');
  const { metafile } = await build({ ...options, format: "esm", packages: "external", metafile: true, plugins });
  return filesIn(metafile);
}

/** Files without those of the façade itself; esbuild keeps an empty line of these. */
const behindFacade = (files: readonly string[]): readonly string[] =>
  files.filter((file) => !file.startsWith("runtime/printed/") && file !== `virtual:${runtimeSpecifier}`);

test("a bundle of the whole façade carries the files that the linker takes from a part of it", async () => {
  for (const wanted of ["static", "jq", "database", "walked"]) {
    const { module } = modules.find(({ name }) => name === wanted) ?? {};
    if (module === undefined) continue;
    const { code, files } = await smallLink(module);
    expect(behindFacade(await wholeLink(module))).toEqual(behindFacade(files));
    // A property read such as `pw.name` at run time would keep the whole façade in the bundle.
    expect(code).not.toMatch(/\bpw\./);
  }
});
