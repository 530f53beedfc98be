import { fitting, host, meaning, model, plan, texts, value } from "./import-groups.ts";
import type { Rule } from "./import-rule.ts";
import { watching } from "./watching-rules.ts";

/** Packages that phases 2 to 6 need. Only phase 1 imports YAML. Phases 1 to 6 import no module of Node, because browsers run them, too. */
const packagesOfPhases = ["ajv", "ajv/**", "ajv-formats/**", "@jridgewell/*"];

/** Folders of the compiler in the order in which `compiler/phases.ts` runs them. */
const phases = ["1-read", "2-check", "3-resolve", "4-plan", "5-analyse", "6-print", "7-link"];

/** For each file the first matching rule holds. */
export const rules: readonly Rule[] = [
  { files: value, may: [value, "packages", "node"], types: [...model, host] },
  { files: plan, may: [plan], types: ["runtime/**"] },
  // Compiled filters call these functions on one value. They know neither the run nor the thread in which jq itself runs.
  { files: "runtime/languages/jq/*.ts", may: ["runtime/value/{json,failure,depth}.ts", "runtime/languages/jq/*.ts"] },
  { files: "runtime/threads/kinds/*.code.ts", may: [], types: ["runtime/threads/worker-thread.ts"] },
  { files: "runtime/threads/kinds/*.ts", may: [...texts, "packages", "node"] },
  {
    files: "runtime/{paths,formats,languages,keys,shapes,threads,files,outgoing,network/addresses}/**",
    may: [...texts, "packages", "node"],
    types: [...model, host, "runtime/threads/kinds/*.ts", "runtime/tracing/{tracer,span}.ts"],
  },
  { files: fitting, may: texts, types: [plan] },
  { files: "runtime/start/*.ts", may: [value, "runtime/start/form.ts", "runtime/run/{request,live-run}.ts"], types: [host, ...model] },
  // These files replace parts that a bundle leaves out.
  { files: "runtime/absent/*.ts", may: [], types: ["runtime/**"] },
  // The façade exports the functions that printed modules call. No other file imports it.
  { files: "runtime/printed/*.ts", may: ["runtime/**"] },
  { files: "runtime/features/facts.ts", may: [] },
  { files: "runtime/features/json-schema.ts", may: [], types: [value, plan] },
  {
    files: "runtime/features/feature.ts",
    may: [],
    types: [value, "runtime/shapes/shape.ts", "runtime/features/{facts,json-schema}.ts", ...model, host],
  },
  // Some filters are aliases of other filters, and the list of all filters is in this folder.
  {
    files: "runtime/features/filters/*.ts",
    may: [...texts, "runtime/features/filters/*.ts"],
    types: ["runtime/features/feature.ts"],
  },
  {
    files: "runtime/features/{transforms,matchers}/*.ts",
    // Node's modules for bytes and keys, but none for files or the network.
    may: [...texts, "runtime/features/feature.ts", "node:{buffer,crypto,url,util,zlib}"],
    types: [...model, host, "runtime/threads/kinds/*.ts"],
  },
  {
    files: "runtime/features/actions/**",
    may: [...texts, "runtime/features/actions/**", "runtime/{state,realtime}/*.ts", "runtime/process/command-line.ts", "packages", "node"],
    types: [...model, host, "runtime/tracing/tracer.ts", "runtime/metrics/meter.ts"],
  },
  // A vault is called with the code of `http` actions.
  {
    files: "runtime/features/secret-stores/*.ts",
    may: [
      ...texts,
      "runtime/features/secret-stores/*.ts",
      "runtime/features/actions/http.ts",
      // KMS is called as any service of AWS.
      "runtime/features/actions/aws/*.ts",
      "runtime/process/command-line.ts",
      "packages",
      "node",
    ],
    types: [...model, host],
  },
  // State stores are databases, so that they use the database drivers.
  {
    files: "runtime/{state,store}/*.ts",
    may: [...texts, "runtime/{state,store,features/actions/database}/*.ts", "runtime/process/workers/crew.ts", "packages", "node"],
    types: [host, ...model],
  },
  // A rate limit may keep its counts in the state store.
  {
    files: "runtime/network/*.ts",
    may: [...texts, "runtime/start/network.ts", "runtime/{network,state}/*.ts", "runtime/process/workers/crew.ts", "packages", "node"],
    types: [host, ...model],
  },
  // Recorded runs may be kept in databases, too.
  {
    files: "runtime/capture/*.ts",
    may: [
      ...texts,
      "runtime/run/action-place.ts",
      "runtime/run/end/reply.ts",
      "runtime/start/capture.ts",
      "runtime/{capture,store}/*.ts",
      "runtime/features/actions/database/*.ts",
      "node",
    ],
    types: [host, ...model, "runtime/state/store.ts", "runtime/features/actions/database.ts"],
  },
  ...watching,
  {
    files: "runtime/bus/*.ts",
    may: [...texts, "runtime/{bus,store}/*.ts", "runtime/process/workers/crew.ts", "node"],
    types: [host, "pg"],
  },
  { files: "runtime/realtime/*.ts", may: [...texts, "runtime/{realtime,state,bus}/*.ts", "node"], types: [host, ...model] },
  // Triggers begin runs by `Execution` and answer with its result. A protocol imports no other protocol.
  {
    files: "runtime/triggers/**",
    may: [
      ...texts,
      "runtime/run/{live-run,request,execution,refusals,run-level}.ts",
      "runtime/run/end/{background,reply}.ts",
      "runtime/{triggers,network,tracing,realtime,state,store,bus}/**",
      "runtime/process/workers/crew.ts",
      "runtime/process/{node-name,product,settings/bind}.ts",
      "runtime/capture/bundle.ts",
      "packages",
      "node",
    ],
    types: [host, ...model, "runtime/run/**"],
  },
  // Durable runs begin and end as other runs do, and are kept in the store until they end.
  {
    files: "runtime/durable/*.ts",
    may: [
      ...texts,
      "runtime/run/{live-run,execution,deadlines,refusals,run-level}.ts",
      "runtime/run/end/{background,reply}.ts",
      "runtime/metrics/meter.ts",
      "runtime/{durable,store}/*.ts",
      "runtime/triggers/http/{answer,body,refusal,request}.ts",
      "runtime/capture/bundle.ts",
      "runtime/tracing/run-span.ts",
      "runtime/process/node-name.ts",
      "runtime/process/workers/crew.ts",
      "node",
    ],
    types: [host, ...model, "runtime/run/**", "runtime/triggers/endpoint.ts"],
  },
  { files: "runtime/process/workers/*.ts", may: ["runtime/process/workers/*.ts", "node"], types: [host, "runtime/metrics/meter.ts"] },
  {
    files: "runtime/process/settings/*.ts",
    may: [...texts, "runtime/process/settings/*.ts", host, "node"],
    types: ["runtime/**"],
  },
  {
    files: "runtime/process/*.ts",
    may: [
      ...texts,
      "runtime/process/**",
      "runtime/run/{live-run,request,execution}.ts",
      "runtime/run/end/background.ts",
      "runtime/{triggers,tracing}/*.ts",
      "runtime/{admin/start,state/durability,start/fields}.ts",
      "packages",
      "node",
    ],
    types: ["runtime/**"],
  },
  // Enforcement reads a manifest and compares the accesses of runs with it. Bundles carry this code only when a manifest is enforced.
  { files: "runtime/enforce/*.ts", may: [...texts, "runtime/enforce/*.ts"], types: [host, ...model] },
  // The plugin is a trigger and a process in one. It imports only types of Fastify, because the user's application brings Fastify.
  {
    files: "runtime/fastify/*.ts",
    may: [
      "runtime/fastify/*.ts",
      "runtime/process/{metrics,service,unmet,version,settings/options}.ts",
      "runtime/run/refusals.ts",
      "runtime/run/end/background.ts",
      "runtime/{admin/start,start/fields}.ts",
      "runtime/triggers/http{.ts,/*.ts}",
      "node",
    ],
    types: [host, ...model, "runtime/process/settings/environment.ts", "fastify"],
  },
  // Records of runs may go to the databases of a config; the printed module imports their drivers.
  {
    files: "runtime/run/records/*.ts",
    may: [
      "runtime/run/end/background.ts",
      "runtime/run/records/*.ts",
      "runtime/features/actions/database/source.ts",
      "runtime/outgoing/touches.ts",
    ],
    types: [host, ...model, value, "runtime/features/actions/{database,document_operation}.ts"],
  },
  {
    files: "runtime/run/**",
    // Each worker gets its share of the limits of the service.
    may: [...texts, "runtime/run/!(records)/*.ts", "runtime/run/*.ts", "runtime/{tracing/run-span,process/workers/crew}.ts", "node"],
    types: [
      host,
      ...model,
      "runtime/start/form.ts",
      "runtime/network/gate.ts",
      "runtime/metrics/meter.ts",
      "runtime/tracing/tracer.ts",
      "runtime/{capture,bus}/port.ts",
      "runtime/triggers/{protocol,endpoint}.ts",
    ],
  },
  // The interpreter gets the features of a plan as an argument, so that a bundle carries only these.
  {
    files: "runtime/walk/*.ts",
    may: [...texts, "runtime/walk/*.ts", "runtime/run/**", "runtime/start/setting.ts"],
    types: ["runtime/**"],
  },
  // A trial replaces all access to the outside by stubs, and then works as a process. No bundle carries it.
  { files: "runtime/testing/wildcard.ts", may: [] },
  { files: "runtime/testing/*.ts", may: ["runtime/**", "node"], types: ["runtime/**", "undici", "nodemailer"] },
  {
    files: "compiler/testing/**",
    may: ["compiler/**", "generated/*.ts", "runtime/testing/wildcard.ts", ...meaning, "packages", "node"],
    types: ["runtime/**"],
  },
  // The values of an environment are evaluated with the code of a process.
  {
    files: "compiler/environment.ts",
    may: ["compiler/**", ...meaning, "runtime/walk/evaluate.ts", "runtime/run/{request,live-run}.ts"],
    types: ["runtime/**"],
  },
  { files: "templates/*.ts", may: ["runtime/**", "pipewright:configs"], types: ["runtime/**"] },
  { files: "test/fixtures/interfaces/*/expected.ts", may: ["pipewright/runtime"] },
  // Words of other tools are tables; phases, commands and editors look words up in them.
  { files: "compiler/other-tools/*.ts", may: ["compiler/other-tools/*.ts", "compiler/diagnostics/diagnostic.ts"] },
  // The compiler of jq. Its parser imports nothing else of the compiler, and its printer uses the helpers of phase 6.
  { files: "compiler/jq/parse/*.ts", may: ["compiler/jq/parse/*.ts", ...meaning] },
  {
    files: "compiler/jq/print/*.ts",
    may: ["compiler/jq/**", "compiler/6-print/{code,names}.ts", "compiler/4-plan/markers/mentions.ts", ...meaning],
    types: ["runtime/**"],
  },
  // Modules of Node are imported by these files of the phases alone: the playground needs none of the first ones, and has its own hash.
  {
    files: "compiler/1-read/{files,settings}.ts",
    may: ["compiler/1-read/*.ts", "compiler/diagnostics/**", ...meaning, "packages", "node"],
  },
  { files: "compiler/6-print/regex/recheck.ts", may: ["node:module"] },
  { files: "compiler/5-analyse/hash.ts", may: ["node:crypto"] },
  {
    files: "compiler/{phases,documents,memory}.ts",
    may: [
      ...phases.slice(0, -1).map((each) => `compiler/${each}/**`),
      "compiler/{documents,memory}.ts",
      "compiler/diagnostics/**",
      "generated/*.ts",
      ...meaning,
    ],
    types: ["compiler/environment.ts", "runtime/**"],
  },
  {
    files: "compiler/{console,diagnostics,explain}/!(page).ts",
    may: ["compiler/**", "generated/*.ts", ...meaning, "packages"],
    types: ["runtime/**"],
  },
  ...phases.map(phase),
  // Database servers are queried with the settings and protocols of the drivers.
  {
    files: "compiler/database/*.ts",
    may: [
      "compiler/{5-analyse,database,diagnostics}/**",
      "runtime/features/actions/database/{settings,mysql-options,postgres-options,postgres-query,postgres-types,sqlite-file}.ts",
      ...meaning,
      "packages",
      "node",
    ],
    types: ["runtime/**"],
  },
  // The command reads runs that services have recorded.
  {
    files: "compiler/cli/runs/*.ts",
    may: [
      "compiler/cli/**",
      "runtime/capture/{open,query}.ts",
      "runtime/store/{open-runs,run-orders}.ts",
      "runtime/durable/retry.ts",
      ...meaning,
      "node",
    ],
    types: ["runtime/**"],
  },
  { files: "compiler/**", may: ["compiler/**", "generated/*.ts", ...meaning, "packages", "node"], types: ["runtime/**"] },
];

/** The rule of a phase: it may import earlier phases. Only the last phase and two files of the first use the disk. */
function phase(name: string, n: number): Rule {
  const jq = n < phases.indexOf("4-plan") ? [] : n < phases.indexOf("6-print") ? ["compiler/jq/parse/*.ts"] : ["compiler/jq/**"];
  const earlier = [
    ...phases.slice(0, n + 1).map((each) => `compiler/${each}/**`),
    ...jq,
    "compiler/{diagnostics/**,other-tools/*.ts,present.ts,records.ts}",
    "generated/*.ts",
  ];
  const outside = n === 0 ? ["packages"] : n === phases.length - 1 ? ["packages", "node"] : packagesOfPhases;
  return { files: `compiler/${name}/**`, may: [...earlier, ...meaning, ...outside], types: ["runtime/**"] };
}

/** Single imports that a rule forbids and that have a reason; each must be needed. */
export const allowances: readonly { readonly from: string; readonly to: string; readonly why: string }[] = [];
