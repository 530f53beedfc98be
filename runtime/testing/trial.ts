import { timersOf } from "../durable/timers.ts";
import { egressOf } from "../outgoing/egress.ts";
import type { Host, Log, LogLevel } from "../process/host.ts";
import { Channels } from "../realtime/channels.ts";
import { placeOfAction } from "../run/action-place.ts";
import { background } from "../run/end/background.ts";
import type { Config, Interface } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { bareRequest } from "../run/request.ts";
import type { Reply } from "../run/response.ts";
import type { Act, Run } from "../run/run.ts";
import { startConfigs } from "../start/fields.ts";
import { routesOf } from "../triggers/http/table.ts";
import { Upgrades } from "../triggers/http/upgrade.ts";
import { HttpTrigger } from "../triggers/http.ts";
import { paramsIn } from "../triggers/mcp/arguments.ts";
import { beginRun } from "../triggers/message-run.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import type { Observed, Observer } from "../walk/observer.ts";
import { CallStubs } from "./call-stubs.ts";
import { type Effect, Effects } from "./effects.ts";
import { stubbedWays } from "./stubbed-calls.ts";
import { StubbedDatabases } from "./stubbed-databases.ts";
import { stubbedSftp } from "./stubbed-files.ts";
import {
  anyName,
  noteChannels,
  stubbedAccounts,
  stubbedAws,
  stubbedBroker,
  stubbedCommands,
  stubbedDiscoveries,
  stubbedMail,
} from "./stubbed-outside.ts";
import { stubbedState } from "./stubbed-state.ts";
import { StubbedRuns } from "./stubbed-waits.ts";
import { KeptAnswer, messageOf, type TestRequest, textOfBody } from "./test-request.ts";
import { openThreads, putInPlace, type Threads, trialHost } from "./trial-host.ts";
import type { World } from "./world.ts";

export { openThreads };

/** The end of an action, for the trace of a test. */
export interface TracedAct {
  /** The name of the action, after the names of the loops around it. */
  readonly name: string;
  readonly state: string;
  readonly data: Json;
  readonly error?: string;
  /** `file:line:column` in the YAML. */
  readonly at?: string;
}

/** A line of the log. */
export interface LoggedLine {
  readonly level: LogLevel;
  readonly msg: string;
  readonly fields: Readonly<Record<string, Json>>;
}

/** The result of a run in the world of a test. */
export interface Trial {
  /** The answer; undefined when the caller got none. */
  readonly reply: Reply | undefined;
  /** The effects in the order in which they began. */
  readonly effects: readonly Effect[];
  readonly acts: readonly TracedAct[];
  readonly log: readonly LoggedLine[];
  /** Sentences about every request of the run that its world did not answer. */
  readonly problems: readonly string[];
  /** The number of answers of each stub of a call, of a command, or of a callback. */
  readonly counts: Readonly<Record<"calls" | "commands" | "callbacks", readonly number[]>>;
  /** Scripted queries that the run has not asked: their indexes in the script, by database. */
  readonly unasked: Readonly<Record<string, readonly number[]>>;
}

/** Milliseconds after which a run counts as endless. */
const longestMs = 30_000;

/**
 * Runs an interface once in a world of stubs, as its trigger would: policy, authentication, retries and limits are those of production.
 * Stubs take only the effects on the outside, and note them.
 */
export async function trial(written: Config, request: TestRequest, world: World, threads: Threads, observer?: Observer): Promise<Trial> {
  const effects = new Effects();
  const { environment, env, variables, clock } = world;
  const lines: LoggedLine[] = [];
  const log: Log = (level, msg, fields = {}) => void lines.push({ level, msg, fields });
  const host = trialHost({ environment, clock, variables, env: { PIPEWRIGHT_ALLOW_COMMANDS: "true", ...env }, log }, world.seed, threads);
  const { calls, databases, commands, waits } = putStubs(host, world, effects);
  putInPlace<Observed>(host, "observer", { observer, close: () => undefined });
  const broker = stubbedBroker(effects);
  const runs: Run[] = [];
  try {
    putInPlace(host, "state", stubbedState(host, written.name, world, effects));
    const { configs, problems } = startConfigs(host, [{ ...written, ...(written.mqtt === undefined ? {} : { mqtt: () => broker }) }]);
    for (const problem of problems) effects.lacks(problem);
    const [config = written] = configs;
    waits.config = watched(config, runs);
    const reply = await inTime(ended(ask(waits.config, request, host), host), runs, effects);
    return {
      reply,
      effects: effects.all,
      problems: effects.problems,
      acts: lastOf(runs).flatMap((run) => run.declared.map(traced)),
      log: lines,
      counts: { calls: calls.counts, commands, callbacks: waits.counts },
      unasked: unaskedOf(databases, world),
    };
  } finally {
    await host.close();
  }
}

