import type { Names } from "../../../outgoing/names.ts";
import { Failure } from "../../../value/failure.ts";
import type { JsonObject } from "../../../value/json.ts";
import { codeOf } from "../../../value/thrown.ts";
import { type DiscoveredMember, hostAndPort } from "./member.ts";

/** Every address of a name, as the system finds it; an unknown name has none. SRV records bring ports of their own (spec/surfaces 13). */
export async function byName(
  { name, exclude_self = null }: JsonObject,
  port: number | undefined,
  names: Names,
): Promise<readonly DiscoveredMember[]> {
  if (typeof name !== "string" || name.trim() === "") throw new Failure("evaluation", "discover: dns needs a name");
  const { host, port: own = port } = hostAndPort(name.trim());
  const members = host.startsWith("_") ? await services(host, names) : await addresses(host, own, names);
  const self = typeof exclude_self === "string" && exclude_self.trim() !== "" ? hostAndPort(exclude_self.trim()) : undefined;
  return self === undefined
    ? members
    : members.filter((each) => each.address !== self.host || (self.port !== undefined && each.port !== self.port));
}

async function services(name: string, names: Names): Promise<readonly DiscoveredMember[]> {
  const records = await orNone(() => names.services(name), name);
  const lists = await Promise.all(records.map((record) => addresses(record.name, record.port, names)));
  return lists.flat();
}

async function addresses(name: string, port: number | undefined, names: Names): Promise<readonly DiscoveredMember[]> {
  const list = await orNone(() => names.addresses(name), name);
  return [...new Set(list)].map((address) => ({
    name: address,
    address,
    ...(port === undefined ? {} : { port }),
  }));
}

/** Errors by which a server says that a name has no address; after any other error the server did not answer. */
const unknown: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

async function orNone<R>(ask: () => Promise<readonly R[]>, name: string): Promise<readonly R[]> {
  try {
    return await ask();
  } catch (error) {
    const code = String(codeOf(error) ?? "unknown");
    if (unknown.has(code)) return [];
    throw new Failure("transport", `discover: the name '${name}' cannot be resolved (${code})`, { upstream: 502, cause: error });
  }
}
