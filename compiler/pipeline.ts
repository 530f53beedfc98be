import { dirname, resolve as resolvePath } from "node:path";
import { FilterCheck } from "#runtime/languages/jq.ts";
import { type ConfigFile, type Included, readIncluded, readText } from "./1-read/files.ts";
import { compareNames } from "./1-read/order.ts";
import type { DescribedQueries } from "./5-analyse/index.ts";
import { catalogue } from "./6-print/catalogue.ts";
import type { PrintedModule } from "./6-print/index.ts";
import { nativeBy } from "./6-print/regex/index.ts";
import { recheck } from "./6-print/regex/recheck.ts";
import { collector } from "./diagnostics/collect.ts";
import type { Report } from "./diagnostics/diagnostic.ts";
import { checkEnvironment, environmentOf } from "./environment.ts";
import { type Fallback, jqFallbacks } from "./jq/print/fallbacks.ts";
import { type DocumentOptions, openApi } from "./openapi/index.ts";
import { type Earlier, nothing, type Planned, planIn, printIn, type ReadIncluded, type SourceText } from "./phases.ts";

export { type Planned, planQuietly, type ReadIncluded, type SourceText } from "./phases.ts";

// The phases as a process of Node calls them: with files of the disk, jq in a thread, and values of environments.

/** Gives the texts of files: from the disk, or from the buffers of an editor in front of it. */
export interface FileTexts {
  /** Undefined, and reported, when there is none. */
  readonly text: (file: ConfigFile, report: Report) => string | undefined;
  /** The text of a file beside a config. */
  readonly included: (config: ConfigFile, path: string) => Included;
}

/** Texts as they lie on the disk. */
export const disk: FileTexts = { text: (file, report) => readText(file, report)?.text, included: readIncluded };

/** Phases 1 to 5 over the files of a project, in any order: the result does not depend on it. */
export function planAll(
  files: readonly ConfigFile[],
  modules: readonly ConfigFile[] = [],
  variables: readonly ConfigFile[] = [],
  environment?: string,
  described?: DescribedQueries,
  from: FileTexts = disk,
  earlier?: Earlier,
): Planned {
  const collected = collector();
  const texts = (list: readonly ConfigFile[]): SourceText[] =>
    list.flatMap((file) => {
      const text = from.text(file, collected.report);
      return text === undefined ? [] : [{ file: file.file, text, searched: file.searched }];
    });
  const byName = new Map(files.map((file) => [file.file, file]));
  const included = new Set<string>();
  const include: ReadIncluded = (config, path) => {
    const file = byName.get(config);
    if (file !== undefined) included.add(resolvePath(dirname(file.path), path));
    return file === undefined ? nothing(config, path) : from.included(file, path);
  };
  return {
    ...planTexts(texts(files), collected, texts(modules), texts(variables), include, environment, described, earlier),
    included: [...included],
  };
}

/**
 * Phases 1 to 5 over texts that are at hand. With an environment, its variables are held against what reads them; `described` has what
 * servers of databases say of queries.
 */
export function planTexts(
  configs: readonly SourceText[],
  collected = collector(),
  modules: readonly SourceText[] = [],
  variables: readonly SourceText[] = [],
  include: ReadIncluded = nothing,
  environment?: string,
  described?: DescribedQueries,
  earlier?: Earlier,
): Planned {
  const filters = new FilterCheck();
  const planned = planIn(
    { configs, modules, variables },
    {
      refusal: (text, count) => filters.refusal(text, count),
      include,
      described,
      // Values of an environment, and answers of servers of databases, are held against whole plans.
      earlier: environment === undefined && described === undefined ? earlier : undefined,
      compare: (all, values, report) => {
        if (environment !== undefined) checkEnvironment(all, environmentOf(environment, values), report);
      },
    },
    collected,
  );
  void filters.close();
  return planned;
}

/**
 * The API document of the configurations with `docs: true`, as text for a file; undefined when there is none. Call it only when nothing
 * failed.
 */
export function documentOf({ plans }: Planned, options: DocumentOptions = {}): string | undefined {
  const document = openApi(plans, options);
  return document === undefined ? undefined : `${JSON.stringify(document, null, 2)}\n`;
}

/** The patterns of a process that JavaScript may run. */
export const nativePattern = nativeBy(recheck);

/** Phase 6. Call it only when nothing failed. `interpret` walks every interface, as if each said `disable_fastpath: true`. */
export const printAll = async (
  planned: Pick<Planned, "plans" | "sources">,
  options: { readonly interpret?: boolean } = {},
): Promise<readonly PrintedModule[]> => printIn(planned, nativePattern, options);

/** Filters that jq itself has to run, by place. */
export const fallbacks = ({ plans }: Planned): readonly Fallback[] =>
  plans.flatMap((each) => jqFallbacks(each, catalogue.jq)).sort((a, b) => compareNames(a.at.file, b.at.file) || a.at.start - b.at.start);
