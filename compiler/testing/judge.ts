import type { Span } from "#runtime/plan/index.ts";
import type { Effect } from "#runtime/testing/effects.ts";
import type { Trial } from "#runtime/testing/trial.ts";
import type { CallbackStub, CallStub, CommandStub } from "#runtime/testing/world.ts";
import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import { type Entry, entriesOf, entry, get, items, type Node, numberOf, plain } from "../1-read/document.ts";
import type { Case } from "./case.ts";
import { alike, difference, lacking, type Path, partOf, pathText } from "./compare.ts";
import { unfitAnswer } from "./contract.ts";
import type { GivenWorld, Placed } from "./given.ts";
import { type SeenAnswer, seenAnswer } from "./seen-answer.ts";

/** A mismatch between a run and its test. */
export interface Mismatch {
  readonly at: Span;
  /** One sentence. */
  readonly message: string;
  /** The two values, if a diff of them helps. */
  readonly expected?: Json;
  readonly actual?: Json;
  /** Further lines below the diff. */
  readonly note?: string;
  /** The value below `expect` that would correct the test. */
  readonly update?: { readonly path: Path; readonly value: Json };
}

/** All mismatches between a run and its test. `whole` is the place of the test. */
export function judge(trial: Trial, expect: Node | undefined, { target, given, at: whole }: Case): readonly Mismatch[] {
  const answer = seenAnswer(trial);
  // A run with missing stubs went another way, so other mismatches are only consequences.
  if (trial.problems.length > 0) return [...trial.problems.map((message) => ({ at: whole, message })), ...unused(trial, given)];
  return [
    ...statusMismatch(answer, expect, whole),
    ...headerMismatches(answer, entriesOf(get(expect, "headers"))),
    ...bodyMismatch(answer, entry(expect, "body")),
    ...partMismatch(answer, entry(expect, "includes")),
    ...actionMismatches(trial, entriesOf(get(expect, "actions"))),
    ...effectMismatch(trial.effects, entry(expect, "effects")),
    ...unfitAnswer(answer, target).map((message) => ({ at: entry(expect, "body")?.keySpan ?? whole, message })),
    ...unused(trial, given),
  ];
}

function statusMismatch({ status, body }: SeenAnswer, expect: Node | undefined, whole: Span): Mismatch[] {
  const node = get(expect, "status");
  const expectedStatus = numberOf(node);
  if (expectedStatus === undefined || node === undefined) {
    if (status > 0 && status < 400) return [];
    return [{ at: entry(expect, "status")?.keySpan ?? whole, message: `the answer has the status ${status}: ${short(body)}` }];
  }
  if (expectedStatus === status) return [];
  const shown = expectedStatus < 400 && status >= 400 ? `: ${short(body)}` : "";
  return [
    { at: node.span, message: `the status is ${status}, not ${expectedStatus}${shown}`, update: { path: ["status"], value: status } },
  ];
}

function short(body: Json): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text === "" ? "without a body" : text;
}

function headerMismatches({ headers }: SeenAnswer, wanted: readonly Entry[]): Mismatch[] {
  return wanted.flatMap(({ key, value }) => {
    const text = plain(value);
    const actual = own(headers, key.toLowerCase()) ?? null;
    if (text === null ? actual === null : String(text) === actual) return [];
    const actually = actual === null ? "is missing" : `is ${JSON.stringify(actual)}`;
    return [{ at: value.span, message: `the header ${key} ${actually}`, update: { path: ["headers", key], value: actual } }];
  });
}

function bodyMismatch({ body }: SeenAnswer, wanted: Entry | undefined): Mismatch[] {
  if (wanted === undefined) return [];
  const expected = plain(wanted.value);
  if (expected === null && body === "") return [];
  const path = difference(expected, body);
  if (path === undefined) return [];
  return [
    {
      at: nodeAt(wanted, path),
      message: `the body differs${where(path)}`,
      expected,
      actual: body,
      update: { path: ["body"], value: body },
    },
  ];
}

function partMismatch({ body }: SeenAnswer, wanted: Entry | undefined): Mismatch[] {
  if (wanted === undefined) return [];
  const expected = plain(wanted.value);
  const path = lacking(expected, body);
  if (path === undefined) return [];
  const actual = partOf(expected, body);
  return [
    {
      at: nodeAt(wanted, path),
      message: `the body does not include this${where(path)}`,
      expected,
      actual,
      update: { path: ["includes"], value: actual },
    },
  ];
}

const where = (path: Path): string => (path.length === 0 ? "" : ` at ${pathText(path)}`);

/** The place of the last existing part of a path. */
function nodeAt({ value, keySpan }: Entry, path: Path): Span {
  let at = value.kind === "scalar" ? value.span : keySpan;
  let node: Node | undefined = value;
  for (const step of path) {
    const stepEntry: Entry | undefined = typeof step === "string" ? entry(node, step) : undefined;
    node = stepEntry?.value ?? (typeof step === "number" ? items(node)[step] : undefined);
    if (node === undefined) return at;
    at = node.kind === "scalar" || stepEntry === undefined ? node.span : stepEntry.keySpan;
  }
  return at;
}

