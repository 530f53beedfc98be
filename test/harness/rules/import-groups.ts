// Groups of files that rules of imports name: each is a noun of the runtime.

/** Values and their texts, which every other part may import. */
export const value = "runtime/value/*.ts";

/** Folders that read and write texts and files, without runs: paths, formats, small languages, keys, and threads for heavy work. */
export const tools = [
  "runtime/{paths,formats,languages,keys,shapes}/**",
  "runtime/{threads,files,outgoing,network/addresses}/*.ts",
  "runtime/threads/kinds/*.code.ts",
];
export const texts = [value, ...tools];

/** The plan, and the types of runs. These files contain types only, no code. */
export const plan = "runtime/plan/*.ts";
export const model = [
  plan,
  "runtime/run/{run,interface,response,forwarding,verdict,received,journal}.ts",
  "runtime/run/end/run-line.ts",
  "runtime/features/{feature,json-schema}.ts",
];
export const host = "runtime/process/host.ts";

/** Files that convert values read at the start to their types. The compiler uses them for literals, too. */
export const fitting = "runtime/start/{form,judges,retry,network,schedule,capture}.ts";

/**
 * Parts of the runtime that the compiler runs. Features are not among them, except filters: the compiler knows features by
 * generated/features.ts.
 */
export const meaning = [
  ...texts,
  fitting,
  "runtime/features/filters/index.ts",
  "runtime/run/marker-roots.ts",
  "runtime/realtime/names.ts",
  "runtime/triggers/introduction.ts",
  "runtime/process/**",
  "runtime/enforce/*.ts",
  "runtime/console/recorded-test.ts",
];
