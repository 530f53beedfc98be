import type { IncomingMessage } from "node:http";
import type { Host } from "../../process/host.ts";
import type { Config, Target } from "../../run/interface.ts";
import type { Documentation } from "../documentation.ts";
import { answer } from "./answer.ts";
import type { Outgoing } from "./outgoing.ts";
import { RouteTable } from "./routes.ts";

/** The target of a route. */
export type Destination = Target | { readonly service: Service };

/** An answer of the service itself, outside of every policy (spec/surfaces 9). */
export type Service = (response: Outgoing, id: string, message: IncomingMessage) => void;

/** The configurations and pages that are served at a time. */
export interface Serving {
  readonly host: Host;
  readonly configs: readonly Config[];
  readonly docs: Documentation | undefined;
  /** Pages of the server itself, which have no prefix. */
  readonly own: readonly { readonly path: string; readonly service: Service }[];
  /** The address on which the server listens. */
  readonly bound: () => string;
  /** True when connections close after their answers. */
  readonly closes: () => boolean;
}

/** All routes of a server: its own pages, and the paths of interfaces under each prefix. */
export function routesOf(serving: Serving, prefixes: readonly string[] = ownPrefixes(serving.host)): RouteTable<Destination> {
  const routes = new RouteTable<Destination>();
  for (const { path, service } of serving.own) routes.add("GET", path, { service });
  const entries = [...docsIn(serving), ...endpointsIn(serving), ...interfacesIn(serving)];
  for (const prefix of prefixes) {
    for (const [method, path, destination] of entries) routes.add(method, prefix + path, destination);
  }
  return routes;
}

/**
 * Each path exists without a prefix and under `/<org>/<env>` (spec/surfaces 1). The long form is added second, so that a route that another
 * interface has written in that form keeps its path.
 */
const ownPrefixes = ({ organisation, environment }: Host): readonly string[] => ["", `/${organisation}/${environment}`];

type Route = readonly [method: string, path: string, destination: Destination];

const docsIn = ({ docs, closes }: Serving): Route[] =>
  (docs?.replies ?? []).map(({ path, reply }) => ["GET", path, { service: (response, id) => answer(response, reply(), id, closes()) }]);

function endpointsIn({ host, configs, bound, closes }: Serving): Route[] {
  const services = [...new Set(configs.flatMap(({ endpoints = [] }) => endpoints))].flatMap((of) => of(host, configs));
  return services.map(({ method, path, take }): Route => {
    return [method, path, { service: (response, id, message) => take({ message, response, id, bound: bound(), closes }) }];
  });
}

const interfacesIn = ({ configs }: Serving): Route[] =>
  configs.flatMap((config) =>
    config.interfaces.flatMap((target): Route[] => {
      const { http } = target;
      return http === undefined ? [] : [[http.method.toUpperCase(), `/${http.route.replace(/^\//, "")}`, { config, interface: target }]];
    }),
  );
