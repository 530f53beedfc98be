import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { newFeature, newKinds } from "../../../compiler/gen/new.ts";
import { root } from "../../harness/folders.ts";

// A project of its own, with our templates.
const folder = mkdtempSync(join(tmpdir(), "pipewright-new-"));
cpSync(fileURLToPath(new URL("templates/feature", root)), join(folder, "templates/feature"), { recursive: true });
let latest = folder;

/** A project below the first one. */
function mkdtempIn(parent: string): string {
  latest = mkdtempSync(join(parent, "project-"));
  cpSync(join(parent, "templates"), join(latest, "templates"), { recursive: true });
  return latest;
}

afterAll(() => rmSync(folder, { recursive: true }));

describe("npm run new", () => {
  it.each(Object.keys(newKinds))("writes a %s and its cases, under its own name", (kind) => {
    const files = newFeature(kind, "reverse_rows", mkdtempIn(folder));
    expect(files).toEqual(Object.values(newKinds[kind]?.files ?? {}).map((file) => file.replaceAll("NAME", "reverse_rows")));
    const texts = files.map((file) => readFileSync(join(latest, file), "utf8")).join("");
    expect(texts).toContain("reverse_rows");
    expect(texts).not.toMatch(/feature[_-]name/);
  });

  it("has a template for each kind and no other", () => {
    expect(readdirSync(join(folder, "templates/feature")).sort()).toEqual(Object.keys(newKinds).sort());
  });

  const kinds = "known are transform, matcher, action, filter, driver, secret_store, trigger";
  const form = "is no name: small letters and digits, with single _ between words, such as reverse_rows";

  it.each([
    ["transforms", "reverse", `'transforms' is no kind of feature; ${kinds}`],
    ["constructor", "reverse", `'constructor' is no kind of feature; ${kinds}`],
    ["transform", "reverseRows", `'reverseRows' ${form}`],
    ["transform", "../escape", `'../escape' ${form}`],
    ["transform", "2rows", `'2rows' ${form}`],
    ["transform", "delete", "'delete' cannot name a function; choose another word"],
    ["transform", "prepare", "'prepare' cannot name a function; choose another word"],
  ])("refuses %s %s and writes nothing", (kind, name, message) => {
    expect(() => newFeature(kind, name, folder)).toThrow(message);
    expect(existsSync(join(folder, `runtime/features/transforms/${name}.ts`))).toBe(false);
  });

  it.each([
    ["transform", "filter", "'filter' is a key of Transform already"],
    ["matcher", "value", "'value' is a key of Test already"],
    ["action", "retry", "'retry' is a key of Action already"],
    ["action", "walk", "'walk' is a function that printed modules call already"],
    ["driver", "sqlite", "exists already"],
    ["secret_store", "local", "exists already"],
    ["trigger", "params", "'params' is a key of Interface already"],
    ["filter", "stored", "'stored' is a function that printed modules call already"],
  ])("refuses the name of another: %s %s", (kind, name, message) => {
    expect(() => newFeature(kind, name, fileURLToPath(root))).toThrow(message);
  });

  it("overwrites nothing", () => {
    newFeature("matcher", "is_even", folder);
    rmSync(join(folder, "runtime/features/matchers/is_even.ts"));
    const file = "test/fixtures/matchers/is_even/cases.yaml";
    expect(() => newFeature("matcher", "is_even", folder)).toThrow(`${file} exists already; nothing was written`);
    expect(existsSync(join(folder, "runtime/features/matchers/is_even.ts"))).toBe(false);
  });
});
