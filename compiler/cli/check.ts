import { resolve } from "node:path";
import { type FromFile, readDotenv } from "#runtime/files/settings-file.ts";
import { readVariables, type VariableFile } from "#runtime/keys/variables.ts";
import type { Flags } from "#runtime/process/settings/options.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { visible } from "#runtime/value/visible.ts";
import type { DescribedQueries } from "../5-analyse/index.ts";
import { allCodes } from "../diagnostics/codes/index.ts";
import { githubReport } from "../diagnostics/github.ts";
import { jsonReport } from "../diagnostics/json.ts";
import { sarifReport } from "../diagnostics/sarif.ts";
import { framesFor } from "./frames.ts";
import {
  askedEnvironment,
  type DenyFlags,
  denied,
  environmentOf,
  fallbackLines,
  planProject,
  refuseEnvironment,
  sayEnvironment,
  type Terminal,
} from "./project.ts";
import { status } from "./status.ts";

export interface CheckOptions extends DenyFlags {
  readonly format: "text" | "json" | "github" | "sarif";
  readonly strict?: boolean;
  readonly env?: string;
}

/** Facts for `check` that do not come from the configurations. */
interface Beside {
  /** Answers of the servers of databases about queries. */
  readonly described?: DescribedQueries | undefined;
  /** The files of `--vars`. */
  readonly variables?: VariableFiles;
}

/** Files of `--vars` by name, each read once, since one may be a pipe. */
export type VariableFiles = ReadonlyMap<string, { readonly value: VariableFile }>;

/** Reads the files of `--vars`, and checks that the file of `--dotenv` can be read. A file that cannot be read is wrong usage. */
export async function readVariableFiles({ vars = [], dotenv }: Flags, { cwd }: Terminal): Promise<VariableFiles> {
  if (dotenv !== undefined) contentOf(readDotenv(resolve(cwd, dotenv)));
  const read = vars.map(async (file) => [file, { value: contentOf(await readVariables(resolve(cwd, file), { isNamed: true })) }] as const);
  return new Map(await Promise.all(read));
}

function contentOf<V>(read: FromFile<V>): V {
  if ("problem" in read) throw new UsageError(read.problem);
  return read.value;
}

/** Prints every diagnostic of the configs, in one pass. */
export function check(paths: readonly string[], options: CheckOptions, terminal: Terminal, { described, variables }: Beside = {}): number {
  const { format, strict } = options;
  const environment = environmentOf(paths, options, terminal);
  refuseEnvironment(environment);
  if (format === "text") sayEnvironment(environment, options, terminal);
  const values = [...(variables?.values() ?? [])].map(({ value }) => value.values);
  const holds = askedEnvironment(options, terminal) !== undefined || values.length > 0;
  const planned = denied(planProject(paths, terminal, environment, { holds, given: values, ...(described && { described }) }), options);
  const { diagnostics, sources, failed, plans } = planned;
  // PW112 is the warning of an ignored key; it never fails a strict check (spec/language 1.3).
  const strictly = strict === true && diagnostics.some(({ severity, code }) => severity === "warning" && code !== "PW112");
  switch (format) {
    case "json":
      terminal.out(visible(`${JSON.stringify(jsonReport(diagnostics, sources), null, 2)}\n`));
      break;
    case "github":
      terminal.out(githubReport(diagnostics, sources));
      break;
    case "sarif":
      terminal.out(visible(`${JSON.stringify(sarifReport(diagnostics, sources, allCodes), null, 2)}\n`));
      break;
    case "text":
      terminal.out(framesFor(diagnostics, sources, terminal, "out"));
      if (diagnostics.length === 0)
        terminal.out(`${plans.length} ${plans.length === 1 ? "config" : "configs"} checked, nothing to report\n`);
      for (const line of fallbackLines(planned, options)) terminal.out(`${line}\n`);
  }
  return failed || strictly ? status.failed : status.done;
}
