import type { ConfigPlan, InterfacePlan } from "#runtime/plan/index.ts";
import type { TestRequest } from "#runtime/testing/test-request.ts";
import type {
  Callback,
  CallbackStub,
  CallStub,
  CommandOutput,
  CommandStub,
  DatabaseStub,
  ScriptedQuery,
  StubAnswer,
  World,
} from "#runtime/testing/world.ts";
import { duration } from "#runtime/value/duration.ts";
import { asObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { text } from "#runtime/value/values.ts";
import { type Entry, entriesOf, entry, items, type Node, plain, scalarText } from "../1-read/document.ts";
import { waitingNames } from "../5-analyse/confirms.ts";
import { contractTests } from "../diagnostics/codes/contract-tests.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { present } from "../present.ts";

/** A stub for a part of the outside, with its place. An unused stub fails its test. */
export interface Placed<Stub> {
  readonly stub: Stub;
  /** The entry that names it, and below it the nodes of its answers. */
  readonly entry: Entry;
  readonly parts: readonly Node[];
  /** True for a value of all tests of the file, which this test may not need. */
  readonly isShared: boolean;
}

/** The world and the request that a test gives, with the places of its stubs. */
export interface GivenWorld {
  readonly world: Omit<World, "environment" | "variables"> & { readonly var: JsonObject };
  readonly request: TestRequest;
  readonly calls: readonly Placed<CallStub>[];
  readonly commands: readonly Placed<CommandStub>[];
  readonly callbacks: readonly Placed<CallbackStub>[];
  readonly databases: ReadonlyMap<string, Placed<DatabaseStub>>;
}

/** The clock of a test without `clock`. */
const usualClock = Date.UTC(2026, 0, 1);

/** Gives the world and the request of a test, and reports values that the configuration does not know. */
export function givenOf(
  own: Node | undefined,
  shared: Node | undefined,
  config: ConfigPlan,
  target: InterfacePlan,
  report: Report,
): GivenWorld {
  const source = joined(own, shared);
  const calls = source.entries("stubs").map((each) => callStub(each, report));
  const commands = source.entries("commands").map(commandStub);
  const callbacks = source.entries("callbacks").map(callbackStub);
  refuseUnknownWaits(callbacks, config, target, report);
  const databases = new Map(source.entries("databases").map((each) => [each.key, databaseStub(each)]));
  refuseUnknownDatabases([...databases], config, report);
  const secrets = source.values("secret");
  // A secret that the configuration does not declare is a managed variable.
  const managed = Object.entries(secrets).filter(([name]) => !config.secrets.some((secret) => secret.name === name));
  return {
    world: {
      env: source.texts("env"),
      var: { ...Object.fromEntries(managed), ...source.values("var") },
      secrets,
      clock: clockOf(source.value("clock"), report),
      seed: scalarText(source.value("seed")) ?? "",
      state: source.values("state"),
      versions: source.values("versions") as Readonly<Record<string, number>>, // by the schema
      seen: Object.fromEntries(source.entries("seen").map((each) => [each.key, items(each.value).map((id) => text(plain(id)))])),
      calls: calls.map(({ stub }) => stub),
      commands: commands.map(({ stub }) => stub),
      callbacks: callbacks.map(({ stub }) => stub),
      files: Object.fromEntries(source.entries("files").map((each) => [each.key, bytesOf(plain(each.value))])),
      databases: Object.fromEntries([...databases].map(([name, { stub }]) => [name, stub])),
    },
    request: requestOf(source, target),
    calls,
    commands,
    callbacks,
    databases,
  };
}

/** Values of a test and of its file, by their keys. */
interface Joined {
  /** The value of the test, or else that of the file. */
  value(key: string): Node | undefined;
  /** The members of a map, where members of the test hide members of the file with the same key. */
  entries(key: string): readonly GivenEntry[];
  values(key: string): JsonObject;
  /** The members as texts; null members are left out. */
  texts(key: string): Record<string, string>;
}

type GivenEntry = Entry & { readonly isShared: boolean };

function joined(own: Node | undefined, shared: Node | undefined): Joined {
  const entries = (key: string): readonly GivenEntry[] => {
    const mine = entriesOf(entry(own, key)?.value);
    const names = new Set(mine.map((each) => each.key));
    const theirs = entriesOf(entry(shared, key)?.value).filter((each) => !names.has(each.key));
    return [...mine.map((each) => ({ ...each, isShared: false })), ...theirs.map((each) => ({ ...each, isShared: true }))];
  };
  const values = (key: string): JsonObject => Object.fromEntries(entries(key).map((each) => [each.key, plain(each.value)]));
  return {
    value: (key) => entry(own, key)?.value ?? entry(shared, key)?.value,
    entries,
    values,
    texts: (key) =>
      Object.fromEntries(Object.entries(values(key)).flatMap(([name, each]) => (each === null ? [] : [[name, String(each)]]))),
  };
}

function requestOf(source: Joined, target: InterfacePlan): TestRequest {
  const body = source.value("body");
  return {
    interface: target.name,
    trigger: scalarText(source.value("trigger")) ?? (target.route === undefined ? "cli" : "http"),
    method: scalarText(source.value("method")),
    path: scalarText(source.value("path")),
    params: source.values("params"),
    headers: source.texts("headers"),
    body: body === undefined ? undefined : plain(body),
    ip: scalarText(source.value("ip")) ?? "127.0.0.1",
  };
}

/** A text as UTF-8; `{ base64: … }` as the bytes that it stands for. */
function bytesOf(content: Json): Buffer {
  const { base64 } = asObject(content);
  return typeof base64 === "string"
    ? Buffer.from(base64, "base64")
    : Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
}

function clockOf(node: Node | undefined, report: Report): number {
  const text = scalarText(node);
  if (node === undefined || text === undefined) return usualClock;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  report(contractTests.badTime(text), node.span);
  return usualClock;
}

function refuseUnknownDatabases(given: readonly [string, Placed<DatabaseStub>][], config: ConfigPlan, report: Report): void {
  const databaseNames = config.databases.map(({ name }) => name);
  for (const [name, placed] of given)
    if (!databaseNames.includes(name))
      report(contractTests.unknownName("database", name, nearest(name, databaseNames)), placed.entry.keySpan);
}

/** Refuses stubs for unknown actions. Stubs of the whole file may be for actions of other interfaces. */
function refuseUnknownWaits(given: readonly Placed<CallbackStub>[], config: ConfigPlan, target: InterfacePlan, report: Report): void {
  for (const { stub, entry: placed, isShared } of given) {
    const interfaces = isShared ? config.interfaces : [target];
    const waiting = interfaces.flatMap(({ actions }) => waitingNames(actions));
    if (!waiting.includes(stub.action))
      report(contractTests.unknownName("waiting action", stub.action, nearest(stub.action, waiting)), placed.keySpan);
  }
}

function callStub(each: GivenEntry, report: Report): Placed<CallStub> {
  const [, method = "*", url = ""] = /^([A-Z]+|\*)\s+([a-z*]+:\/\/\S+)$/.exec(each.key.trim()) ?? [];
  if (url === "") report(contractTests.notACall(each.key), each.keySpan);
  const { parts, inTurn } = turnsOf(each);
  return { stub: { method, url, answers: parts.map(answerOf), inTurn }, entry: each, parts, isShared: each.isShared };
}

/** The answers of a stub: a list has the answers to successive requests. */
function turnsOf({ value }: Entry): { readonly parts: readonly Node[]; readonly inTurn: boolean } {
  const inTurn = value.kind === "list";
  return { parts: inTurn ? items(value) : [value], inTurn };
}

function answerOf(node: Node): StubAnswer {
  const answer = asObject(plain(node));
  const fails = (["refused", "timeout", "reset"] as const).find((word) => word === answer.fails);
  return {
    status: typeof answer.status === "number" ? answer.status : 200,
    headers: textsOf(answer.headers),
    body: answer.body ?? null,
    delay: milliseconds(answer.delay),
    ...present({ fails }),
  };
}

const textsOf = (value: Json | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(asObject(value)).map(([name, each]) => [name, String(each)]));

const milliseconds = (value: Json | undefined): number =>
  typeof value === "number" ? value : typeof value === "string" ? (duration(value) ?? 0) : 0;

function commandStub(each: GivenEntry): Placed<CommandStub> {
  const { parts, inTurn } = turnsOf(each);
  return { stub: { command: each.key, outputs: parts.map(outputOf), inTurn }, entry: each, parts, isShared: each.isShared };
}

function outputOf(node: Node): CommandOutput {
  const { stdout = "", stderr, exit } = asObject(plain(node));
  return {
    stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout),
    stderr: typeof stderr === "string" ? stderr : "",
    exit: typeof exit === "number" ? exit : 0,
  };
}

