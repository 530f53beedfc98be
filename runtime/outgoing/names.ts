import { lookup, resolveSrv } from "node:dns/promises";
import type { Host, Resource } from "../process/host.ts";

/** Resolves names to addresses. The resolver of the system is a resource of the host, so that a test can replace it. */
export interface Names extends Resource {
  readonly addresses: (name: string) => Promise<readonly string[]>;
  readonly services: (name: string) => Promise<readonly { readonly name: string; readonly port: number }[]>;
}

export const systemNames = (): Names => ({
  addresses: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  services: resolveSrv,
  close: () => undefined,
});

export const namesOf = (host: Host): Names => host.resource("names", systemNames);
