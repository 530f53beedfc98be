import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host } from "#runtime/process/host.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { SourceText } from "../../../compiler/pipeline.ts";
import { putOffline } from "../../harness/offline-host.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { type UpstreamRule, upstream } from "../../harness/peers/upstream.ts";
import { type Got, type Stub, send } from "../../harness/sockets.ts";
import { packFolder } from "../packs.ts";
import { ask, expectPromised } from "./calls.ts";
import { type Service, type ServingOptions, serving, type Way, type World, ways } from "./serving.ts";
import { noDatabase, postgresWorld } from "./worlds.ts";

/** One call of a README, or one that it does not think of, and all that must come of it. */
export interface Step {
  readonly does: string;
  /** Default GET. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** A text in place of `body`, which is sent as it is. */
  readonly text?: string;
  /** Default 200. */
  readonly status?: number;
  /** The entries of the envelope, without `time.ms`, in their order. */
  readonly gives?: Readonly<Record<string, unknown>>;
  /** The whole body in place of `gives`, where it is no envelope. A text is compared byte for byte, any other value as JSON. */
  readonly answers?: unknown;
  /** The calls of services, in this order. Default: none. */
  readonly effects?: readonly Effect[];
  /** The effects begin at the same time, and come in any order. */
  readonly together?: true;
  /** The answers of services in this step alone. */
  readonly services?: readonly UpstreamRule[];
  /** Rows of queries afterwards. */
  readonly holds?: Readonly<Record<string, readonly JsonObject[]>>;
}

export interface Effect {
  /** Method, host and path: `POST slack.com/api/chat.postMessage`. */
  readonly to: string;
  /** Headers that must be there. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** JSON as a value, else the text. Default: none. */
  readonly body?: unknown;
}

export interface Setting {
  readonly pack: string;
  /** Where a pack is played more than once. */
  readonly title?: string;
  /** Each way gets a database of its own. */
  readonly postgres?: true;
  /** SQL that the README lets run before. */
  readonly schema?: () => string;
  readonly variables?: JsonObject;
  readonly options?: ServingOptions;
  /** The variables are environment variables. */
  readonly byEnvironment?: true;
  readonly services?: readonly UpstreamRule[];
  /** The edit that a README asks for. */
  readonly edit?: (text: string) => string;
}

/** A pack that is being played. */
export interface Played {
  readonly service: Service;
  readonly world: World;
  readonly services: Stub;
}

/** Unix milliseconds of the clock of every play, which stands still. */
export const now = Date.parse("2026-03-01T12:00:00Z");

/** The ids that a host gives in a step, which counts from 1: all ids of a step are the same. */
export const idOf = (step: number): string => `00000000-0000-4000-8000-${String(step).padStart(12, "0")}`;

/**
 * Plays the steps on both ways against real HTTP, SQL and services that the test scripts, and compares every answer with its promise and
 * the other way's.
 */
export function plays(setting: Setting, steps: readonly Step[], more: (played: () => Played) => void = () => undefined): void {
  const { pack, title = pack, postgres } = setting;
  describe.skipIf(packFolder(pack) === undefined || (postgres && server === undefined))(title, () => {
    const shown: Record<Way, string[]> = { compiled: [], interpreted: [] };

    describe.each(ways)("%s", (way) => {
      let stage: Stage;
      beforeAll(async () => {
        stage = await Stage.open(setting, way);
      });
      afterAll(() => stage?.close());

      test.each(steps.map((step, i) => ({ ...step, number: i + 1 })))("$does", async ({ number, ...step }) => {
        shown[way].push(await stage.play(step, number));
      });

      more(() => stage);

      test("nothing was a mistake of ours, and no secret is in the log", () => {
        const log = stage.service.log.join("\n");
        expect(log).not.toMatch(/^critical/m);
        for (const secret of secretsOf(setting, stage.world)) expect(log).not.toContain(secret);
      });
    });

    test("both ways did the same", () => {
      expect(shown.compiled).toHaveLength(steps.length);
      expect(shown.interpreted).toEqual(shown.compiled);
    });
  });
}

/** A service with its database and the services that it calls. */
class Stage implements Played {
  readonly service: Service;
  readonly world: World;
  readonly services: Stub;
  readonly #setting: Setting;
  readonly #rules: UpstreamRule[];
  readonly #current: { step: number };

  private constructor(setting: Setting, parts: Played, rules: UpstreamRule[], current: { step: number }) {
    this.#setting = setting;
    this.#rules = rules;
    this.#current = current;
    this.service = parts.service;
    this.world = parts.world;
    this.services = parts.services;
  }

