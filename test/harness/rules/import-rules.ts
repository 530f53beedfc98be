import { matchesGlob } from "node:path";
import type { Import } from "./import-list.ts";

// Who may import whom (house.md section 8). What no rule allows is forbidden.

interface Rule {
  /** Globs of files; `packages` are those of npm, `node` is what Node has. */
  readonly files: string;
  /** What their code may import. */
  readonly may: readonly string[];
  /** What they may import for its types alone, besides. */
  readonly types?: readonly string[];
}

const base =
  "runtime/{json,values,verdict,response,forwarding,received,run-line,plan,plan-attempts,plan-fills,plan-policies,plan-start,plan-tests,plan-tools,feature,failure}.ts";

/** The types of runs and of what surrounds them: no code stands in these files. */
const model = "runtime/{run,interface,response,forwarding,verdict,received,run-line}.ts";

/** What makes values of the start fit: used for literals, too. */
const fitting = "runtime/start/{form,judges,retry,network,schedule,capture}.ts";
const lib = "runtime/lib/*.ts";

/** What the compiler runs of the runtime: the meaning of values, never that of features. Those it knows by generated/features.ts. */
const meaning = ["runtime/{json,values,failure}.ts", "runtime/markers/*.ts", lib, fitting];

/** What the phases between disk and disk need besides: they read no files, and YAML is a matter of the first. */
const tools = [
  "ajv",
  "ajv/**",
  "ajv-formats/**",
  "@jridgewell/*",
  "json-schema-to-typescript",
  "node:{module,path,url,util}",
  "node:path/posix",
];

/** Folders of the compiler in the order in which `compiler/pipeline.ts` runs them. */
const phases = ["1-read", "2-check", "3-resolve", "4-plan", "5-analyse", "{5,6}-print", "{6,7}-link"];

