import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ConfigFile, findConfigs, findModules, readIncluded } from "../../../compiler/1-read/files.ts";
import { besides } from "../../../compiler/cli/project.ts";
import type { Diagnostic, Fix } from "../../../compiler/diagnostics/diagnostic.ts";
import { renderFrames } from "../../../compiler/diagnostics/frame.ts";
import { type Planned, planAll, planTexts, type ReadIncluded, type SourceText } from "../../../compiler/pipeline.ts";
import { readSuite } from "../../../compiler/testing/suite.ts";
import { fixtureFile } from "../../harness/folders.ts";

// test/fixtures/diagnostics/<case>/: configurations with mistakes, and in expected.txt what the compiler says of them.

interface Files {
  readonly configs: readonly ConfigFile[];
  readonly modules: readonly ConfigFile[];
  /** `vars/production.yaml`. */
  readonly variables: readonly ConfigFile[];
}

/** The configurations, as if each were named on the command line, and modules of a case, named relative to its folder. */
function filesOf(name: string): Files {
  const folder = fileURLToPath(fixtureFile("diagnostics", name, ""));
  return {
    configs: findConfigs([folder], folder).map((file) => ({ ...file, searched: false })),
    modules: findModules([folder], folder),
    variables: findConfigs(besides([folder], "production", folder), folder),
  };
}

export function planCase(name: string): Planned {
  const { configs, modules, variables } = filesOf(name);
  const planned = planAll(configs, { modules, variables, environment: variables.length > 0 ? "production" : undefined });
  const folder = fileURLToPath(fixtureFile("diagnostics", name, ""));
  // Mistakes of contract tests are told by `test` alone, once the configurations have none.
  if (planned.failed) return planned;
  const suite = readSuite(planned, [folder], new Map(configs.map(({ path, file }) => [path, file])), folder);
  return { ...planned, diagnostics: [...planned.diagnostics, ...suite.diagnostics], sources: suite.sources };
}

/** The frames as a terminal shows them, and the replacements that an editor would offer. */
export function renderCase({ diagnostics, sources }: Planned): string {
  const fixes = diagnostics.flatMap(({ fix }) => {
    if (fix === undefined) return [];
    const { line, column } = sources.lines(fix.at.file).at(fix.at.start);
    return [`  ${fix.at.file}:${line}:${column}: ${fix.title}\n`];
  });
  return `${renderFrames(diagnostics, sources)}${fixes.length === 0 ? "" : `\nfixes:\n${fixes.join("")}`}`;
}

/** The mistakes that a case has left once one fix was applied. */
export function afterFix(name: string, { at, text }: Fix): readonly Diagnostic[] {
  const { configs, modules } = filesOf(name);
  const textOf = ({ file, path }: ConfigFile): SourceText => {
    const old = readFileSync(path, "utf8");
    return { file, text: file === at.file ? old.slice(0, at.start) + text + old.slice(at.end) : old };
  };
  const include: ReadIncluded = (config, path) => {
    const beside = configs.find(({ file }) => file === config);
    return beside === undefined ? { problem: "not readable" } : readIncluded(beside, path);
  };
  return planTexts(configs.map(textOf), { modules: modules.map(textOf), include }).diagnostics;
}
