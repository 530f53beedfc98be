import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findConfigs, findModules, readText } from "../../../compiler/1-read/files.ts";
import { PathError } from "../../../compiler/1-read/path-error.ts";
import { besides } from "../../../compiler/cli/project.ts";

// Files and folders that vanish while a command looks at them, as `dev` and `test --watch` do again and again.

const own = { statSync: fs.statSync, realpathSync: fs.realpathSync, readdirSync: fs.readdirSync };
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-vanished-"));
  writeFileSync(join(folder, "a.yml"), "name: a");
});
afterEach(() => {
  Object.assign(fs, own);
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

/** Removes the path right before the system is asked about it for the nth time. */
function removeBefore(nth: number, gone: string): void {
  let asked = 0;
  for (const name of ["statSync", "realpathSync", "readdirSync"] as const) {
    const ask = own[name] as (path: fs.PathLike, ...more: unknown[]) => unknown;
    const patched = (path: fs.PathLike, ...more: unknown[]): unknown => {
      if (path === gone) asked++;
      if (path === gone && asked === nth) rmSync(gone, { recursive: true });
      return ask(path, ...more);
    };
    Object.assign(fs, { [name]: patched });
  }
  syncBuiltinESMExports();
}

const found = (find: typeof findConfigs): string[] => find([folder], folder).map(({ file }) => file);

describe("an entry that is removed during a search is not there", () => {
  test.each([1, 2, 3, 4])("a folder, before question %i about it", (nth) => {
    mkdirSync(join(folder, "b"));
    writeFileSync(join(folder, "b", "c.yml"), "name: c");
    removeBefore(nth, join(folder, "b"));
    expect(found(findConfigs)).toEqual(["a.yml"]);
  });

  test.each([1, 2, 3])("a link to a file, before question %i about it", (nth) => {
    symlinkSync(join(folder, "a.yml"), join(folder, "z.yml"));
    removeBefore(nth, join(folder, "z.yml"));
    expect(found(findConfigs)).toEqual(["a.yml"]);
  });

  test("a folder that may hold modules", () => {
    mkdirSync(join(folder, "b", "modules"), { recursive: true });
    removeBefore(1, join(folder, "b"));
    expect(found(findModules)).toEqual([]);
  });

  test.each([2, 3])("the searched folder itself, before question %i about it, is a mistake of the path", (nth) => {
    removeBefore(nth, folder);
    try {
      expect(() => found(findConfigs)).toThrow(PathError);
    } finally {
      mkdirSync(folder, { recursive: true });
    }
  });
});

test("a file that is removed before it is read is a mistake of its path", () => {
  expect(() => readText({ file: "b.yml", path: join(folder, "b.yml") }, () => undefined)).toThrow(PathError);
});

/** Refuses to read this folder, as the system does to others than root. */
function close(closed: string): void {
  mkdirSync(closed);
  for (const name of ["statSync", "readdirSync"] as const) {
    const ask = own[name] as (path: string, ...more: unknown[]) => unknown;
    const patched = (path: string, ...more: unknown[]): unknown => {
      const isInside = name === "readdirSync" ? path === closed : path.startsWith(join(closed, "/"));
      if (isInside) throw Object.assign(new Error("EACCES"), { code: "EACCES", path });
      return ask(path, ...more);
    };
    Object.assign(fs, { [name]: patched });
  }
  syncBuiltinESMExports();
}

test("variables in a folder that may not be read are not taken for missing ones", () => {
  close(join(folder, "vars"));
  const files = (): string[] => besides([folder], "production", folder);
  expect(files).toThrow(new PathError(join(folder, "vars", "base.yaml"), "permission is denied"));
});

test("a folder that may not be read is a mistake of its path", () => {
  const closed = join(folder, "b");
  close(closed);
  for (const find of [findConfigs, findModules]) expect(() => found(find)).toThrow(new PathError(closed, "permission is denied"));
});
