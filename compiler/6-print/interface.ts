import type { ActionListPlan, Expr, InterfacePlan, LoadsPlan, RunRecordsPlan } from "#runtime/plan/index.ts";
import type { McpToolPlan, ToolPlan } from "#runtime/plan/tools.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import type { AnalysedInterface, DatabaseUse } from "../5-analyse/analysed.ts";
import type { ActionShapes } from "../5-analyse/shapes/index.ts";
import { action } from "./action.ts";
import { addLines, type Code, code, comment, empty, indented, type Line, lines, list, lit, name, pair, property } from "./code.ts";
import { configValue } from "./config-value.ts";
import { texts } from "./exprs.ts";
import { logBefore, logBehind } from "./log-line.ts";
import { Names } from "./names.ts";
import { params, waits } from "./params.ts";
import type { ActionPlace, ModulePlace } from "./place.ts";
import { startOfInterface } from "./start.ts";
import { templates } from "./templates.ts";
import { assertOptions, tests } from "./tests.ts";
import { DataTypes } from "./types/data-types.ts";
import { outerActions, usage } from "./usage.ts";
import { acceptance } from "./validator.ts";
import { walkedPlan } from "./walked-plan.ts";

/** Prints one interface: its stage-1 constants, then the exported record. `network` is its policy. */
export function printInterface(plan: AnalysedInterface, m: ModulePlace, network: Code | undefined): Line[] {
  const variable = m.names.of(plan.name);
  const hoisted: Line[] = [];
  const types = new DataTypes(m.types);
  const run = plan.disable_fastpath ? walked(plan, variable, m, hoisted) : printed(plan, variable, m, hoisted, types);
  return [
    ...hoisted,
    ...(hoisted.length > 0 ? [{ text: empty }] : []),
    ...types.lines,
    { text: code`/** ${plan.at === undefined ? empty : code`${m.where(plan.at)} `}interfaces.${comment(plan.name)} */`, at: plan.at },
    { text: code`export const ${variable}: pw.Interface = {`, at: plan.at },
    ...indented([...record(plan, m, network), ...run]),
    { text: code`};` },
  ];
}

function record(plan: AnalysedInterface, m: ModulePlace, network: Code | undefined): Line[] {
  const fields: Code[] = [pair(property("name"), lit(plan.name))];
  if (plan.route !== undefined) fields.push(code`http: ${lit({ method: plan.method, route: plan.route })}`);
  fields.push(code`output: ${lit(plan.output)}`);
  if (plan.respond !== undefined) fields.push(code`respond: ${lit(plan.respond)}`);
  if (plan.schedule !== undefined) fields.push(code`schedule: ${lit({ ...plan.schedule })}`);
  if (plan.triggers !== undefined) fields.push(code`triggers: ${triggersOf(plan.triggers, m)}`);
  if (plan.ws !== undefined) fields.push(code`ws: ${lit(plan.ws)}`);
  if (plan.mqtt !== undefined) fields.push(code`mqtt: ${lit(plan.mqtt)}`);
  if (plan.public) fields.push(code`public: true`);
  if (plan.subscribe_authorizer !== undefined) fields.push(code`subscribe_authorizer: ${lit(plan.subscribe_authorizer)}`);
  if (plan.verifies) fields.push(code`verifies: true`);
  if (plan.mcp !== undefined) fields.push(code`mcp: ${tool(plan.mcp, m)}`);
  if (plan.tool !== undefined) fields.push(code`tool: ${tool(plan.tool, m)}`);
  if (network !== undefined) fields.push(network === "network" ? network : code`network: ${network}`);
  if (plan.capture !== undefined) fields.push(code`capture: ${m.imports.use("captureRuns")}(${lit({ ...plan.capture })})`);
  const start = startOfInterface(plan.name, plan.start, m.networkStart, m);
  if (start !== undefined) fields.push(start);
  if (plan.keeps !== undefined) fields.push(code`durable: ${m.imports.use("durable")}(${lit({ plans: [...plan.keeps.plans] })})`);
  if (plan.silence) fields.push(code`silence: true`);
  if (plan.show_error_detail) fields.push(code`show_error_detail: true`);
  const codes = Object.entries(plan.response).filter(([key]) => key.startsWith("http_code_"));
  // Names and numbers of the response record: JSON by its type.
  if (codes.length > 0 && plan.start?.response === undefined) fields.push(code`response: ${lit(Object.fromEntries(codes) as JsonObject)}`);
  if (plan.loads !== undefined) fields.push(...loads(plan.loads, m));
  const { logs } = plan.response;
  if (logs !== undefined) fields.push(code`logs: [${list(logs.map((each) => runRecords(each, m)))}]`);
  return fields.flatMap((field) => lines(code`${field},`, plan.at));
}

