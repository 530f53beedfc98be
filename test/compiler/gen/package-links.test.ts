import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { root } from "../../harness/folders.ts";

// A page of the package leads to nothing that the package does not have. Pictures stay in the repository: a reader of the package sees the
// text that stands for each, and its pages on the web take them from there.

test("no link of a page in the package leads nowhere", () => {
  const cwd = fileURLToPath(root);
  const shell = process.platform === "win32";
  const packed = execFileSync("npm", ["pack", "--json", "--dry-run", "--ignore-scripts"], {
    cwd,
    shell,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(packed);
  const paths = new Set(files.flatMap(({ path }) => [path, dirname(path)]));
  const pages = [...paths].filter((path) => /^(?:README|docs\/.*|generated\/.*)\.md$/.test(path));
  const broken = pages.flatMap((page) =>
    [...readFileSync(new URL(page, root), "utf8").matchAll(/\]\((?!\w+:)([^)#\s]+)/g)]
      .filter(([, to = ""]) => !to.includes("images/"))
      .filter(([, to = ""]) => !paths.has(posix.join(dirname(page), to).replace(/\/$/, "")))
      .map(([, to]) => `${page}: ${to}`),
  );
  expect(pages.length).toBeGreaterThan(70);
  expect(broken).toEqual([]);
});
