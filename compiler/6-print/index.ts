import type { FacadeName } from "#generated/facade.ts";
import type { ConfigPlan, DatabasePlan, ErrorHandlerPlan, Needs, SecretPlan } from "#runtime/plan/index.ts";
import { visibleLine } from "#runtime/value/visible.ts";
import type { AnalysedInterface, AnalysedPlan, ConfigUses } from "../5-analyse/analysed.ts";
import { actionPlaces } from "./action-places.ts";
import {
  block as brackets,
  type Code,
  code,
  comment,
  empty,
  indented,
  type Line,
  lines,
  list,
  lit,
  name,
  property,
  unmarkedCode,
} from "./code.ts";
import { configValue, unknownAction } from "./config-value.ts";
import { type ContractTypes, wordsOf } from "./contract.ts";
import { block, type ExprPlace } from "./exprs.ts";
import { headerLine } from "./header.ts";
import { type FilterTable, guardedWords, Imports, importLine, moduleWords } from "./imports.ts";
import { printInterface } from "./interface.ts";
import { type Locate, type SourceMap, sourceMap } from "./map.ts";
import { Names } from "./names.ts";
import { printPolicies } from "./network.ts";
import type { FeatureFacts, ModulePlace } from "./place.ts";
import { startedNetwork, startOfConfig } from "./start.ts";
import { isExact } from "./types/schema-type.ts";

/** A printed config. */
export interface PrintedModule extends SourceMap {
  /** The path of the source, e.g. `api/posts.yml`. */
  readonly file: string;
  /** Path of the module without ending, e.g. `api/posts`. */
  readonly name: string;
  /**
   * The places of the fields that are read at the start, such as `api.yaml:5`, by their paths. They are kept beside the module, in which
   * only comments change when a line of the YAML moves.
   */
  readonly places?: Readonly<Record<string, string>>;
  /** Present when the config is in the API document. With `isStarted` the environment may take it out. */
  readonly docs?: { readonly isStarted: boolean; readonly description?: string };
  /** The places of the actions as JSON text, kept beside the module for the same reason. */
  readonly action_places?: string;
  /** The needs of the module at run time, for the linker. */
  readonly uses: ConfigUses;
  /** The TypeScript code. It imports only `pipewright/runtime`, and exports `config`. */
  readonly code: string;
  /** The functions of `pipewright/runtime` that the module calls, sorted. */
  readonly runtime: readonly FacadeName[];
}

/** The facts about features that the printer uses. They do not include the functions themselves. */
export interface Catalogue extends FeatureFacts {
  readonly filters: FilterTable;
}

/** Prints a config as a TypeScript module. Same plan, same bytes: no time, host or path of the machine is in it. */
export function print(plan: AnalysedPlan, catalogue: Catalogue, locate: Locate, contracts: ContractTypes): PrintedModule {
  const places = new Map<string, string>();
  const m = modulePlace(plan, catalogue, locate, contracts, places);
  const policies = printPolicies(plan, m);
  const started = startedNetwork(plan, m);
  const interfaces = plan.interfaces.flatMap((target) => [
    { text: empty },
    ...contract(contracts.get(target.name)?.text),
    ...printInterface(target, { ...m, networkStart: started.name, accepted: accepted(target, contracts) }, policies.of(target)),
  ]);
  const body = [
    ...needs(plan),
    ...secretLines(plan.secrets, m),
    ...databaseLines(plan.databases, m),
    ...policies.shared,
    ...started.lines,
    ...interfaces,
    { text: empty },
    ...configLines(plan, m),
  ];
  const head: Line[] = [{ text: headerLine(plan.file) }, { text: importLine }, { text: empty }];
  const all = [...head, ...body].map(({ text, at }) => ({ ...unmarkedCode(text), at }));
  return {
    file: plan.file,
    name: moduleName(plan.file),
    places: Object.fromEntries(places),
    ...(plan.docs === undefined ? {} : { docs: { isStarted: plan.start?.docs !== undefined, ...plan.docs } }),
    action_places: actionPlaces(plan, locate),
    uses: plan.uses,
    runtime: m.imports.used(),
    code: `${all.map(({ text }) => text).join("\n")}\n`,
    ...sourceMap(all, plan.file, locate),
  };
}

