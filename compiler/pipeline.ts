import { dirname, resolve as resolvePath } from "node:path";
import { FilterCheck } from "#runtime/languages/jq.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { type ConfigFile, type Included, readIncluded, readText } from "./1-read/files.ts";
import type { Decoded } from "./1-read/index.ts";
import { compareNames } from "./1-read/order.ts";
import { catalogue } from "./6-print/catalogue.ts";
import type { PrintedModule } from "./6-print/index.ts";
import { nativeBy } from "./6-print/regex/index.ts";
import { recheck } from "./6-print/regex/recheck.ts";
import { inTurns } from "./7-link/turns.ts";
import { type Collector, collector } from "./diagnostics/collect.ts";
import type { Report } from "./diagnostics/diagnostic.ts";
import type { SourceText } from "./documents.ts";
import { checkEnvironment, environmentOf } from "./environment.ts";
import { type Fallback, jqFallbacks } from "./jq/print/fallbacks.ts";
import { type DocumentOptions, openApi } from "./openapi/index.ts";
import { nothing, type Outside, type Planned, type Printing, planIn, printIn, type ReadIncluded } from "./phases.ts";

export type { SourceText } from "./documents.ts";
export { type Planned, planQuietly, type ReadIncluded } from "./phases.ts";

// This file runs the phases in a process of Node: with files of the disk, jq in a thread, and values of environments.

/** Gives the texts of files: from the disk, or from the buffers of an editor, which replace it. */
export interface FileTexts {
  /** The text of a file. If there is none, this is reported and gives undefined. */
  readonly text: (file: ConfigFile, report: Report) => Decoded | undefined;
  /** The text of a file beside a config. */
  readonly included: (config: ConfigFile, path: string) => Included;
}

/** The texts on the disk. */
export const disk: FileTexts = { text: readText, included: readIncluded };

/** The arguments for planning beside the configurations. */
interface Planning<Source> extends Pick<Outside, "described" | "memory" | "findParts"> {
  readonly modules?: readonly Source[];
  readonly variables?: readonly Source[];
  /** The environment whose variables are compared with their readers. */
  readonly environment?: string | undefined;
  /** Managed variables from flags, which win over those of the files. */
  readonly given?: readonly JsonObject[] | undefined;
}

/** The arguments for planning files. `texts` gives their texts, by default from the disk. */
export type FilePlanning = Planning<ConfigFile> & { readonly texts?: FileTexts };

export type TextPlanning = Planning<SourceText> & { readonly include?: ReadIncluded };

/** Runs phases 1 to 5 over the files of a project. The result does not depend on their order. */
export function planAll(files: readonly ConfigFile[], planning: FilePlanning = {}): Planned {
  const { modules = [], variables = [], texts: from = disk, ...more } = planning;
  const collected = collector();
  const texts = (list: readonly ConfigFile[]): SourceText[] =>
    list.flatMap((file) => {
      const decoded = from.text(file, collected.report);
      return decoded === undefined ? [] : [{ file: file.file, ...decoded, searched: file.searched }];
    });
  const byName = new Map(files.map((file) => [file.file, file]));
  const included = new Set<string>();
  const include: ReadIncluded = (config, path) => {
    const file = byName.get(config);
    if (file !== undefined) included.add(resolvePath(dirname(file.path), path));
    return file === undefined ? nothing(config, path) : from.included(file, path);
  };
  const planned = planCollected(texts(files), { modules: texts(modules), variables: texts(variables), include, ...more }, collected);
  return { ...planned, included: [...included] };
}

/** Runs phases 1 to 5 over the given texts. */
export const planTexts = (configs: readonly SourceText[], planning: TextPlanning = {}): Planned =>
  planCollected(configs, planning, collector());

function planCollected(
  configs: readonly SourceText[],
  { modules = [], variables = [], include = nothing, environment, given, described, memory, findParts }: TextPlanning,
  collected: Collector,
): Planned {
  const filters = new FilterCheck();
  const planned = planIn(
    { configs, modules, variables },
    {
      refusal: (text, count) => filters.refusal(text, count),
      include,
      described,
      // Results are not kept with answers of database servers, which may differ each time.
      memory: described === undefined ? memory : undefined,
      // Values of an environment and answers of database servers are compared with whole plans, so parts are not used.
      findParts: environment === undefined && described === undefined ? findParts : undefined,
      compare: (all, values, report) => {
        if (environment !== undefined) checkEnvironment(all, environmentOf(environment, values, given), report);
      },
    },
    collected,
  );
  void filters.close();
  return planned;
}

/**
 * The API document of the configurations with `docs: true`, as text for a file; undefined when there is none. Call it only without errors.
 */
export function documentOf({ plans }: Planned, options: DocumentOptions = {}): string | undefined {
  const document = openApi(plans, options);
  return document === undefined ? undefined : `${JSON.stringify(document, null, 2)}\n`;
}

/** The patterns of a process that JavaScript may run. */
export const nativePattern = nativeBy(recheck);

/** Runs phase 6. Call it only without errors. `take` gets each module as soon as it is printed. */
export const printAll = (
  planned: Pick<Planned, "plans" | "sources">,
  printing?: Printing,
  take?: (module: PrintedModule) => void,
): Promise<readonly PrintedModule[]> => inTurns(printIn(planned, nativePattern, printing), take);

/** Filters that jq itself has to run, by place. */
export const fallbacks = ({ plans }: Planned): readonly Fallback[] =>
  plans.flatMap((each) => jqFallbacks(each, catalogue.jq)).sort((a, b) => compareNames(a.at.file, b.at.file) || a.at.start - b.at.start);
