import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { newFeature } from "../../../compiler/gen/new.ts";
import { root } from "../../harness/folders.ts";

// A project of its own, with our templates.
const folder = mkdtempSync(join(tmpdir(), "pipewright-new-"));
cpSync(fileURLToPath(new URL("templates/feature", root)), join(folder, "templates/feature"), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

describe("npm run new", () => {
  it.each([
    ["transform", "transforms"],
    ["matcher", "matchers"],
    ["action", "actions"],
  ])("writes a %s and its cases, under its own name", (kind, kinds) => {
    const files = newFeature(kind, "reverse_rows", folder);
    expect(files).toEqual([`runtime/features/${kinds}/reverse_rows.ts`, `test/fixtures/${kinds}/reverse_rows/cases.yaml`]);
    const [feature = "", cases = ""] = files.map((file) => readFileSync(join(folder, file), "utf8"));
    expect(feature).toMatch(/export (async )?function reverse_rows\(/);
    expect(feature).toContain("run: reverse_rows,");
    expect(feature + cases).not.toContain("feature_name");
    expect(cases).toContain("doc: true");
  });

  it("has a template for each kind and no other", () => {
    expect(readdirSync(join(folder, "templates/feature")).sort()).toEqual(["action", "matcher", "transform"]);
  });

  it.each([
    ["transforms", "reverse", "'transforms' is no kind of feature; known are transform, matcher, action"],
    ["constructor", "reverse", "'constructor' is no kind of feature; known are transform, matcher, action"],
    ["transform", "reverseRows", "'reverseRows' is no name: small letters and digits, with single _ between words, such as reverse_rows"],
    ["transform", "../escape", "'../escape' is no name: small letters and digits, with single _ between words, such as reverse_rows"],
    ["transform", "2rows", "'2rows' is no name: small letters and digits, with single _ between words, such as reverse_rows"],
    ["transform", "delete", "'delete' cannot name a function; choose another word"],
    ["transform", "prepare", "'prepare' cannot name a function; choose another word"],
  ])("refuses %s %s and writes nothing", (kind, name, message) => {
    expect(() => newFeature(kind, name, folder)).toThrow(message);
    expect(existsSync(join(folder, `runtime/features/transforms/${name}.ts`))).toBe(false);
  });

  it("overwrites nothing", () => {
    newFeature("matcher", "is_even", folder);
    rmSync(join(folder, "runtime/features/matchers/is_even.ts"));
    const file = "test/fixtures/matchers/is_even/cases.yaml";
    expect(() => newFeature("matcher", "is_even", folder)).toThrow(`${file} exists already; nothing was written`);
    expect(existsSync(join(folder, "runtime/features/matchers/is_even.ts"))).toBe(false);
  });
});