/** The module that is printed, as its parts see it. The places of fields that are read at the start are added to `places`. */
function modulePlace(
  plan: AnalysedPlan,
  catalogue: Catalogue,
  locate: Locate,
  contracts: ContractTypes,
  places: Map<string, string>,
): ModulePlace {
  const imports = new Imports(catalogue.filters);
  const names = new Names(moduleWords);
  // Interfaces get their names first, so that other names have to differ from them.
  for (const { name } of plan.interfaces) names.of(name);
  names.keepFree(guardedWords);
  const secrets = new Map(plan.secrets.map(({ name }) => [name, names.fresh(`${name}_secret`)]));
  const databases = new Map(plan.databases.map(({ name }) => [name, names.fresh(name, "database")]));
  return {
    imports,
    features: catalogue,
    names,
    types: new Names([...contracts.values()].flatMap(wordsOf)),
    taken: new Set([...guardedWords, ...databases.values(), ...secrets.values()]),
    database: (name) => databases.get(name) ?? unknownDatabase(name),
    speaks: (database) => plan.databases.find(({ name }) => name === database)?.speaks ?? unknownDatabase(database),
    secret: (name) => secrets.get(name) ?? lit(name),
    keepPlace: (path, at) => places.set(path, `${at.file}:${locate(at).line}`),
    where: (at) => comment(`${at.file}:${locate(at).line}`),
    networkStart: undefined,
    accepted: undefined,
  };
}

/**
 * The type of a body that an interface accepts. It is used only if it does not state more than the analysis knows, so that a reading with a
 * warning of `check` is no type error.
 */
const accepted = ({ name, accepts, shapes }: AnalysedInterface, contracts: ContractTypes): Code | undefined =>
  shapes.followsBody && isExact(accepts) ? contracts.get(name)?.input : undefined;

/**
 * Path of the module without extension. A config outside the working directory must not be written outside the output folder, and
 * characters of a name that cannot be typed or seen are escaped.
 */
const moduleName = (file: string): string =>
  visibleLine(file.replace(/\.ya?ml$/, "").replace(/(?:^|(?<=\/))\.\.(?=\/)/g, "_")).replaceAll("\\", "_");

const contract = (types: Code | undefined): Line[] => (types === undefined ? [] : [...lines(types), { text: empty }]);

function needs({ needs, optional }: ConfigPlan): Line[] {
  const fields = [code`env: ${lit([...needs.env])}`, code`vars: ${lit([...needs.vars])}`, code`secrets: ${lit([...needs.secrets])}`];
  return [
    ...needsComment(optional),
    ...lines(
      code`export const needs = ${fields.join("").length > longest ? brackets("{", fields, "}", "") : code`{ ${list(fields)} }`} as const;`,
    ),
  ];
}

/** Prints the optional names as a comment, so that a reviewer sees them. */
function needsComment(optional: Needs | undefined): Line[] {
  const sentence = code`Names this config reads from outside; checked before the first run.`;
  if (optional === undefined) return [{ text: code`/** ${sentence} */` }];
  const kinds = (["env", "vars", "secrets"] as const).flatMap((kind) =>
    optional[kind].length === 0 ? [] : [code`${name(kind)} ${comment(optional[kind].join(", "))}`],
  );
  const more = code`Not checked, since each has a default: ${list(kinds, "; ")}.`;
  return [{ text: code`/**` }, { text: code` * ${sentence}` }, { text: code` * ${more}` }, { text: code` */` }];
}

/** The most columns for all needs of a config on one line. */
const longest = 80;

function secretLines(secrets: readonly SecretPlan[], m: ModulePlace): Line[] {
  return secrets.flatMap((secret) => {
    const store = m.imports.feature(`${secret.kind.replaceAll("-", "_")}_secret`);
    const place: ExprPlace = { imports: m.imports, act: unknownAction, data: code`null`, now: () => code`cx.host.now()`, indent: "" };
    const fields = [code`name: ${lit(secret.name)}`, code`store: ${store}`, code`format: ${lit(secret.format)}`];
    fields.push(code`settings: ${configValue(secret.settings, m, "  ")}`);
    if (secret.secrets !== undefined) fields.push(code`needs: [${list(secret.secrets.map(m.secret))}]`);
    const value = block(
      "{",
      fields.map((field) => () => field),
      "}",
      place,
    );
    return [
      { text: empty },
      { text: code`/** global.secrets */` },
      ...lines(code`const ${m.secret(secret.name)}: pw.SecretSource = ${value};`, secret.at),
    ];
  });
}

function databaseLines(databases: readonly DatabasePlan[], m: ModulePlace): Line[] {
  return databases.flatMap((database) => {
    const type = database.speaks === "documents" ? code`pw.DocumentSource` : code`pw.DatabaseSource`;
    const driver = m.imports.feature(database.driver);
    const fields = [code`name: ${lit(database.name)}`, code`driver: ${driver}`, code`settings: ${configValue(database.settings, m, "  ")}`];
    if (database.secrets !== undefined) {
      const load = m.imports.use("loadSecrets");
      fields.push(code`load: (cx) => ${load}(${list([name("cx"), ...database.secrets.map(m.secret)])})`);
    }
    const value = brackets("{", fields, "}", "");
    return [
      { text: empty },
      { text: code`/** global.databases */` },
      ...lines(code`const ${m.database(database.name)}: ${type} = ${value};`, database.at),
    ];
  });
}