function tool({ headers, ...rest }: McpToolPlan | (ToolPlan & { readonly headers?: undefined }), m: ModulePlace): Code {
  const record = { ...rest, ...(headers === undefined ? {} : { headers: headers.map((each) => ({ ...each, path: [...each.path] })) }) };
  return lit(record, "", texts(m));
}

/** Settings that are evaluated when the trigger starts. */
const triggersOf = (triggers: Readonly<Record<string, Expr>>, m: ModulePlace): Code =>
  code`{ ${list(Object.entries(triggers).map(([trigger, settings]) => code`${property(trigger)}: ${configValue(settings, m)}`))} }`;

/** Prints what a run fetches before its first action, and after its last one. */
function loads({ before, after }: LoadsPlan, m: ModulePlace): Code[] {
  const fetch = (helper: "loadSecrets" | "loadStates", entries: readonly Code[]): Code[] =>
    entries.length === 0 ? [] : [code`${m.imports.use(helper)}(${list([name("cx"), ...entries])})`];
  const states = (names: readonly string[]): Code[] =>
    fetch(
      "loadStates",
      names.map((each) => lit(each)),
    );
  const first = [...fetch("loadSecrets", before.secrets.map(m.secret)), ...states(before.states)];
  return [
    ...(first.length === 0 ? [] : [code`load: (cx) => ${first.length === 1 ? list(first) : code`Promise.all([${list(first)}])`}`]),
    ...states(after.states).map((call) => code`last: (cx) => ${call}`),
  ];
}

function runRecords({ on, to }: RunRecordsPlan, m: ModulePlace): Code {
  if (to === undefined) return code`{ on: ${lit(on)} }`;
  return code`{ on: ${lit(on)}, to: ${m.imports.use(to.use)}(${m.database(to.database)}) }`;
}

function printed(plan: AnalysedInterface, variable: Code, m: ModulePlace, hoisted: Line[], types: DataTypes): Line[] {
  const names = new Names(m.taken);
  const { actions: shapes } = plan.shapes;
  const run = types.run(shapes, plan.name);
  const captured = plan.capture !== undefined || plan.start?.capture !== undefined;
  const place = placeOf({ prefix: variable, owner: plan.name, locals: names, m, hoisted, shapes, types }, captured);
  const acts = actions(plan, names, place);
  const admission = plan.respond === "early" ? [{ text: admit(plan, m), at: plan.at }, { text: empty }] : [];
  const beginning = [
    ...logBefore(plan, place("log")),
    ...params(plan, place("params")),
    ...accepted(plan, variable, m, hoisted),
    ...admission,
  ];
  const ending = end(plan, place("response"));
  const separated = acts.length > 0 && ending.length > 0 ? [{ text: empty }] : [];
  const rest = [...acts, ...separated, ...ending];
  const all = plan.params.some(waits) ? [...beginning, ...indented(rest), { text: code`});`, at: plan.at }] : [...beginning, ...rest];
  return all.length === 0
    ? [{ text: code`run() {},` }]
    : [{ text: code`run(${run}) {`, at: plan.at }, ...indented(all), { text: code`},` }];
}

