import { type Egress, notAllowed } from "../../../outgoing/egress.ts";
import { Failure } from "../../../value/failure.ts";
import { asList, isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { ask, type StandIn } from "./ask.ts";
import type { DiscoveredMember } from "./member.ts";

/** The socket at which engines listen by default. */
const usualSocket = "/var/run/docker.sock";

/** Running containers of an engine that have all the labels (spec/surfaces 13). One without an address in the network is no member. */
export async function containers(
  { labels = null, network = null, socket = null }: JsonObject,
  signal: AbortSignal,
  guard?: Egress,
  standIn?: StandIn,
): Promise<readonly DiscoveredMember[]> {
  const pairs = labelsIn(labels);
  const filters = { label: pairs.map(([name, value]) => `${name}=${value}`), status: ["running"] };
  const place = engineOf(socket);
  const url = new URL(`containers/json?filters=${encodeURIComponent(JSON.stringify(filters))}`, place.url);
  // Data must not name a socket file of this machine, nor an internal address.
  if (place.socketPath !== undefined && guard !== undefined) throw notAllowed();
  guard?.checkHost(url.hostname);
  const guarded = guard === undefined ? {} : { lookup: guard.lookup };
  const list = await ask({
    ...place,
    ...guarded,
    standIn,
    url,
    signal,
    whom: "the container engine",
    where: place.socketPath ?? place.url.host,
  });
  if (!Array.isArray(list)) throw new Failure("transport", "discover: the container engine gave no list", { upstream: 502 });
  return list.flatMap((container) => (isObject(container) ? member(container, pairs, network) : []));
}

/** The address of an engine: the path of a socket, or a URL; a path in the URL is a prefix. */
export function engineOf(given: Json): { readonly url: URL; readonly socketPath?: string } {
  const socket = typeof given === "string" && given.trim() !== "" ? given.trim() : usualSocket;
  const path = socket.replace(/^unix:(?:\/\/)?(?=\/)/, "");
  if (path.startsWith("/")) return { url: new URL("http://localhost/"), socketPath: path };
  const url = URL.parse(socket.replace(/^tcp:/, "http:").replace(/\/?$/, "/"));
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new Failure("evaluation", "discover: socket is the path of a Unix socket, or an http or https URL");
  return { url };
}

const labelsIn = (labels: Json): readonly (readonly [string, string])[] =>
  labels === null || !isObject(labels) ? [] : Object.entries(labels).map(([name, value]) => [name, String(value)]);

function member(container: JsonObject, pairs: ReturnType<typeof labelsIn>, network: Json): DiscoveredMember[] {
  const { Names: names, Image: image, Labels: ownLabels, State: state } = container;
  const labels = Object.fromEntries(labelsIn(ownLabels ?? null));
  // Old engines ignore the filters of the request, so the members are filtered here, too.
  if (typeof state === "string" && state !== "running") return [];
  if (!pairs.every(([name, value]) => own(labels, name) === value)) return [];
  const address = addressOf(container, network);
  const [name] = asList(names);
  if (address === undefined) return [];
  const port = onlyPort(container.Ports);
  return [
    {
      name: typeof name === "string" ? name.replace(/^\//, "") : address,
      address,
      ...(port === undefined ? {} : { port }),
      ...(typeof image === "string" ? { image } : {}),
      labels,
    },
  ];
}

/** The address in the chosen network, else in the first one. */
function addressOf({ NetworkSettings: settings = null }: JsonObject, network: Json): string | undefined {
  const networks = isObject(settings) ? (own(settings, "Networks") ?? null) : null;
  if (!isObject(networks)) return undefined;
  const endpoint = typeof network === "string" && network !== "" ? own(networks, network) : Object.values(networks)[0];
  const address = endpoint !== undefined && isObject(endpoint) ? own(endpoint, "IPAddress") : undefined;
  return typeof address === "string" && address !== "" ? address : undefined;
}

/** choice: a container that exposes one TCP port is known by it; with several the action has to say which. */
function onlyPort(ports: Json | undefined): number | undefined {
  const exposed = Array.isArray(ports)
    ? ports.flatMap((each) => (isObject(each) && (each.Type ?? "tcp") === "tcp" ? [each.PrivatePort] : []))
    : [];
  const [port, ...others] = new Set(exposed);
  return others.length === 0 && typeof port === "number" ? port : undefined;
}
