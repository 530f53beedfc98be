import type { Included } from "../../compiler/1-read/files.ts";
import { nativeBy } from "../../compiler/6-print/regex/index.ts";
import { consoleFacts } from "../../compiler/console/facts.ts";
import { allCodes } from "../../compiler/diagnostics/codes/index.ts";
import { collector } from "../../compiler/diagnostics/collect.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { codeFrame, summary } from "../../compiler/diagnostics/frame.ts";
import type { Sources } from "../../compiler/diagnostics/position.ts";
import { planIn, printIn } from "../../compiler/phases.ts";
import type { Compiled, Drawn, Files, Shown } from "./compiled.ts";

/** The largest number of diagnostics that are shown. */
const mostShown = 200;

/** Phases 1 to 6 over a folder in memory, as `pipewright check` and `pipewright generate` run them over one on the disk. */
export function compile(files: Files): Compiled {
  let [unproven, filters] = [0, 0];
  const texts = files.map(([file, text]) => ({ file, text }));
  const isModule = ({ file }: { readonly file: string }): boolean => /(?:^|\/)modules\//.test(file);
  const planned = planIn(
    { configs: texts.filter((each) => !isModule(each)), modules: texts.filter(isModule) },
    {
      include: (config, path) => included(files, config, path),
      // The playground has no jq to check filters with. It counts them, and the page says so beside the module.
      refusal: () => {
        filters += 1;
        return undefined;
      },
    },
    collector(),
  );
  const native = nativeBy(() => {
    unproven += 1;
    return false;
  });
  const modules = planned.failed ? [] : [...printIn(planned, native)];
  const facts = planned.failed ? [] : consoleFacts({ ...planned, modules }).pages;
  const shown = planned.diagnostics.slice(0, mostShown).map((each) => shownOf(each, planned.sources));
  return {
    diagnostics: shown,
    summary: summary(planned.diagnostics),
    modules: modules.map(({ file, name, code }) => ({ file, name, code })),
    graphs: facts.map((page): Drawn => {
      const { config, interface: name, file, line, reached, nodes } = JSON.parse(page);
      return { config, interface: name, file, line, reached, nodes };
    }),
    unproven,
    filters,
    pages: Object.fromEntries(shown.map(({ code }) => [code, allCodes.find((each) => each.code === code)?.page ?? ""])),
  };
}

function shownOf(diagnostic: Diagnostic, sources: Sources): Shown {
  const { code, severity, message, hint, fix, at } = diagnostic;
  const { line, column } = sources.lines(at.file).at(at.start);
  return {
    ...{ code, severity, message, file: at.file, line, column, start: at.start, end: at.end },
    frame: codeFrame(diagnostic, sources),
    ...(hint === undefined ? {} : { hint }),
    ...(fix === undefined ? {} : { fix: { title: fix.title, text: fix.text, ...fix.at } }),
  };
}

/** A file of the folder beside a configuration. */
function included(files: Files, config: string, path: string): Included {
  const steps = config.split("/").slice(0, -1);
  if (path.startsWith("/")) return { problem: "outside the config directory" };
  for (const step of path.split("/")) {
    if (step === ".." && steps.pop() === undefined) return { problem: "outside the config directory" };
    if (step !== ".." && step !== ".") steps.push(step);
  }
  const found = files.find(([name]) => name === steps.join("/"));
  return found === undefined ? { problem: "not readable" } : { text: found[1] };
}
