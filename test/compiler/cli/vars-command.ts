import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, type Host } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { main } from "../../../compiler/cli/main.ts";
import type { Ended } from "../../harness/terminal.ts";

/** Two master keys. */
export const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((key) => key.toString("base64"));

/** A value that must be seen nowhere. */
export const canary = "canary-61c2e0";

/** The folder of the running test. */
export let folder = "";

/** Makes the folder of a test. */
export function newFolder(): void {
  folder = mkdtempSync(join(tmpdir(), "pipewright-vars-"));
}

/** Removes the folder of a test. */
export function removeFolder(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** `pipewright vars …` in the folder, with this master key. */
export async function vars(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = { PIPEWRIGHT_MASTER_KEY: first },
): Promise<Ended> {
  const said = { out: "", err: "" };
  const to = (stream: keyof typeof said) => (text: string) => {
    said[stream] += text;
  };
  const status = await main(["vars", ...args], {
    cwd: folder,
    isTerminal: false,
    colors: { out: false, err: false },
    env,
    out: to("out"),
    err: to("err"),
  });
  return { status, ...said };
}

/** The file of an environment. */
export const path = (slot: string): string => join(folder, "vars", `${slot}.yaml`);

/** The content of that file. */
export const text = (slot = "production"): string => readFileSync(path(slot), "utf8");

/** Writes the file of an environment. */
export function given(slot: string, content: string): void {
  mkdirSync(join(folder, "vars"), { recursive: true });
  writeFileSync(path(slot), content);
}

/** A process that serves with these files. */
export async function host(
  env: Readonly<Record<string, string>>,
  environment = "production",
  ...slots: string[]
): Promise<{ host: Host; warnings: readonly string[] }> {
  const settings = await readSettings({ env: environment, vars: (slots.length > 0 ? slots : [environment]).map(path) }, env);
  return { host: createHost(settings), warnings: settings.warnings };
}

/** The option that most calls have. */
export const production = ["--env", "production"];