/** The first rule whose files fit counts. */
const rules: readonly Rule[] = [
  { files: base, may: [base], types: ["runtime/{run,host}.ts", "runtime/start/{form,judges}.ts"] },
  { files: fitting, may: ["runtime/{json,values,failure}.ts", lib], types: ["runtime/plan-{attempts,policies}.ts"] },
  {
    files: "runtime/start/*.ts",
    may: ["runtime/{json,failure,request,live-run}.ts", "runtime/start/form.ts"],
    types: ["runtime/process/host.ts", model],
  },
  {
    files: lib,
    may: ["runtime/{json,failure,values}.ts", lib, "runtime/threads/kinds/*.code.ts", "runtime/languages/jq/*.ts", "packages", "node"],
    types: ["runtime/{host,feature}.ts", "runtime/threads/kinds/*.ts", "runtime/tracing/{tracer,span}.ts"],
  },
  // What stands in for parts that a bundle does without.
  { files: "runtime/absent/*.ts", may: [], types: ["runtime/**"] },
  // What compiled filters call: neither the run nor the thread in which jq itself runs.
  { files: "runtime/languages/jq/*.ts", may: ["runtime/{json,failure}.ts", "runtime/languages/jq/*.ts"] },
  { files: "runtime/threads/kinds/*.code.ts", may: [], types: ["runtime/threads/worker-thread.ts"] },
  { files: "runtime/threads/kinds/*.ts", may: ["runtime/{json,failure,values}.ts", lib, "packages", "node"] },
  {
    files: "runtime/{transforms,matchers}/*.ts",
    // What Node has for bytes and keys; nothing that reaches outside.
    may: ["runtime/{json,values,failure}.ts", lib, "runtime/threads/kinds/*.code.ts", "node:{buffer,crypto,url,util,zlib}"],
    types: ["runtime/features/feature.ts", model, "runtime/threads/kinds/*.ts"],
  },
  {
    files: "runtime/features/actions/**",
    // `fill.ts` is what the printer calls for holes of the same fields.
    may: ["runtime/{json,values,failure,fill}.ts", lib, "runtime/{actions,state,realtime}/**", "packages", "node"],
    types: ["runtime/{feature,host}.ts", model, "runtime/tracing/tracer.ts", "runtime/metrics/meter.ts"],
  },
  // Its stores are databases, so that it shares their drivers.
  {
    files: "runtime/state/*.ts",
    may: [
      "runtime/{json,values,failure}.ts",
      lib,
      "runtime/state/*.ts",
      "runtime/process/workers/crew.ts",
      "runtime/features/actions/database/*.ts",
      "packages",
      "node",
    ],
    types: ["runtime/process/host.ts", model, "runtime/features/actions/database.ts"],
  },
  // A vault is asked as an http action asks.
  {
    files: "runtime/features/secret-stores/*.ts",
    may: [
      "runtime/{json,values,failure}.ts",
      lib,
      "runtime/features/secret-stores/*.ts",
      "runtime/features/actions/http.ts",
      "packages",
      "node",
    ],
    types: ["runtime/process/host.ts", model],
  },
  // What a policy counts it may share by the state store.
  {
    files: "runtime/network/*.ts",
    may: [
      "runtime/value/json.ts",
      lib,
      "runtime/start/network.ts",
      "runtime/network/*.ts",
      "runtime/state/*.ts",
      "runtime/process/workers/crew.ts",
      "packages",
      "node",
    ],
    types: ["runtime/{host,plan}.ts", model],
  },
  // Runs are kept by the drivers of databases, too.
  {
    files: "runtime/capture/*.ts",
    may: [
      "runtime/{json,reply,action-place}.ts",
      lib,
      "runtime/start/capture.ts",
      "runtime/capture/*.ts",
      "runtime/features/actions/database/*.ts",
      "node",
    ],
    types: ["runtime/{host,plan}.ts", model, "runtime/features/actions/database.ts"],
  },
  {
    files: "runtime/admin/*.ts",
    may: ["runtime/{json,failure}.ts", lib, "runtime/admin/*.ts", "runtime/capture/query.ts", "node"],
    types: ["runtime/process/host.ts", model, "runtime/capture/recording.ts"],
  },
  {
    files: "runtime/metrics/*.ts",
    may: ["runtime/{json,values,failure}.ts", lib, "runtime/metrics/*.ts", "packages", "node"],
    types: ["runtime/process/host.ts"],
  },
  {
    files: "runtime/tracing/*.ts",
    may: ["runtime/value/json.ts", lib, "runtime/tracing/*.ts", "packages", "node"],
    types: ["runtime/process/host.ts", model],
  },
  { files: "runtime/process/workers/*.ts", may: ["runtime/process/workers/*.ts", "node"], types: ["runtime/{host,metrics/meter}.ts"] },
  // Records of runs go to the databases of a config, whose drivers the module brings.
  {
    files: "runtime/run/records/*.ts",
    may: ["runtime/run/end/background.ts", "runtime/run/records/*.ts", "runtime/features/actions/database/source.ts"],
    types: ["runtime/process/host.ts", model, "runtime/features/actions/{database,document_operation}.ts"],
  },
  {
    files: "runtime/realtime/*.ts",
    may: ["runtime/value/json.ts", lib, "runtime/{realtime,state}/*.ts", "runtime/process/workers/crew.ts", "node"],
    types: ["runtime/process/host.ts", model],
  },
  // The nodes of a service agree on who runs a schedule by the state store.
  {
    files: "runtime/triggers/schedule{.ts,/*}",
    may: [
      "runtime/{json,live-run,request,background,execution,failure}.ts",
      lib,
      "runtime/triggers/schedule/*.ts",
      "runtime/{state,tracing}/*.ts",
    ],
    types: ["runtime/{host,plan}.ts", model],
  },
  {
    files: "runtime/triggers/**",
    may: [
      "runtime/{json,live-run,run-level,request,reply,background,execution,refusals}.ts",
      lib,
      "runtime/{triggers,network,tracing,realtime}/**",
      "runtime/state/*.ts",
      "runtime/process/workers/crew.ts",
      "packages",
      "node",
    ],
    types: ["runtime/{host,plan-tools}.ts", model],
  },
  {
    files: "runtime/markers/*.ts",
    may: ["runtime/{json,values,failure}.ts", "runtime/markers/*.ts", lib],
    types: ["runtime/plan/index.ts"],
  },
  // The interpreter is handed the features of a plan, so that a bundle carries only those.
  {
    files: "runtime/{walk,evaluate,judge}.ts",
    may: ["runtime/!(server).ts", "runtime/value/timestamp.ts", "runtime/start/setting.ts", lib],
    types: ["runtime/features/filters/index.ts"],
  },
  {
    files: "runtime/process/server.ts",
    may: [
      "runtime/!(walk).ts",
      lib,
      "runtime/{triggers,tracing,cluster}/*.ts",
      "runtime/{admin/start,state/durability,start/fields}.ts",
      "node",
    ],
    types: ["runtime/metrics/meter.ts"],
  },
  {
    files: "runtime/*.ts",
    may: ["runtime/!(walk|server).ts", "runtime/tracing/of-run.ts", lib, "node"],
    types: ["runtime/{start/form,network/gate,metrics/meter,tracing/tracer,capture/port,triggers/protocol,triggers/endpoint}.ts"],
  },
  // What an environment gives is evaluated as a process would.
  {
    files: "compiler/environment.ts",
    may: ["compiler/**", ...meaning, "runtime/{evaluate,host,request,live-run}.ts"],
    types: ["runtime/**"],
  },
  { files: "templates/*.ts", may: ["runtime/**", "pipewright:configs"], types: ["runtime/**"] },
  { files: "test/fixtures/interfaces/*/expected.ts", may: ["pipewright/runtime"] },
  // The façade names what printed modules call, and nothing else imports it.
  { files: "runtime/printed/*.ts", may: ["runtime/**"] },
  ...phases.map(phase),
  // The command reads what services have recorded.
  {
    files: "compiler/cli/runs{,-store}.ts",
    may: ["compiler/cli/*.ts", "runtime/capture/{open,query}.ts", ...meaning, "node"],
    types: ["runtime/**"],
  },
  { files: "compiler/**", may: ["compiler/**", "generated/*.ts", ...meaning, "packages", "node"], types: ["runtime/**"] },
];