/** Puts the stubs of the outside in place of it. Gives those that count their answers. */
function putStubs(host: ReturnType<typeof trialHost>, world: World, effects: Effects) {
  const calls = new CallStubs(world.calls, world.outside);
  const databases = new StubbedDatabases(world, effects);
  const commands = world.commands.map(() => 0);
  const waits = new StubbedRuns(host, world, effects);
  const channels = new Channels();
  noteChannels(channels, effects);
  putInPlace(host, "http", stubbedWays({ stubs: calls, effects, egress: () => egressOf(host), passes: host.passes }));
  putInPlace(host, "names", anyName);
  putInPlace(host, "google accounts", stubbedAccounts);
  putInPlace(host, "aws", stubbedAws);
  putInPlace(host, "discover", stubbedDiscoveries(calls, effects));
  putInPlace(host, "databases", databases);
  putInPlace(host, "email", stubbedMail(effects));
  putInPlace(host, "sftp", stubbedSftp(world.files, effects, world.outside));
  putInPlace(host, "commands", stubbedCommands(world, effects, commands));
  putInPlace(host, "clock of leases", { ...timersOf(() => performance.now()), close: () => undefined });
  putInPlace(host, "runs", waits);
  putInPlace(host, "secrets", secretsOf(world, effects));
  putInPlace(host, "channels", channels);
  return { calls, databases, commands, waits };
}

/** A config whose runs are noted, and never recorded: the history of a project holds only runs that it has served. */
function watched(config: Config, runs: Run[]): Config {
  const note = ({ capture: _, ...target }: Interface): Interface => ({
    ...target,
    run: (cx) => {
      runs.push(cx);
      target.run(cx);
    },
  });
  return { ...config, interfaces: config.interfaces.map(note) };
}

/** The reply, after everything that the run left in the background has ended, too. */
async function ended(reply: Promise<Reply | undefined>, host: Host): Promise<Reply | undefined> {
  const sent = await reply;
  await background(host).ended();
  return sent;
}

/**
 * The runs in the order in which they began. A durable run that has waited is continued by a later run with the same id, which has all its
 * actions and replaces it here.
 */
function lastOf(runs: readonly Run[]): readonly Run[] {
  const last = new Map<unknown, Run>();
  for (const run of runs) last.set(run.journal === undefined ? run : run.id, run);
  return [...last.values()];
}

async function ask(config: Config, request: TestRequest, host: Host): Promise<Reply | undefined> {
  const target = config.interfaces.find(({ name }) => name === request.interface);
  if (target === undefined) throw new Error(`no interface ${request.interface}`);
  return request.trigger === "http" ? byHttp(config, target, request, host) : byMessage(config, target, request, host);
}

function byHttp(config: Config, target: Interface, request: TestRequest, host: Host): Promise<Reply | undefined> {
  const trigger = new HttpTrigger(host, new Upgrades({ host, configs: [], keys: [], queryKeys: true }));
  trigger.serve(routesOf({ host, configs: [config], docs: undefined, own: [], bound: () => "", closes: () => false }));
  return new Promise((resolve) => {
    const elsewhere = (): void => resolve({ status: 404, headers: {}, body: '{"error":"not_found"}' });
    trigger.handle(messageOf(request, target), new KeptAnswer(resolve), elsewhere);
  });
}

/** Begins a run of a trigger other than HTTP. */
function byMessage(config: Config, target: Interface, asked: TestRequest, host: Host): Promise<Reply> {
  const sent = textOfBody(asked);
  const request = {
    ...bareRequest(host, asked.trigger),
    method: methods[asked.trigger] ?? null,
    body: asked.body ?? null,
    raw_body: sent ?? null,
    ...(sent === undefined ? {} : { bytes: Buffer.from(sent) }),
    params: { ...paramsOf(asked, host), ...asked.params },
    headers: asked.headers,
    ip: { client: asked.ip },
  };
  return new Promise((resolve) => beginRun(new LiveRun(host, config, target, request), resolve));
}

/** The methods of the requests with which clients of these triggers connect. */
const methods: Readonly<Record<string, string>> = { ws: "GET", mcp: "POST" };

/** The parameters that a trigger itself sets (spec/surfaces 0). */
function paramsOf({ trigger, body }: TestRequest, host: Host): JsonObject {
  if (trigger === "schedule") return { scheduled_at: new Date(host.now()).toISOString(), attempt: "1" };
  return trigger === "mcp" && body !== undefined && isObject(body) ? paramsIn(body) : {};
}

async function inTime(reply: Promise<Reply | undefined>, runs: readonly Run[], effects: Effects): Promise<Reply | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    effects.lacks(`the run has not ended within ${longestMs / 1000} s`);
    for (const run of runs) run.cancel("the test takes too long");
    resolve(undefined);
  }, longestMs);
  try {
    return await Promise.race([reply, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function traced(act: Act): TracedAct {
  const { name, state, data, error, errors } = act;
  const why = error ?? errors?.join("; ");
  return { name, state, data, ...(why === undefined ? {} : { error: why }), ...placeOfAction(act) };
}

const secretsOf = ({ secrets }: World, effects: Effects) => ({
  get: ({ name }: { readonly name: string }): Json => {
    if (Object.hasOwn(secrets, name)) return secrets[name] ?? null;
    effects.lacks(`the run reads the secret ${name}, which the test does not give`);
    return null;
  },
  close: () => undefined,
});

/** The indexes of scripted queries that were not asked. */
function unaskedOf({ unasked }: StubbedDatabases, { databases }: World): Trial["unasked"] {
  const places = [...unasked].map(([name, left]) => {
    const stub = databases[name];
    return [name, stub?.kind === "script" ? left.map((each) => stub.queries.indexOf(each)) : []] as const;
  });
  return Object.fromEntries(places.filter(([, left]) => left.length > 0));
}