function callbackStub(each: GivenEntry): Placed<CallbackStub> {
  const { parts, inTurn } = turnsOf(each);
  return { stub: { action: each.key, callbacks: parts.map(callbackOf), inTurn }, entry: each, parts, isShared: each.isShared };
}

function callbackOf(node: Node): Callback {
  const { body = null, headers, late } = asObject(plain(node));
  if (late === true) return "late";
  return { body, headers: Object.fromEntries(Object.entries(textsOf(headers)).map(([name, text]) => [name.toLowerCase(), text])) };
}

function databaseStub(each: GivenEntry): Placed<DatabaseStub> {
  const placed = (stub: DatabaseStub): Placed<DatabaseStub> => ({ stub, entry: each, parts: items(each.value), isShared: each.isShared });
  if (each.value.kind === "list")
    return placed({ kind: "script", queries: items(each.value).map((node) => scripted(asObject(plain(node)))) });
  const { setup = [], url } = asObject(plain(each.value));
  if (typeof url === "string") return placed({ kind: "url", url });
  return placed({ kind: "memory", setup: (Array.isArray(setup) ? setup : [setup]).map(String) });
}

const scripted = ({ query, params, rows = [], error }: JsonObject): ScriptedQuery => ({
  query: String(query),
  ...(Array.isArray(params) ? { params } : {}),
  rows,
  ...(typeof error === "string" ? { error } : {}),
});