/** Prints the validation of what the trigger delivers, which follows that of the parameters. */
function accepted(plan: InterfacePlan, variable: Code, m: ModulePlace, hoisted: Line[]): Line[] {
  if (plan.accepts === undefined) return [];
  return [{ text: code`if (!${acceptance(plan.accepts, variable, m, hoisted)}) return;`, at: plan.at }, { text: empty }];
}

/** Prints the check before the first action, which may end the run. */
const admit = ({ respond_after }: InterfacePlan, { imports }: ModulePlace): Code =>
  respond_after === undefined
    ? code`if (!cx.admit()) return;`
    : code`${imports.use("admitAfter")}(${list([name("cx"), ...respond_after.map((each) => lit(each))])});`;

/** Gives the place at which an action of a list is printed. `owner` is the name of the action, for the names of its constants. */
type PlaceOf = (owner: string) => ActionPlace;

/** The place of a list of actions, with the lists for the constants and types that it adds to the module. */
interface ListPlace {
  /** The prefix of the names of constants. */
  readonly prefix: string;
  /** The prefix of the names of types. */
  readonly owner: string;
  readonly locals: Names;
  readonly m: ModulePlace;
  readonly hoisted: Line[];
  readonly shapes: ReadonlyMap<string, ActionShapes>;
  readonly types: DataTypes;
}

function placeOf(place: ListPlace, captured = false, outer?: ActionPlace["act"]): PlaceOf {
  const { prefix, locals, m, hoisted, shapes, types } = place;
  const act: ActionPlace["act"] = (source, up = 0) =>
    up === 0 || outer === undefined ? locals.of(source, "action") : outer(source, up - 1);
  return (owner) => ({
    captured,
    imports: m.imports,
    features: m.features,
    database: m.database,
    speaks: m.speaks,
    secret: m.secret,
    act,
    data: code`data`,
    now: () => code`cx.host.now()`,
    indent: "",
    hoist: (role, value, at, about) => {
      const constant = m.names.fresh(`${prefix}_${owner}${role.startsWith("_") ? role : `_${role}`}`, about);
      addLines(hoisted, lines(code`const ${constant} = ${value};`, at));
      return constant;
    },
    nested: (list) => {
      // A name inside the loop must not hide a name that the loop reads from outside.
      const names = new Names([...m.taken, ...outerActions(list).map(({ name, up }) => act(name, up))]);
      const inner = { ...place, prefix: `${prefix}_${owner}`, owner: `${place.owner} ${owner}`, locals: names };
      const inside = shapes.get(owner)?.loop?.actions ?? new Map();
      const run = types.run(inside, inner.owner, comment(owner));
      return { run, lines: actions(list, names, placeOf({ ...inner, shapes: inside }, false, act)) };
    },
  });
}

/** Prints the actions of a list, and their order in the YAML if it differs. */
function actions(plan: ActionListPlan, names: Names, place: PlaceOf): Line[] {
  for (const action of plan.actions) names.of(action.name, "action");
  const read = usage(plan);
  const acts = plan.actions.flatMap((act, i) => [
    ...(i > 0 ? [{ text: empty }] : []),
    ...action(act, read.has(act.name) ? names.of(act.name) : undefined, place(act.name)),
  ]);
  if (plan.declared === undefined) return acts;
  const why = code`// Gates and reads decide what starts first; answers list the actions as the YAML does.`;
  return [
    ...acts,
    { text: empty },
    { text: why },
    ...lines(code`cx.writtenOrder(${list(plan.declared.map((action) => names.of(action)))});`),
  ];
}

/** Prints what comes after the actions: declared order, interface assert, templates of the response. */
function end(plan: InterfacePlan, p: ActionPlace): Line[] {
  const out: Line[] = [];
  if (plan.assert !== undefined) {
    const parameter = mentions(plan.assert.tests, "data") ? code`data` : empty;
    const [method, word] = plan.assert.waits ? [code`asyncAssert`, code`async `] : [code`assert`, empty];
    const args = [...assertOptions(plan.assert, p), code`${word}(${parameter}) => ${tests(plan.assert, p)}`];
    addLines(out, lines(code`cx.${method}(${list(args)});`, plan.at));
  }
  return [...out, ...logBehind(plan, p), ...templates(plan, p)];
}

