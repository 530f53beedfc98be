import type { Limits } from "#runtime/process/host.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { parseYaml, readFixture } from "./folders.ts";
import type { UpstreamRule } from "./peers/upstream.ts";

/** The content of requests.yaml of a fixture in `test/fixtures/interfaces`: its environment, the requests, and the expected results. */
export interface Scenario {
  /** The rule of the specification that the fixture is about. */
  readonly about: string;
  /**
   * Environment of the process. UPSTREAM is the address of the stub, DATABASE that of the SQLite file, CLOSED an address at which no server
   * listens.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Managed variables; `{UPSTREAM}` in them is the address of the stub. */
  readonly vars?: JsonObject;
  /** Time of the still clock in ISO 8601; 1970 by default. */
  readonly clock?: string;
  readonly limits?: Partial<Limits>;
  readonly upstream?: readonly UpstreamRule[];
  readonly database?: {
    /** SQL that makes the tables. */
    readonly setup?: string;
    /** Rows of every table when all requests are done. */
    readonly holds: Readonly<Record<string, readonly JsonObject[]>>;
  };
  /** The requests, which are sent in order to one process. */
  readonly requests: readonly RequestCase[];
}

export interface RequestCase {
  readonly name: string;
  /** Default GET. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: Json;
  readonly gives: Gives;
  /** Upstream calls of the run, in the order of their arrival. Default: none. */
  readonly calls?: readonly Call[];
  /** Log records as `level message`; one that ends in `…` says only how the record begins. Default: none. */
  readonly log?: readonly string[];
  /** Starts and ends of actions in order: `A starts`, `A ends`. Compared when given. */
  readonly order?: readonly string[];
}

export interface Gives {
  /** Default 200. */
  readonly status?: number;
  /** Headers that are compared; null: the header is absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** The whole body: a text byte for byte, anything else as compact JSON, in which `time.ms` is left out unless the expectation has it. */
  readonly body?: Json;
  /** Short for an envelope whose actions have these data and nothing else. */
  readonly data?: JsonObject;
}

/** A call that the stub must have received; absent members are not compared. */
export interface Call {
  /** Default GET. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** The body: a text byte for byte, or its beginning when the text ends in `…`; anything else as compact JSON. Default: no body. */
  readonly body?: Json;
}

const keys = {
  scenario: ["about", "env", "vars", "clock", "limits", "upstream", "database", "requests"],
  request: ["name", "method", "path", "headers", "body", "gives", "calls", "log", "order"],
  gives: ["status", "headers", "body", "data"],
  call: ["method", "path", "headers", "body"],
  upstream: ["method", "path", "status", "headers", "body", "base64", "delay_ms", "silent"],
} as const;

/** Reads requests.yaml. An unknown key is an error, because a misspelt key would make a test check less than it seems to. */
export function readScenario(name: string): Scenario {
  // The checks below test only the keys; the types of the values are not checked.
  const scenario = parseYaml(readFixture("interfaces", name, "requests.yaml")) as Scenario;
  known(scenario, keys.scenario, name);
  for (const rule of scenario.upstream ?? []) known(rule, keys.upstream, `${name}: upstream`);
  for (const request of scenario.requests) {
    const place = `${name}: ${request.name}`;
    known(request, keys.request, place);
    known(request.gives, keys.gives, `${place}: gives`);
    for (const call of request.calls ?? []) known(call, keys.call, `${place}: calls`);
    if ((request.gives.body === undefined) === (request.gives.data === undefined)) throw new Error(`${place}: give either body or data`);
  }
  return scenario;
}

function known(value: object, allowed: readonly string[], place: string): void {
  const unknown = Object.keys(value).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) throw new Error(`${place}: unknown ${unknown.join(", ")}; known are ${allowed.join(", ")}`);
}
