import { compile } from "../../languages/regex.ts";
import { egressOf } from "../../outgoing/egress.ts";
import { namesOf } from "../../outgoing/names.ts";
import { hostOf, type Touch, touches } from "../../outgoing/touches.ts";
import type { Host, Resource } from "../../process/host.ts";
import type { Act } from "../../run/run.ts";
import { array, boolean, type Member, number, object, type Shape, string } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject } from "../../value/json.ts";
import { Recent } from "../../value/recent.ts";
import { text } from "../../value/values.ts";
import type { Action } from "../feature.ts";
import type { StandIn } from "./discover/ask.ts";
import { byName } from "./discover/dns.ts";
import { containers, engineOf } from "./discover/docker.ts";
import { pods } from "./discover/kubernetes.ts";
import { listed } from "./discover/listed.ts";
import { type DiscoveredMember, entryOf, inOrder, portOf } from "./discover/member.ts";
import { schema } from "./discover/schema.ts";
import { schemeOf } from "./discover/scheme.ts";

/** A `discover` block after evaluation. Null means unset, as for every field that held a marker. */
export interface DiscoverArgs {
  readonly dns?: JsonObject | null;
  readonly kubernetes?: JsonObject | null;
  readonly docker?: JsonObject | null;
  readonly static?: Json;
  readonly include?: JsonObject | null;
  readonly exclude?: JsonObject | null;
  /** A text is taken, too. */
  readonly port?: Json;
  readonly scheme?: string | null;
  readonly cache_ttl_secs?: number | null;
  readonly fail_when_empty?: boolean | null;
  /** Set by the compiler where the address of the engine comes from data. */
  readonly from_data?: readonly "socket"[];
}

/** Time that a backend has for its answer, in milliseconds (spec/surfaces 13). */
const patience = 5_000;

/** Questions whose answers are kept. A longer one is made of data that do not come again. */
const mostKept = 256;
const longestKept = 4_096;

/**
 * The live members of a service by one backend: `[{name, address, port, url, source, …}]`, in the order of names; fields that the
 * backend does not know are absent. An answer is used again for `cache_ttl_secs`, by all runs that ask the same; a failure is not kept.
 */
export async function discover(act: Act, args: DiscoverArgs): Promise<Json> {
  const { include = null, exclude = null, fail_when_empty } = args;
  const scheme = schemeOf(args.scheme ?? null);
  const [source, members] = await askBackend(act, args);
  const matches = inOrder(members)
    .filter(passes(include, true))
    .filter((member) => exclude === null || !passes(exclude, false)(member));
  if (matches.length === 0 && fail_when_empty === true) throw new Failure("evaluation", "discover found no members");
  return matches.map((member) => entryOf(member, source, scheme));
}

type Answer = readonly [source: string, members: readonly DiscoveredMember[]];

export interface CachedAnswer {
  readonly answer: Promise<Answer>;
  /** Milliseconds of the monotonic clock. */
  until: number;
}

/** The answers that a host keeps, and what takes the place of the network in a test. */
export interface Discoveries extends Resource {
  readonly kept: Recent<CachedAnswer>;
  readonly standIn?: StandIn;
}

const discoveriesOf = (host: Host): Discoveries =>
  host.resource<Discoveries>("discover", () => ({ kept: new Recent<CachedAnswer>(mostKept), close: () => undefined }));

/**
 * Asks the backend. Runs that ask the same question at the same time share one answer; a run that is cancelled only stops waiting for it.
 */
async function askBackend(act: Act, args: DiscoverArgs): Promise<Answer> {
  const touched = backendOf(args, act);
  // The touch is checked before kept answers are used, for which other interfaces may have asked.
  if (touched !== undefined) touches(act.run, touched);
  const { host } = act.run;
  const { kept } = discoveriesOf(host);
  const seconds = args.cache_ttl_secs ?? 10;
  if (seconds < 0) throw new Failure("evaluation", `field cache_ttl_secs: expected at least 0, got ${seconds}`);
  const key = args.static == null ? JSON.stringify([args.dns, args.kubernetes, args.docker, args.port, args.from_data]) : "";
  // Nobody is asked for a list that is written down.
  const ttl = key !== "" && key.length <= longestKept ? seconds * 1_000 : 0;
  const cached = ttl > 0 ? kept.get(key) : undefined;
  if (cached !== undefined && host.monotonic() < cached.until) return inTime(act, cached.answer);
  const answer = look(act, args);
  if (ttl > 0) {
    const entry = { answer, until: Number.POSITIVE_INFINITY };
    kept.set(key, entry);
    answer.then(
      () => {
        entry.until = host.monotonic() + ttl;
      },
      () => {
        entry.until = 0;
      },
    );
  }
  return inTime(act, answer);
}