function configLines(plan: AnalysedPlan, m: ModulePlace): Line[] {
  const fields: Code[] = [code`name: ${lit(plan.name)}`, code`needs`];
  if (plan.variables.length > 0) {
    const place: ExprPlace = { imports: m.imports, act: unknownAction, data: code`null`, now: () => code`cx.host.now()`, indent: "" };
    const items = plan.variables.map(
      ([name, value]) =>
        () =>
          code`${property(name)}: ${configValue(value, m)}`,
    );
    fields.push(code`variables: ${block("{", items, "}", place)}`);
  }
  if (plan.secrets.length > 0) fields.push(code`secrets: ${lit(plan.secrets.map(({ name }) => name))}`);
  if (plan.databases.length > 0) fields.push(code`databases: ${pings(plan.databases, m)}`);
  if (plan.uses.store) fields.push(code`store: ${m.imports.use("stateAnswers")}`);
  if (plan.on_error !== undefined && plan.start?.on_error === undefined) fields.push(code`on_error: ${onError(plan.on_error)}`);
  if (plan.expose_metrics) fields.push(code`metrics: ${m.imports.use("prometheus")}`);
  const start = startOfConfig(plan.start, m);
  if (start !== undefined) fields.push(start);
  fields.push(...parts(plan, m));
  const interfaces = plan.interfaces.map((each) => ({ text: code`    ${m.names.of(each.name)},`, at: each.at }));
  return [
    { text: code`/** The whole configuration, as the service loads it. */` },
    { text: code`export const config: pw.Config = {` },
    ...indented(fields.flatMap((field) => lines(code`${field},`))),
    ...(interfaces.length === 0
      ? [{ text: code`  interfaces: [],` }]
      : [{ text: code`  interfaces: [` }, ...interfaces, { text: code`  ],` }]),
    { text: code`};` },
  ];
}

/** Prints the parts of the runtime that the config needs, so that a bundle has no others. */
function parts(plan: AnalysedPlan, m: ModulePlace): Code[] {
  const fields: Code[] = [];
  if (plan.uses.schedules) fields.push(code`schedules: ${m.imports.use("schedules")}`);
  if (plan.uses.detaches) fields.push(code`detached: ${m.imports.use("detachedRuns")}`);
  const { protocols, triggers } = plan.uses;
  const begun = [
    ...triggers.map((trigger) => m.imports.feature(`${trigger}_trigger`)),
    ...(plan.uses.durable ? [m.imports.use("durableRuns")] : []),
  ];
  if (begun.length > 0) fields.push(code`triggers: [${list(begun)}]`);
  const spoken = [...(protocols.includes("ws") ? [webSockets(m)] : []), ...(protocols.includes("mqtt") ? [mqttBroker(m)] : [])];
  if (spoken.length > 0) fields.push(code`protocols: [${list(spoken)}]`);
  if (plan.mcp_servers !== undefined && plan.start?.mcp_servers === undefined)
    fields.push(code`mcp_servers: ${lit(plan.mcp_servers.map((each) => ({ ...each })))}`);
  const endpoints = [...(plan.uses.tools ? [m.imports.use("mcpTools")] : []), ...(plan.uses.callbacks ? [m.imports.use("callbacks")] : [])];
  if (endpoints.length > 0) fields.push(code`endpoints: [${list(endpoints)}]`);
  if (plan.uses.calls) fields.push(code`calls: ${m.imports.use("interfaceCalls")}`);
  if (plan.uses.channels) fields.push(code`channels: ${m.imports.use("channelsOf")}`);
  if (plan.uses.channels || protocols.includes("mqtt")) fields.push(code`bus: ${m.imports.use("messageBus")}`);
  if (protocols.includes("mqtt")) fields.push(code`mqtt: ${mqttBroker(m)}`);
  return fields;
}

const webSockets = ({ imports }: ModulePlace): Code => imports.use("webSockets");

const mqttBroker = ({ imports }: ModulePlace): Code => imports.use("mqttBroker");

const onError = ({ at: _, status, ...rest }: ErrorHandlerPlan): Code =>
  lit({ ...rest, ...(status === undefined ? {} : { status: [...status] }) });

/** The functions that `/readyz` calls to ask databases. */
function pings(databases: readonly DatabasePlan[], m: ModulePlace): Code {
  const items = databases.map(({ name }) => {
    return code`{ name: ${lit(name)}, ping: (cx) => ${m.imports.use("ping")}(${m.database(name)}, cx) }`;
  });
  return code`[${list(items)}]`;
}

function unknownDatabase(name: string): never {
  throw new Error(`database ${name} was not resolved`);
}
