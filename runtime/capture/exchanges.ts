import { isUtf8 } from "node:buffer";
import type { Address } from "../outgoing/address.ts";
import type { Request } from "../run/received.ts";
import type { Act, Run } from "../run/run.ts";
import type { StateStore } from "../state/store.ts";
import { Failure } from "../value/failure.ts";
import type { Json, JsonObject } from "../value/json.ts";
import { decodedOrSame } from "../value/percent.ts";
import { mask } from "../value/redact.ts";
import { type Bounded, isSecretKey } from "./bounded.ts";
import { xmlMembers } from "./credentials.ts";
import { FoundState } from "./found-state.ts";
import { hides } from "./hides.ts";
import type { CommandEnd, Exchanges } from "./port.ts";
import type { CapturedExchange, CapturedNeeds } from "./recording.ts";

/** The most calls and queries that are kept of one run, and the most bytes of an answer's body. */
const most = 50;
const longestBody = 16_384;

type Heard = Exchanges<Act, Run>;

/** A call, a query or a command of a run with its answer; it is copied only when a record is made. */
type Kept =
  | { readonly act: Act; readonly kind: "call"; readonly method: string; readonly url: Address; readonly answer: KeptAnswer }
  | {
      readonly act: Act;
      readonly kind: "query";
      readonly database: string;
      readonly query: string;
      readonly params: readonly Json[] | undefined;
      readonly rows: Json | Error;
    }
  | { readonly act: Act; readonly kind: "command"; readonly line: string; readonly end?: CommandEnd };

interface KeptAnswer {
  readonly status?: number;
  readonly type?: string;
  /** The whole address to which a redirect has led. */
  readonly location?: URL;
  /** The body; undefined when it is too long. */
  readonly bytes?: Buffer | undefined;
  readonly fails?: NonNullable<CapturedExchange["fails"]>;
}

/** Keeps the calls, queries and commands of a run, and the values that it finds in the state, until it has ended. */
export class KeptExchanges implements Heard {
  readonly #kept: Kept[] = [];
  readonly #found = new FoundState();
  readonly #secrets = new Set<Json>();
  /** True when the bodies that were read have more than can be looked at. */
  #isTooMuch = false;

