import type { ServerResponse } from "node:http";

// Services and peers that a test opens. `afterEach(closeAll)` closes them, the last one first.

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
