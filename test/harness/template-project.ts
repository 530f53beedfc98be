import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./folders.ts";
import { run } from "./terminal.ts";

/** A project that `init` has written and `generate` has compiled, with this checkout and its packages in place of packages from npm. */
export async function templateProject(template: string, packages: readonly string[]): Promise<{ folder: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), `${template}-`));
  const checkout = fileURLToPath(root);
  await run(folder, "init", ".", "--template", template, "--pipewright", "file:.");
  mkdirSync(join(folder, "node_modules", "@types"), { recursive: true });
  symlinkSync(checkout, join(folder, "node_modules", "pipewright"));
  for (const name of packages) symlinkSync(join(checkout, "node_modules", name), join(folder, "node_modules", name));
  await run(folder, "generate", ".");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
