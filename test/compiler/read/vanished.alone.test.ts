import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findConfigs, findModules, readText } from "../../../compiler/1-read/files.ts";
import { PathError } from "../../../compiler/1-read/path-error.ts";

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

test("a folder that may not be read is a mistake of its path", () => {
  const closed = join(folder, "b");
  mkdirSync(closed);
  const refused = Object.assign(new Error("EACCES"), { code: "EACCES", path: closed });
  const readdirSync = (path: string, options: object): unknown => {
    if (path === closed) throw refused;
    return own.readdirSync(path, options);
  };
  Object.assign(fs, { readdirSync });
  syncBuiltinESMExports();
  for (const find of [findConfigs, findModules]) expect(() => found(find)).toThrow(new PathError(closed, "permission is denied"));
});
