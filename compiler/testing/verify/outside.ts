import { oneLine } from "#runtime/testing/wildcard.ts";
import type { Callback, CommandOutput, Outside, ScriptedQuery, StubAnswer } from "#runtime/testing/world.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { callOf, queryOf, type Source } from "./sources.ts";

/** A random answer of the outside, drawn before the request is known. */
export interface Drawn {
  readonly status: number;
  readonly body: Json;
  /** True for no answer, or an error. */
  readonly fails: boolean;
}

/** The answers for each source, and for all other requests. The answers of a list are used in turn; each list has at least one. */
export interface DrawnAnswers {
  readonly sources: readonly (readonly Drawn[])[];
  readonly others: readonly Drawn[];
}

/** All requests to an improvised outside, in the form of a test. */
export interface Improvised {
  readonly calls: readonly { readonly call: string; readonly answer: StubAnswer }[];
  readonly queries: readonly (ScriptedQuery & { readonly database: string })[];
  readonly commands: readonly { readonly command: string; readonly output: CommandOutput }[];
  readonly callbacks: readonly { readonly action: string; readonly callback: Callback }[];
  readonly files: ReadonlyMap<string, Buffer>;
}

/** An outside that answers with the drawn answers. Two runs with the same requests in the same order get the same answers. */
export function improvise(sources: readonly Source[], drawn: DrawnAnswers): { readonly outside: Outside; readonly given: Improvised } {
  const next = inTurn(sources, drawn);
  const calls: Improvised["calls"][number][] = [];
  const queries: Improvised["queries"][number][] = [];
  const commands: Improvised["commands"][number][] = [];
  const callbacks: Improvised["callbacks"][number][] = [];
  const files = new Map<string, Buffer>();
  const outside: Outside = {
    call: (method, url) => {
      const { status, body, fails } = next("call", callOf(url));
      const answer: StubAnswer = { status, headers: {}, body, delay: 0, ...(fails ? { fails: "reset" } : {}) };
      calls.push({ call: `${method} ${url}`, answer });
      return answer;
    },
    query: (database, text, params) => {
      const { body, fails } = next("query", queryOf(database, text));
      const answer = fails ? { rows: [], error: "the database has failed" } : { rows: rowsOf(body) };
      queries.push({ database, query: oneLine(text), ...(params.length === 0 ? {} : { params: [...params] }), ...answer });
      return answer;
    },
    command: (command) => {
      const { body, fails } = next(undefined, command);
      const output = { stdout: typeof body === "string" ? body : JSON.stringify(body), stderr: "", exit: fails ? 1 : 0 };
      commands.push({ command: oneLine(command), output });
      return output;
    },
    callback: (action) => {
      const { status, body, fails } = next(undefined, action);
      // A callback may confirm, refuse, or send any other data.
      const callback: Callback = fails ? "late" : { body: status < 300 ? { approved: status === 200 } : body, headers: {} };
      callbacks.push({ action, callback });
      return callback;
    },
    file: (place) => {
      const { body, fails } = next(undefined, place);
      if (fails) return undefined;
      const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
      files.set(place, bytes);
      return bytes;
    },
  };
  return { outside, given: { calls, queries, commands, callbacks, files } };
}

/** Takes the drawn answers of each source in turn, and then again from the first one. */
function inTurn(sources: readonly Source[], drawn: DrawnAnswers): (kind: Source["kind"] | undefined, asked: string) => Drawn {
  const turns = new Map<readonly Drawn[], number>();
  return (kind, asked) => {
    const index = sources.findIndex((each) => each.kind === kind && each.fits(asked));
    const list = drawn.sources[index] ?? drawn.others;
    const turn = turns.get(list) ?? 0;
    turns.set(list, turn + 1);
    return list[turn % list.length] ?? { status: 200, body: null, fails: false };
  };
}

/** Rows are objects; an operation on documents may give one of them. */
function rowsOf(value: Json): Json {
  if (Array.isArray(value)) return value.filter(isObject);
  return isObject(value) ? value : [];
}