/** A phase sees those before it; only the first and the last touch the disk. */
function phase(name: string, n: number): Rule {
  const earlier = [...phases.slice(0, n + 1).map((each) => `compiler/${each}/**`), "compiler/diagnostics/**", "generated/*.ts"];
  const outside = n === 0 || n === phases.length - 1 ? ["packages", "node"] : tools;
  return { files: `compiler/${name}/**`, may: [...earlier, ...meaning, ...outside], types: ["runtime/**"] };
}

/** Single imports that a rule forbids and that have a reason; each must be needed. */
const allowances: readonly { readonly from: string; readonly to: string; readonly why: string }[] = [
  { from: "runtime/value/values.ts", to: "runtime/value/duration.ts", why: "a marker may give a duration" },
  { from: "runtime/process/settings/options.ts", to: "runtime/process/host.ts", why: "the default limits" },
];

/** Imports that nothing allows, as `from -> to`. */
export function forbidden(imports: readonly Import[]): readonly string[] {
  return imports
    .filter((each) => !isAllowed(each) && !allowances.some(({ from, to }) => matchesGlob(each.from, from) && to === each.to))
    .map(({ from, to, typeOnly }) => `${from} -> ${to}${typeOnly ? " (type)" : ""}`);
}

/** Allowances that no import needs any more. */
export const unneeded = (imports: readonly Import[]): readonly string[] =>
  allowances
    .filter(({ from, to }) => !imports.some((each) => matchesGlob(each.from, from) && to === each.to && !isAllowed(each)))
    .map(({ from, to, why }) => `${from} -> ${to}: ${why}`);

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const rule = rules.find(({ files }) => matchesGlob(from, files));
  if (rule === undefined || isForeignAction(from, to)) return false;
  const may = typeOnly ? [...rule.may, ...(rule.types ?? [])] : rule.may;
  return may.some((pattern) => fits(to, pattern));
}

function fits(to: string, pattern: string): boolean {
  if (pattern === "node") return to.startsWith("node:");
  if (pattern === "packages") return isPackage(to);
  return matchesGlob(to, pattern);
}

/** Neither a file of the repository nor a part of Node. */
export const isPackage = (to: string): boolean => !/^(?:runtime|compiler|generated|templates|test)\/|:/.test(to);

/** An action kind is one file and the folder of its name; operations on documents are one of databases. */
const isForeignAction = (from: string, to: string): boolean =>
  from.startsWith("runtime/features/actions/") && to.startsWith("runtime/features/actions/") && kindOf(from) !== kindOf(to);

const kindOf = (file: string): string | undefined => file.split("/")[2]?.replace(/\.ts$/, "").replace("document_operation", "database");

/** The first circle of files that need each other at run time, as `a -> b -> a`. */
export function circle(imports: readonly Import[]): string | undefined {
  const needs = Map.groupBy(
    imports.filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const follow = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" -> ");
    if (done.has(file)) return undefined;
    for (const { to } of needs.get(file) ?? []) {
      const found = follow(to, [...path, file]);
      if (found !== undefined) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of needs.keys()) {
    const found = follow(file, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
