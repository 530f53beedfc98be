import { stringify } from "yaml";
import { inTurns, type Turn } from "#runtime/console/recorded-test.ts";
import type { InterfacePlan } from "#runtime/plan/index.ts";
import type { Trial } from "#runtime/testing/trial.ts";
import type { Callback, CommandOutput, DatabaseStub, ScriptedQuery, StubAnswer } from "#runtime/testing/world.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { present } from "../../present.ts";
import { seenAnswer } from "../seen-answer.ts";
import type { Improvised } from "./outside.ts";
import type { Counterexample } from "./search.ts";

/** A situation as a file of contract tests: it can be put beside the configuration, and expects the results of the module. */
export function caseText({ situation, given: asked, trial }: Counterexample, target: InterfacePlan, invented: Invented): string {
  const { base, trigger, params, headers, body } = situation;
  const { world } = base;
  const { calls, commands, callbacks } = trial?.counts ?? { calls: [], commands: [], callbacks: [] };
  const givenPart = filled({
    trigger: trigger === (target.route === undefined ? "cli" : "http") ? undefined : trigger,
    params,
    headers: { ...headers },
    body,
    env: { ...invented.env },
    var: { ...invented.var, ...world.var },
    secret: { ...invented.secret },
    clock: new Date(world.clock).toISOString(),
    seed: world.seed,
    state: world.state,
    versions: world.versions,
    seen: Object.fromEntries(Object.entries(world.seen).map(([name, ids]) => [name, [...ids]])),
    stubs: inTurns([
      ...world.calls.flatMap((stub, i) => used(`${stub.method} ${stub.url}`, stub.answers.map(answerText), stub.inTurn, calls[i])),
      ...asked.calls.map(({ call, answer }): Turn => [call, answerText(answer)]),
    ]),
    databases: { ...Object.fromEntries(Object.entries(world.databases).map(([name, stub]) => [name, database(stub)])), ...scripts(asked) },
    files: Object.fromEntries([...Object.entries(world.files), ...asked.files].map(([place, bytes]) => [place, fileText(bytes)])),
    commands: inTurns([
      ...world.commands.flatMap(({ command, outputs, inTurn }, i) => used(command, outputs.map(outputText), inTurn, commands[i])),
      ...asked.commands.map(({ command, output }): Turn => [command, outputText(output)]),
    ]),
    callbacks: inTurns([
      ...world.callbacks.flatMap((stub, i) => used(stub.action, stub.callbacks.map(callbackText), stub.inTurn, callbacks[i])),
      ...asked.callbacks.map(({ action, callback }): Turn => [action, callbackText(callback)]),
    ]),
  });
  const test = {
    name: `the interpreter does what the module does (${target.name})`,
    interface: target.name,
    given: givenPart,
    expect: expected(trial),
  };
  return stringify({ tests: [test] }, { lineWidth: 0, aliasDuplicateObjects: false });
}

function fileText(bytes: Buffer): Json {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString("base64") };
}

/** Made-up values for needs of the configuration that no test gives. */
export interface Invented {
  readonly env: Readonly<Record<string, string>>;
  readonly var: JsonObject;
  readonly secret: JsonObject;
}

/** The members without empty ones; a body of null is not empty. */
const filled = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => {
      const [name, value] = entry;
      if (name === "body" || value === undefined) return value !== undefined;
      return value !== "" && !(typeof value === "object" && value !== null && Object.keys(value).length === 0);
    }),
  );

/** The answers of a base stub that the run has used, since an unused answer would fail the test. */
const used = (name: string, answers: readonly JsonObject[], inTurn: boolean, count = 0): readonly Turn[] =>
  answers.slice(0, inTurn ? count : Math.min(count, 1)).map((answer) => [name, answer]);

const outputText = ({ stdout, stderr, exit }: CommandOutput): JsonObject => ({
  stdout,
  ...(stderr === "" ? {} : { stderr }),
  ...(exit === 0 ? {} : { exit }),
});

const callbackText = (callback: Callback): JsonObject =>
  callback === "late"
    ? { late: true }
    : { body: callback.body, ...(Object.keys(callback.headers).length === 0 ? {} : { headers: { ...callback.headers } }) };

const answerText = ({ status, headers, body, fails }: StubAnswer): JsonObject => ({
  ...(status === 200 ? {} : { status }),
  ...(Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }),
  ...(body === null ? {} : { body }),
  ...present({ fails }),
});

function database(stub: DatabaseStub): Json {
  switch (stub.kind) {
    case "memory":
      return stub.setup.length === 0 ? "memory" : { setup: [...stub.setup] };
    case "url":
      return { url: stub.url };
    case "script":
      return stub.queries.map(queryText);
  }
}

const scripts = ({ queries }: Improvised): JsonObject =>
  Object.fromEntries([...Map.groupBy(queries, ({ database: name }) => name)].map(([name, list]) => [name, list.map(queryText)]));

const queryText = ({ query, params, rows, error }: ScriptedQuery): JsonObject => ({
  query,
  ...(params === undefined ? {} : { params: [...params] }),
  ...(error === undefined ? { rows } : { error }),
});

function expected(trial: Trial | undefined): JsonObject {
  if (trial === undefined) return {};
  const { status, body } = seenAnswer(trial);
  const actions = Object.fromEntries(
    trial.acts.flatMap(({ name, state }) => (/^(?:succeeded|failed|skipped)$/.test(state) ? [[name, state]] : [])),
  );
  return filled({ status, body, actions, effects: [...trial.effects] });
}