/** `disable_fastpath`: the module carries the plan as data and hands the walker only the features that it names. */
function walked(plan: AnalysedInterface, variable: Code, m: ModulePlace, hoisted: Line[]): Line[] {
  const { imports } = m;
  const planName = m.names.fresh(`${variable}_plan`);
  const partsName = m.names.fresh(`${variable}_parts`);
  addLines(hoisted, lines(code`const ${planName}: pw.InterfacePlan = ${lit(walkedPlan(plan, m.features), "", texts(m))};`));
  hoisted.push({ text: empty });
  const contract = plan.accepts === undefined ? [] : [{ text: code`accepts: (cx) => ${acceptance(plan.accepts, variable, m, hoisted)},` }];
  addLines(hoisted, object(code`const ${partsName}: pw.Parts = `, [...parts(plan, m), ...contract]));
  return [{ text: code`run: (cx) => ${imports.use("walk")}(${planName}, cx, ${partsName}),`, at: plan.at }];
}

/** A statement that ends with an object literal, each member on lines of its own. */
const object = (start: Code, members: readonly Line[]): Line[] =>
  members.length === 0 ? lines(code`${start}{};`) : [{ text: code`${start}{` }, ...indented(members), { text: code`};` }];

function parts({ uses }: AnalysedInterface, m: ModulePlace): Line[] {
  const kinds: [string, Code[]][] = [
    ["transforms", uses.transforms.map((feature) => staged("transforms", feature, m))],
    ["matchers", uses.matchers.map((feature) => staged("matchers", feature, m, uses.plain.includes(feature)))],
    ["actions", uses.actions.map((feature) => code`${name(feature)}: ${m.imports.feature(feature)}`)],
    ["databases", uses.databases.map(({ name, use }) => bound(name, use, m))],
    ["secrets", uses.secrets.map((secret) => code`${property(secret)}: ${m.secret(secret)}`)],
  ];
  // All filters are in one table, which is imported as a whole.
  const filters = uses.filters ? [{ text: code`filters: ${m.imports.use("filters")},` }] : [];
  const jqHelper = (helper: "asyncJq" | "jq"): Code => code`${name(helper)}: ${m.imports.use(helper)}`;
  const matches = kinds
    .filter(([, items]) => items.length > 0)
    .flatMap(([kind, items]) => [
      { text: code`${name(kind)}: {` },
      ...indented(items.sort().map((item) => ({ text: code`${item},` }))),
      { text: code`},` },
    ]);
  const jq = uses.jq ? [{ text: code`jq: { ${list([jqHelper("asyncJq"), jqHelper("jq")])} },` }] : [];
  const stream = uses.streams ? [{ text: code`stream: ${m.imports.use("stream")},` }] : [];
  return [...matches, ...filters, ...jq, ...stream];
}

function staged(kind: "transforms" | "matchers", feature: string, m: ModulePlace, plain = false): Code {
  const fields = [code`run: ${m.imports.feature(feature)}`];
  if (m.features.staged(kind, feature)) fields.push(code`prepare: ${m.imports.prepare(feature)}`);
  if (m.features.pattern(kind, feature) !== undefined) fields.push(code`native: ${m.imports.prepare(feature, "native")}`);
  if (plain) fields.push(code`holds: ${m.imports.holds(feature)}`);
  if (kind === "matchers" && m.features.inRun(feature)) fields.push(code`inRun: true`);
  return code`${name(feature)}: { ${list(fields)} }`;
}

const bound = (database: string, use: DatabaseUse["use"], m: ModulePlace): Code =>
  code`${property(database)}: (act, args) => ${m.imports.feature(use)}(act, ${m.database(database)}, args)`;
