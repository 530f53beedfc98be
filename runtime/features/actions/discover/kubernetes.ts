import { readFile } from "node:fs/promises";
import { Failure } from "../../../value/failure.ts";
import { asObject, isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { ask, type StandIn } from "./ask.ts";
import type { DiscoveredMember } from "./member.ts";

/** The folder in which a pod finds its service account. Its files are read for each question, because they change while the pod runs. */
const usualAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

const pageSize = "500";

/** choice: pages of a list, 50,000 pods. A service in the place of the API may put more than 500 on a page. */
const mostPages = 100;
const mostPods = 50_000;

export interface Cluster {
  readonly env: (name: string) => string | undefined;
  readonly signal: AbortSignal;
  /** Folder of the service account. */
  readonly account?: string;
  readonly standIn?: StandIn | undefined;
}

/** Pods of a namespace by the API of the cluster (spec/surfaces 13). */
export async function pods(
  args: JsonObject,
  { env, signal, account = usualAccount, standIn }: Cluster,
): Promise<readonly DiscoveredMember[]> {
  const [host, port = "443"] = [env("KUBERNETES_SERVICE_HOST"), env("KUBERNETES_SERVICE_PORT")];
  if (host === undefined || host === "")
    throw new Failure("evaluation", "discover: KUBERNETES_SERVICE_HOST is not set: this is no pod of a cluster");
  const [token, ca, home] = await Promise.all(["token", "ca.crt", "namespace"].map((file) => accountFile(`${account}/${file}`)));
  const namespace = textOf(args.namespace) ?? home?.trim() ?? "default";
  // A segment of dots leads to another path.
  if (/^\.{1,2}$/.test(namespace)) throw new Failure("evaluation", `discover: '${namespace}' is no namespace`);
  const { port_name = null, ready_only = true } = args;
  const question = {
    signal,
    standIn,
    whom: "the API of the cluster",
    headers: { authorization: `Bearer ${token?.trim()}`, accept: "application/json" },
    ...(ca === undefined ? {} : { ca }),
    refusals: {
      401: "the API of the cluster does not know the service account (401)",
      403: `the service account may not list pods of '${namespace}'`,
    },
  };
  const at = `https://${host.includes(":") ? `[${host}]` : host}:${port}/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const members: DiscoveredMember[] = [];
  let next: string | undefined;
  let seen = 0;
  for (let number = 0; number < mostPages; number++) {
    const answer = await ask({ ...question, url: pageAt(at, args, next) });
    const { items, metadata } = asObject(answer);
    const page = list(items);
    seen += page.length;
    if (seen > mostPods) break;
    for (const pod of page) members.push(...member(pod, textOf(port_name), ready_only !== false));
    next = textOf(asObject(metadata).continue);
    if (next === undefined) return members;
  }
  throw new Failure("transport", `discover: there are more than ${mostPods} pods; use a selector`, { upstream: 502 });
}

function pageAt(address: string, { label_selector, field_selector }: JsonObject, next: string | undefined): URL {
  const url = new URL(address);
  const parameters = { labelSelector: textOf(label_selector), fieldSelector: textOf(field_selector), limit: pageSize, continue: next };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

async function accountFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Failure("evaluation", "discover: the service account of this pod cannot be read", { cause: error });
  }
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

/** The member of a pod; a pod without an address is still starting and gives none. */
function member(pod: JsonObject, portName: string | undefined, readyOnly: boolean): DiscoveredMember[] {
  const [metadata, spec, status] = [asObject(pod.metadata), asObject(pod.spec), asObject(pod.status)];
  const address = textOf(status.podIP);
  const name = textOf(metadata.name);
  const ready = isReady(status) && metadata.deletionTimestamp === undefined;
  if (address === undefined || name === undefined || (readyOnly && !ready)) return [];
  const containers = list(spec.containers);
  const port = portIn(containers, portName);
  const [namespace, node, image] = [textOf(metadata.namespace), textOf(spec.nodeName), textOf(containers[0]?.image)];
  return [
    {
      name,
      address,
      ...(port === undefined ? {} : { port }),
      ready,
      ...(namespace === undefined ? {} : { namespace }),
      ...(node === undefined ? {} : { node }),
      ...(image === undefined ? {} : { image }),
      labels: Object.fromEntries(Object.entries(asObject(metadata.labels)).map(([key, value]) => [key, String(value)])),
    },
  ];
}

const list = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const isReady = (status: JsonObject): boolean => list(status.conditions).some((each) => each.type === "Ready" && each.status === "True");

/** The port of that name; without one the only port that the pod declares. */
function portIn(containers: readonly JsonObject[], name: string | undefined): number | undefined {
  const ports = containers.flatMap((container) => list(container.ports)).filter((port) => (port.protocol ?? "TCP") === "TCP");
  const numbers = new Set(ports.filter((port) => name === undefined || own(port, "name") === name).map((port) => port.containerPort));
  const [port, ...others] = numbers;
  return (name !== undefined || others.length === 0) && typeof port === "number" ? port : undefined;
}