  readonly called: Heard["called"] = (act, { method, url }, result) => {
    if (this.#kept.length < most) this.#kept.push({ act, kind: "call", method, url, answer: answerOf(url, result) });
  };

  readonly read: Heard["read"] = (act, { headers, bytes }, plain, body) => {
    const secrets = this.#isTooMuch ? undefined : secretsIn([body, ...formOf(headers["content-type"], body)]);
    for (const secret of secrets ?? []) this.#secrets.add(secret);
    this.#isTooMuch ||= secrets === undefined || this.#secrets.size > mostSecrets;
    if (plain === bytes) return;
    const packed = this.#kept.findLast((kept) => kept.act === act && kept.kind === "call" && kept.answer.bytes === bytes);
    if (packed?.kind === "call")
      Object.assign(packed, { answer: { ...packed.answer, bytes: plain.length > longestBody ? undefined : plain } });
  };

  readonly asked: Heard["asked"] = (act, database, query, params, rows) => {
    if (this.#kept.length < most) this.#kept.push({ act, kind: "query", database, query, params, rows });
  };

  readonly started: Heard["started"] = (act, line, ended) => {
    if (this.#kept.length >= most) return;
    const command: Kept = { act, kind: "command", line };
    this.#kept.push(command);
    const note = (end: CommandEnd): void => void Object.assign(command, { end });
    // A test has no way to say that a command did not end.
    ended.then(note, () => undefined);
  };

  readonly state: Heard["state"] = (run, act, store) => this.#found.over(run, act, store as StateStore) as typeof store; // stateFor gives the state

  /**
   * Values under names of secrets in environment, request and answers, because such values come back in addresses, queries, params and
   * data. Undefined when there are too many values to search: then no exchange can be shown.
   */
  secrets({ body, params, headers }: Request, env: JsonObject): readonly Json[] | undefined {
    const answers = this.#kept.flatMap((kept): Json[] => {
      if (kept.kind === "query") return kept.rows instanceof Error ? [] : [kept.rows];
      // The output of a command may have any format; the action's data have the names of its members.
      return kept.kind === "command" ? [kept.act.data] : [jsonOf(kept.answer) ?? xmlOf(kept.answer)];
    });
    if (this.#isTooMuch) return undefined;
    const meant = typeof body === "string" && body.length <= longestBody ? parsed(body) : undefined;
    return secretsIn([env, body, meant ?? null, params, headers, { secret: [...this.#secrets] }, ...answers, ...this.#found.values]);
  }

  /** All kept exchanges, without secrets, as far as there is room. */
  recorded(bounded: Bounded): readonly CapturedExchange[] {
    const exchanges = this.#kept.flatMap((kept) => (bounded.room < 512 ? [] : [exchangeOf(kept, bounded)]));
    return [...exchanges, ...this.#found.recorded(bounded)];
  }
}

function exchangeOf(kept: Kept, bounded: Bounded): CapturedExchange {
  switch (kept.kind) {
    case "call":
      return callOf(kept, bounded);
    case "query":
      return queryOf(kept, bounded);
    case "command":
      return commandOf(kept, bounded);
  }
}

function commandOf({ act, line, end }: Kept & { kind: "command" }, bounded: Bounded): CapturedExchange {
  const command = bounded.text(line);
  const { code = null, stdout, stderr } = end ?? {};
  if (hides(act) || code === null || stdout === undefined || stderr === undefined) return { command, hidden: true };
  if (stdout.length + stderr.length > longestBody || !isUtf8(stdout)) return { command, hidden: true };
  const text = stdout.toString();
  const json = parsed(text);
  return {
    command,
    // JSON is kept as JSON, because the names of its members show which values are secret.
    stdout: typeof json === "object" && json !== null ? bounded.value(json) : bounded.text(text),
    ...(stderr.length === 0 ? {} : { stderr: bounded.text(stderr.toString()) }),
    ...(code === 0 ? {} : { exit: code }),
  };
}

function answerOf(url: Address, result: Parameters<Heard["called"]>[2]): KeptAnswer {
  if (result instanceof Failure)
    return { fails: result.kind === "timeout" ? "timeout" : result.details.unsent === true ? "refused" : "reset" };
  const { status, headers, bytes } = result;
  const { "content-type": type, location } = headers;
  const leads = status > 300 && status < 309 && typeof location === "string" && URL.canParse(location, url.href);
  const to = leads ? { location: new URL(location, url.href) } : {};
  return { status, ...(typeof type === "string" ? { type } : {}), ...to, bytes: bytes.length > longestBody ? undefined : bytes };
}

function callOf({ act, method, url, answer }: Kept & { kind: "call" }, bounded: Bounded): CapturedExchange {
  const { status = 0, type, location, bytes, fails } = answer;
  const call = `${method} ${shownUrl(url, bounded)}`;
  if (fails !== undefined) return { call, fails };
  const shown = { call, status, ...(type === undefined ? {} : { type: bounded.text(type) }) };
  if (bytes === undefined || hides(act) || !isUtf8(bytes)) return { ...shown, hidden: true };
  const to = location === undefined ? {} : { location: shownUrl(location, bounded) };
  return { ...shown, ...to, ...(bytes.length === 0 ? {} : { body: bodyOf(answer, bytes, bounded) }) };
}

/**
 * The address without credentials. A secret in it may be partly encoded, so secrets are looked for in the decoded text; a query with a
 * secret is left out whole.
 */
function shownUrl({ origin, pathname, search, searchParams }: Address, bounded: Bounded): string {
  const path = bounded.text(decodedOrSame(pathname));
  const shown = path.includes(mask) ? path.split(mask).map(encodeURI).join(mask) : bounded.text(pathname);
  const query = bounded.text(decodedOrSame(search.replaceAll("+", " ")));
  const isSecret = [query, bounded.text(search)].some((text) => text.includes(mask)) || [...searchParams.keys()].some(isSecretKey);
  return `${bounded.text(origin)}${shown}${isSecret ? `?${mask}` : bounded.text(search)}`;
}

/** JSON is kept as JSON, because the names of its members show which values are secret. */
function bodyOf(answer: KeptAnswer, bytes: Buffer, bounded: Bounded): Json {
  const json = jsonOf(answer);
  return json === undefined ? bounded.text(bytes.toString("utf8")) : bounded.value(json);
}

/** The body of an answer whose type is JSON, if it is valid JSON. */
function jsonOf({ type, bytes }: KeptAnswer): Json | undefined {
  if (bytes === undefined || type === undefined || !/[/+]json\b/.test(type)) return undefined;
  return parsed(bytes.toString("utf8"));
}

/** Members of an answer that is a form, as services of OAuth give it. */
function formOf(type: Json | undefined, body: Json): readonly JsonObject[] {
  if (typeof body !== "string" || body.length > longestBody || typeof type !== "string" || !/x-www-form-urlencoded/i.test(type)) return [];
  return [...new URLSearchParams(body)].map(([name, value]) => ({ [name]: value }));
}

/** Texts and attributes of an XML answer, under their names. */
const xmlOf = ({ type = "", bytes }: KeptAnswer): Json => [...xmlMembers(type, bytes?.toString("utf8") ?? null)];

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
}

/** The most values among which secrets are searched. */
const mostValues = 50_000;

/**
 * The most secrets that are hidden in a record, their lines included, and the most characters of all of them: each has dozens of spellings.
 */
const mostSecrets = 500;
const mostCharacters = 16_384;

/** Values of members with names of secrets; undefined when there are too many. */
export function secretsIn(values: readonly Json[]): readonly Json[] | undefined {
  const secrets: Json[] = [];
  const waiting: [value: Json, isSecret: boolean][] = values.map((value) => [value, false]);
  const left = { values: mostValues, secrets: mostSecrets, characters: mostCharacters };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, isSecret] = next;
    if (typeof value === "object" && value !== null) {
      const members: readonly (readonly [string, Json])[] = Array.isArray(value) ? value.map((item) => ["", item]) : Object.entries(value);
      left.values -= members.length;
      if (left.values < 0) return undefined;
      for (const [name, member] of members) waiting.push([member, isSecret || isSecretKey(name)]);
    } else if (isSecret && (typeof value === "string" || typeof value === "number")) {
      const text = String(value);
      left.characters -= text.length;
      if (left.characters < 0) return undefined;
      left.secrets -= text.split("\n").length;
      if (left.secrets < 0) return undefined;
      secrets.push(value);
    }
  }
  return secrets;
}

function queryOf({ act, database, query, params, rows }: Kept & { kind: "query" }, bounded: Bounded): CapturedExchange {
  const question = { query: bounded.text(query), database };
  if (hides(act)) return { ...question, hidden: true };
  const values = params === undefined || params.length === 0 ? {} : { params: bounded.value([...params]) };
  return rows instanceof Error
    ? { ...question, ...values, error: bounded.text(rows.message) }
    : { ...question, ...values, rows: bounded.value(rows) };
}

/**
 * The needs of the configuration of a run. Managed values, and environment variables that are plain addresses, are shown as they are; all
 * others as `***`.
 */
export function needsOf({ config, host }: Run, bounded: Bounded): CapturedNeeds {
  const { env, vars } = config.needs;
  // Any other secret is a managed variable.
  const secrets = config.needs.secrets.filter((name) => config.secrets?.includes(name) === true);
  const managed = config.needs.secrets.filter((name) => !secrets.includes(name)).map((name): [string, Json] => [name, mask]);
  const shownEnv = env.flatMap((name): [string, Json][] => {
    const value = host.env(name);
    return value === undefined ? [] : [[name, isPlainAddress(value) && !isSecretKey(name) ? bounded.text(value) : mask]];
  });
  const shownVars = vars.flatMap((name): [string, Json][] => {
    const value = variableOf(host, name);
    return value === undefined ? [] : [[name, isSecretKey(name) ? mask : bounded.value(value)]];
  });
  return {
    env: Object.fromEntries(shownEnv) as Readonly<Record<string, string>>,
    vars: Object.fromEntries([...shownVars, ...managed]),
    secrets,
  };
}

/** The environment variables that a configuration reads. */
export const envOf = ({ config, host }: Run): JsonObject =>
  Object.fromEntries(config.needs.env.flatMap((name): [string, Json][] => [[name, host.env(name) ?? null]]));

/** True for an address without credentials and query: any other text of the environment may be a secret, whatever its name is. */
function isPlainAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === "";
}

function variableOf(host: Run["host"], name: string): JsonObject[string] | undefined {
  try {
    return host.variable(name);
  } catch {
    return undefined; // the value is sealed, and this process has no key for it
  }
}
