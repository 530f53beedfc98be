import { type Names, systemNames } from "#runtime/outgoing/names.ts";
import { type Stub, stub } from "../harness/sockets.ts";
import { json, using } from "./opened.ts";

/** A service inside of the network, which no data may reach. */
export const inside = (): Promise<Stub> => using(stub((response) => json(response, { leak: "inside-data" })));

/** Names that only the test knows; the list of a name is used up from the front, its last entry stays. */
export const namesWith = (known: Readonly<Record<string, (readonly string[])[]>>): (() => Names) => {
  return () => ({
    ...systemNames(),
    addresses: async (name) => {
      const answers = known[name] ?? [];
      const [now] = answers.length > 1 ? answers.splice(0, 1) : answers;
      if (now === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" });
      return now;
    },
  });
};