  static async open(setting: Setting, way: Way): Promise<Stage> {
    const { pack, postgres, schema, variables = {}, byEnvironment, options = {}, edit = (text) => text } = setting;
    const rules: UpstreamRule[] = [];
    const current = { step: 0 };
    const services = await upstream(rules);
    const world = postgres ? await postgresWorld(server ?? "", pack) : noDatabase(pack);
    if (schema !== undefined) await world.apply(schema());
    const texts = world.texts.map(({ file, text }): SourceText => ({ file, text: edit(text) }));
    const port = Number(new URL(services.url).port);
    const prepare = (host: Host): void => {
      putOffline(host, port);
      Object.assign(host, { uuid: () => idOf(current.step) });
      options.prepare?.(host);
    };
    const all = { ...world.variables, ...variables };
    const service = await serving(texts, way, {
      clock: now,
      ...options,
      prepare,
      ...(byEnvironment ? { env: textsOf(all) } : { variables: all }),
    });
    return new Stage(setting, { service, world, services }, rules, current);
  }

  /** All that could be seen of the step, without what differs between any two runs. */
  async play(step: Step, number: number): Promise<string> {
    this.#current.step = number;
    const { method = "GET", path, headers, body, text, services = [], effects = [], together, holds = {} } = step;
    this.#rules.splice(0, this.#rules.length, ...services, ...(this.#setting.services ?? []));
    this.services.seen.length = 0;
    const logged = this.service.log.length;
    const got =
      text === undefined
        ? await ask(this.service.url, { method, path, ...(body === undefined ? {} : { body }) }, headers)
        : await send(this.service.url, path, { method, headers: { ...headers, "content-length": Buffer.byteLength(text) }, body: text });
    expectAnswer(step, got);
    for (const secret of secretsOf(this.#setting, this.world)) expect(got.text).not.toContain(secret);
    const seen = inOrder(this.services.seen.map(effectOf), together);
    expect(seen.map(({ to }) => to)).toEqual(inOrder(effects, together).map(({ to }) => to));
    inOrder(effects, together).forEach(({ headers = {}, body }, i) => {
      expect(seen[i]?.headers).toMatchObject(headers);
      expect(seen[i]?.body).toEqual(body);
    });
    for (const [query, rows] of Object.entries(holds)) expect(await this.world.look(query), query).toEqual(rows);
    return steady([step.does, got.status, got.headers["content-type"], got.text, seen, this.service.log.slice(logged)]);
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.services.close();
    await this.world.close();
  }
}

function expectAnswer({ status = 200, gives, answers }: Step, got: Got): void {
  if (gives !== undefined) {
    expectPromised({ status, gives }, got);
    return;
  }
  expect(got.status, got.text).toBe(status);
  if (typeof answers === "string") expect(got.text).toBe(answers);
  else expect(contentOf(got.text)).toEqual(answers);
}

const textsOf = (all: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));

/** The values that must turn up in no log and no answer: those whose names say so, and the address of the database. */
function secretsOf({ variables = {} }: Setting, world: World): readonly string[] {
  const all = Object.entries({ ...world.variables, ...variables });
  return all.flatMap(([name, value]) =>
    /SECRET|API_KEY|TOKEN|PASS|DATABASE_URL/.test(name) && typeof value === "string" && value !== "" ? [value] : [],
  );
}

/** A call without what belongs to the trace of a run, which has ids of its own. */
const effectOf = ({ method, path, headers: { traceparent: _, ...headers }, body }: Stub["seen"][number]): Effect => ({
  to: `${method} ${headers.host}${path}`,
  headers,
  body: contentOf(body),
});

function inOrder(effects: readonly Effect[], together: true | undefined): readonly Effect[] {
  const key = ({ to, body }: Effect): string => `${to} ${JSON.stringify(body)}`;
  return together ? effects.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) : effects;
}

/** JSON as a value, any other text as it is, and undefined where there is none. */
function contentOf(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const ipPort = /(127\.0\.0\.1):\d+/g;

/** Without durations, times and ids that the database gives, salted hashes and local ports: what two runs may differ in. */
function steady(parts: readonly unknown[]): string {
  return JSON.stringify(parts)
    .replace(/(time\.ms|\bms|run_uuid)(\\*"):(?:\d+(?:\.\d+)?|\\*"[^"\\]*\\*")/g, "$1$2:…")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "a time")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g, (id) =>
      id.startsWith("00000000-") ? id : "an id",
    )
    .replace(/\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/g, "a hash")
    .replace(/pipewright_pack_[0-9a-f]{12}/g, "a database")
    .replace(ipPort, "$1");
}

/** A list whose order nothing decides. */
export const anyOrder = (...items: readonly unknown[]) => ({
  asymmetricMatch: (list: unknown): boolean => {
    if (!Array.isArray(list)) return false;
    expect(list).toEqual(expect.arrayContaining([...items]));
    return list.length === items.length;
  },
});

/** Parts of the body of a failed entry: what the test or gate said. */
export const refused = (data: unknown, error: string) => ({ data, error });
export const failing = (data: unknown, ...errors: readonly string[]) => ({ data, errors });

/** A skipped action, and why. */
export const skipped = (...errors: readonly string[]) => (errors.length === 0 ? { data: null } : { data: null, errors });