/** The backend that is asked, as far as it is outside of the configuration. */
function backendOf({ dns = null, kubernetes = null, docker = null, from_data = [] }: DiscoverArgs, act: Act): Touch | undefined {
  if (dns !== null) return { kind: "hosts", name: text(dns.name ?? null).trim() };
  if (kubernetes !== null) return { kind: "hosts", name: act.run.host.env("KUBERNETES_SERVICE_HOST") ?? "" };
  if (docker === null) return undefined;
  const { url, socketPath } = engineOf(docker.socket ?? null);
  return socketPath === undefined ? hostOf(url, from_data.includes("socket")) : { kind: "files", name: socketPath };
}

async function look(act: Act, args: DiscoverArgs): Promise<Answer> {
  const signal = AbortSignal.timeout(patience);
  try {
    return await answerOf(act, args, signal);
  } catch (error) {
    // A backend that is cut off may throw any error, so ours takes its place.
    throw signal.aborted ? timedOut() : error;
  }
}

async function answerOf(
  act: Act,
  { dns = null, kubernetes = null, docker = null, static: list = null, port: portArgument = null, from_data = [] }: DiscoverArgs,
  signal: AbortSignal,
): Promise<Answer> {
  const { host } = act.run;
  const { standIn } = discoveriesOf(host);
  const port = portArgument === null ? undefined : portOf(portArgument);
  const withPort = (members: readonly DiscoveredMember[]): readonly DiscoveredMember[] =>
    port === undefined ? members : members.map((member) => ({ ...member, port: member.port ?? port }));
  if (dns !== null) return ["dns", await byName(dns, port, namesOf(host))];
  if (kubernetes !== null) return ["kubernetes", withPort(await pods(kubernetes, { env: host.env, signal, standIn }))];
  if (docker !== null)
    return ["docker", withPort(await containers(docker, signal, from_data.includes("socket") ? egressOf(host) : undefined, standIn))];
  if (list !== null) return ["static", listed(list, port)];
  throw new Failure("evaluation", "discover needs dns, kubernetes, docker or static");
}

const timedOut = (): Failure => new Failure("timeout", `discover timeout after ${patience}ms`, { upstream: 504 });

/** The answer, unless time is up or the action is cancelled first. */
function inTime({ cancellation }: Act, answer: Promise<Answer>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => reject(timedOut()), patience);
  const forget = cancellation.listen(() => reject(new Failure("transport", "discover: cancelled", { upstream: 502 })));
  answer.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    forget();
  });
}

/**
 * Every pattern of the filter must match; a field that the backend does not know matches nothing. `whenUnset` is the result of a filter
 * without patterns.
 */
function passes(filter: JsonObject | null, whenUnset: boolean): (member: DiscoveredMember) => boolean {
  if (filter === null || !isObject(filter)) return () => whenUnset;
  const patterns = (["name", "image", "namespace"] as const).flatMap((field) => {
    const pattern = filter[field];
    return typeof pattern === "string" ? [[field, compile(pattern)] as const] : [];
  });
  if (patterns.length === 0) return () => whenUnset;
  return (member) =>
    patterns.every(([field, pattern]) => {
      const value = member[field];
      return value !== undefined && pattern.test(value);
    });
}

/** A member of the service: what its backend does not know is absent. */
function shape(): Shape {
  const always = { name: string, address: string, source: string };
  const optionalMembers = {
    port: number,
    url: string,
    ready: boolean,
    namespace: string,
    node: string,
    image: string,
    labels: object({}, string),
  };
  const members = [
    ...Object.entries(always).map(([name, of]): [string, Member] => [name, { shape: of }]),
    ...Object.entries(optionalMembers).map(([name, of]): [string, Member] => [name, { shape: of, optional: true }]),
  ];
  return array(object(new Map(members)));
}

export const spec: Action<DiscoverArgs> = {
  summary: "Find the live members of a service.",
  schema,
  bounds: "5 s and 16 MiB of an answer of a backend",
  effect: "network",
  addresses: { socket: ["docker", "socket"] },
  // An address is as trustworthy as the backend that gives it, and as the beginning of its URL; the port is not part of an address.
  origin: ["dns", "kubernetes", "docker", "static", "scheme"],
  asks: { scheme: schemeOf },
  run: discover,
  shape,
};