function actionMismatches({ acts }: Trial, wanted: readonly Entry[]): Mismatch[] {
  return wanted.flatMap(({ key, value }) => {
    const action = acts.find(({ name }) => name === key);
    if (action === undefined) return [{ at: value.span, message: `the run has no action ${key}` }];
    if (action.state === plain(value)) return [];
    const why = action.error === undefined ? "" : `: ${action.error}`;
    return [
      {
        at: value.span,
        message: `the action ${key} has ${action.state}${why}`,
        update: { path: ["actions", key], value: action.state },
      },
    ];
  });
}

/** The kinds of effects. The kind is the first member of a written effect. */
const kinds = ["call", "query", "publish", "mail", "command", "sftp", "state"] as const;

function effectMismatch(effects: readonly Effect[], wanted: Entry | undefined): Mismatch[] {
  if (wanted === undefined) return [];
  const nodes = items(wanted.value);
  const index = nodes.findIndex((node, i) => !isMet(membersOf(node), effects[i]));
  if (index < 0 && nodes.length >= effects.length) return [];
  const actual = effects.map((effect, i) => shown(effect, nodes[i]));
  const expected = nodes.map(plain);
  const node = nodes[index];
  const more = effects.length - nodes.length;
  const message = index < 0 ? `the run does ${more} more than this` : `effect ${index + 1} is not what the run does`;
  return [{ at: node?.span ?? wanted.keySpan, message, expected, actual, update: { path: ["effects"], value: actual } }];
}

/** The members of an expected effect; a text stands for a call. */
function membersOf(node: Node): JsonObject {
  const value = plain(node);
  return isObject(value) ? value : { call: String(value) };
}

function isMet(wanted: JsonObject, effect: Effect | undefined): boolean {
  if (effect === undefined) return false;
  return Object.entries(wanted).every(([key, value]) => {
    const actual = own(effect, key);
    if (key === "call" || key === "query" || key === "command") return typeof actual === "string" && alike(String(value), actual);
    if (key === "mail") return difference(Array.isArray(value) ? value : [value], actual) === undefined;
    if (key === "headers") return lacking(value, actual) === undefined;
    return difference(value, actual) === undefined;
  });
}

/** An effect in the form of a test: the members that the test has written, else the important ones. */
function shown(effect: Effect, node: Node | undefined): Json {
  const expected = node === undefined ? undefined : membersOf(node);
  const kind = kinds.find((each) => Object.hasOwn(effect, each));
  if (expected !== undefined && kind !== undefined && Object.hasOwn(expected, kind)) {
    if (isMet(expected, effect) && node !== undefined) return plain(node);
    const part = Object.fromEntries(
      Object.keys(expected).map((key) => [
        key,
        key === "headers" ? partOf(own(expected, key) ?? {}, own(effect, key)) : (own(effect, key) ?? null),
      ]),
    );
    return Object.keys(part).length === 1 && kind === "call" ? (part.call ?? null) : part;
  }
  const { headers: _, ...rest } = effect;
  return Object.keys(rest).length === 1 && kind === "call" ? (rest.call ?? null) : rest;
}

/** Mismatches for unused stubs of the test itself, which describe requests that did not happen. */
function unused({ counts, unasked }: Trial, given: GivenWorld): Mismatch[] {
  const ofCalls = given.calls.flatMap((placed, i) => spared(placed, counts.calls[i], ["never calls", "calls"]));
  const ofCommands = given.commands.flatMap((placed, i) =>
    spared(placed, counts.commands[i], ["never starts this command:", "starts the command"]),
  );
  const ofCallbacks = given.callbacks.flatMap((placed, i) =>
    spared(placed, counts.callbacks[i], ["never waits for somebody at", "waits for somebody at"]),
  );
  const ofScripts = Object.entries(unasked).flatMap(([name, places]) => {
    const placed = given.databases.get(name);
    return placed === undefined || placed.isShared ? [] : places.map((place) => neverAsked(name, placed, place));
  });
  return [...ofCalls, ...ofCommands, ...ofCallbacks, ...ofScripts];
}

/** Mismatches for unused answers of a stub. */
function spared(
  { stub, entry: { key, keySpan }, parts, isShared }: Placed<CallStub | CommandStub | CallbackStub>,
  count = 0,
  [never, asks]: readonly [string, string],
): Mismatch[] {
  if (isShared) return [];
  if (count === 0) return [{ at: keySpan, message: `the run ${never} ${key}` }];
  const part = stub.inTurn ? parts[count] : undefined;
  return part === undefined ? [] : [{ at: part.span, message: `the run ${asks} ${key} ${times(count)} only` }];
}

const neverAsked = (name: string, { parts, entry: { keySpan } }: Placed<unknown>, place: number): Mismatch => ({
  at: get(parts[place], "query")?.span ?? keySpan,
  message: `the run never asks the database ${name} this`,
});

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
