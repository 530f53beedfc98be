import type { ServerResponse } from "node:http";
import { type Names, systemNames } from "#runtime/outgoing/names.ts";
import { type Stub, stub } from "../harness/sockets.ts";

const open: { readonly close: () => Promise<void> }[] = [];

/** Closes what a test has opened. */
export async function closeAll(): Promise<void> {
  for (const each of open.splice(0)) await each.close();
}

/** Closes this after the test. */
export async function using<T extends { readonly close: () => Promise<void> }>(made: Promise<T>): Promise<T> {
  const one = await made;
  open.unshift(one);
  return one;
}

/** Answers with a value. */
export const json = (response: ServerResponse, value: unknown, headers = {}): void => {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
};

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
