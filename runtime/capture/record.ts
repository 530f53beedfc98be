import { placeOfAction } from "../run/action-place.ts";
import { hidesData } from "../run/end/reply.ts";
import type { Act, Run } from "../run/run.ts";
import { type Json, type JsonObject, put } from "../value/json.ts";
import { mask } from "../value/redact.ts";
import { Bounded, isSecretKey } from "./bounded.ts";
import { credentialsIn } from "./credentials.ts";
import { envOf, KeptExchanges, needsOf } from "./exchanges.ts";
import type { Ending } from "./port.ts";
import type { CapturedAction, CapturedNeeds, CapturedRequest, CapturedRun, Entry } from "./recording.ts";

/** The most bytes of one record (spec/surfaces 16). */
export const longestRecord = 262_144;

/** Bytes for ids, times, and the names of members. */
const frame = 1_024;

/** Bytes of an action in a record, without its name and its data. */
const actionFrame = 96;

/** The number of actions that are kept when a record would be too long with all of them. */
const mostActions = 500;

/** Headers whose values are recorded. Any other header may be a credential or say who the caller is, so only its name is recorded. */
const knownHeaders: ReadonlySet<string> = new Set([
  ...["accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection"],
  ...["content-encoding", "content-language", "content-length", "content-type", "date", "expect"],
  ...["host", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "origin", "prefer", "range"],
  ...["traceparent", "tracestate", "transfer-encoding", "user-agent", "via"],
  ...["x-correlation-id", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto", "x-request-id"],
]);

/** Makes the record of a run that has ended: it holds no secret, and no more than the allowed number of bytes. */
export function recordOf(run: Run, status: number, ending: Ending | undefined): Entry {
  const { input, declared, problems } = run;
  const secrets = secretsOf(run);
  const host = { redactor: run.host.redactor.with([...(secrets ?? []), ...credentialsIn(input)]) };
  const ms = Math.max(0, Math.round(run.host.monotonic() - run.began));
  const at = run.host.now() - ms;
  const summary = {
    run_uuid: run.id,
    parent: input.parent ?? null,
    config: run.config.name,
    interface: run.interface.name,
    trigger: input.trigger,
    started: new Date(at).toISOString(),
    ms,
    status,
  };
  const rooms = new Rooms(longestRecord - frame - Buffer.byteLength(JSON.stringify(summary)), declared.length + 4);
  const errors = rooms.next((room) => problems?.map((each) => room(host).text(discreet(each))));
  const record: CapturedRun = {
    ...summary,
    ...(ending === undefined ? {} : { aborted: true }),
    ...(isEarly(run) ? { early: true } : {}),
    ...(errors === undefined || errors.length === 0 ? {} : { errors }),
    request: rooms.next((room) => requestOf(run, room(host))),
    actions: declared.map((act) =>
      rooms.next((room) =>
        actionOf(act, room(host, actionFrame + Buffer.byteLength(act.name) + Buffer.byteLength(placeOfFailed(act).at ?? ""))),
      ),
    ),
    ...(secrets === undefined ? {} : exchangesOf(run, host, rooms)),
  };
  const text = JSON.stringify(record);
  return { ...summary, at, text: Buffer.byteLength(text) <= longestRecord ? text : JSON.stringify(shortened(record)) };
}

/** True for a run with valid parameters whose caller was answered before its end. */
const isEarly = ({ interface: { respond }, input, declared }: Run): boolean =>
  respond === "early" && input.trigger === "http" && declared.length > 0;

/**
 * Values under names of secrets, which may come back under other names. Undefined when there are too many values to search: then no
 * exchange can be shown.
 */
function secretsOf(run: Run): readonly Json[] | undefined {
  const { exchanges: kept } = run.shared;
  return kept instanceof KeptExchanges ? kept.secrets(run.input, envOf(run)) : [];
}

/** The calls and queries of a run, and the values from outside that a test of it needs. */
function exchangesOf(run: Run, host: Pick<Run["host"], "redactor">, rooms: Rooms): Pick<CapturedRun, "exchanges" | "needs"> {
  const { exchanges: kept } = run.shared;
  if (!(kept instanceof KeptExchanges)) return {};
  const needs = rooms.next((room) => needsOf(run, room(host, frame)));
  const exchanges = rooms.next((room) => kept.recorded(room(host, frame)));
  return { ...(exchanges.length === 0 ? {} : { exchanges }), ...(isEmpty(needs) ? {} : { needs }) };
}

const isEmpty = ({ env, vars, secrets }: CapturedNeeds): boolean =>
  Object.keys(env).length + Object.keys(vars).length + secrets.length === 0;

/** Shares the room of a record among its parts: a part leaves the bytes that it does not need to the parts after it. */
class Rooms {
  #left: number;
  #parts: number;

  constructor(left: number, parts: number) {
    this.#left = left;
    this.#parts = parts;
  }

  next<Part>(make: (room: (host: Pick<Run["host"], "redactor">, used?: number) => Bounded) => Part): Part {
    const share = Math.max(0, Math.floor(this.#left / Math.max(1, this.#parts)));
    let bounded: Bounded | undefined;
    const part = make(({ redactor }, used = 0) => {
      bounded ??= new Bounded(redactor, share - used);
      return bounded;
    });
    this.#parts -= 1;
    this.#left -= bounded === undefined ? 0 : share - bounded.room;
    return part;
  }
}

function requestOf({ input, interface: target }: Run, bounded: Bounded): CapturedRequest {
  const { http } = target;
  const params = bounded.value(input.params) as JsonObject; // the copy of an object is an object
  const headers = bounded.value(shownHeaders(input.headers)) as JsonObject;
  return {
    ...(input.method === null ? {} : { method: bounded.text(input.method) }),
    ...(input.trigger === "http" && http !== undefined ? { route: http.route } : {}),
    params,
    headers,
    body: bounded.value(input.body),
  };
}

function shownHeaders(headers: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(headers)) put(out, name, knownHeaders.has(name) && !isSecretKey(name) ? value : mask);
  return out;
}

function actionOf(act: Act, bounded: Bounded): CapturedAction {
  const { spec, name, ms, data, input, error, errors } = act;
  const status = act.state === "waiting" || act.state === "running" ? "unfinished" : act.state;
  const place = placeOfFailed(act);
  // The input is hidden with the data, because the data are made from the input.
  const isHidden = spec.hide_action === true || hidesData(act);
  const mayHide = isHidden || spec.hide_data_on_success === true || spec.hide_data_on_error === true;
  const action = {
    ...(error === undefined ? {} : { error: bounded.text(error) }),
    ...(errors === undefined || errors.length === 0 ? {} : { errors: errors.map((each) => bounded.text(discreet(each))) }),
  };
  const hasData = status === "succeeded" || status === "failed";
  const output: Json | undefined = isHidden || !hasData ? undefined : bounded.value(data);
  const began = mayHide || input === undefined || input === data ? undefined : bounded.value(input);
  return {
    name,
    status,
    ms,
    ...place,
    // An input that equals the output is left out, even when the output is another object.
    ...(began === undefined || JSON.stringify(began) === JSON.stringify(output) ? {} : { input: began }),
    ...(output === undefined ? {} : { data: output }),
    ...action,
  };
}

const placeOfFailed = (act: Act): { readonly at?: string } => (act.state === "failed" ? placeOfAction(act) : {});

/**
 * Cuts the message of a failed test, such as `password::regex: expected …`, when the test looks at a secret member: the message quotes the
 * tested value.
 */
function discreet(error: string): string {
  const [test, tested = ""] = /^(.*?)::\w+: /s.exec(error) ?? [];
  return test !== undefined && isSecretKey(tested) ? `${test}${mask}` : error;
}

/** Shortens a record with very many actions: it keeps the first actions, without their data. */
function shortened(record: CapturedRun): CapturedRun {
  const actions = record.actions.slice(0, mostActions).map(({ name, status, ms }) => ({ name: name.slice(0, 200), status, ms }));
  return { ...record, errors: ["the run is too large to be recorded whole"], request: { params: {}, headers: {}, body: null }, actions };
}
