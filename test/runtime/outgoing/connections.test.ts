import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import * as undici from "undici";
import { afterEach, expect, test } from "vitest";
import type { Call } from "#runtime/outgoing/connection.ts";
import { connectionsOf } from "#runtime/outgoing/connections.ts";
import { until } from "../../harness/until.ts";

const opened: { readonly close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

interface Peer {
  readonly origin: string;
  readonly server: Server;
  /** The number of connections that it has accepted so far. */
  readonly accepted: () => number;
}

async function peer(listener: RequestListener, port = 0): Promise<Peer> {
  let accepted = 0;
  const server = createServer(listener).on("connection", () => {
    accepted += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  opened.push({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, accepted: () => accepted };
}

function dispatcher(bounds = { usual: 2, most: 4, patience: 5 }): undici.Dispatcher {
  const made = connectionsOf(undici, undici.buildConnector({ timeout: 5_000 }), () => performance.now(), bounds);
  opened.push({ close: () => made.destroy() });
  return made;
}

/** Sends one request; gives the body of its answer, or the error. */
function ask(
  through: undici.Dispatcher,
  origin: string,
  path = "/",
  more: Partial<undici.Dispatcher.DispatchOptions> & Pick<Call, "isOver"> = {},
): Promise<string> {
  const { isOver = false, ...options } = more;
  return new Promise((resolve) => {
    let body = "";
    const call: Call = {
      isOver,
      onResponseData: (_, chunk) => {
        body += chunk.toString();
      },
      onResponseEnd: () => resolve(body),
      onResponseError: (_, error) => resolve(`failed: ${"code" in error ? error.code : error.message}`),
    };
    through.dispatch({ origin, path, method: "GET", ...options }, call);
  });
}

const echo: RequestListener = (request, response) => response.end(request.url);
const paths = (count: number): string[] => Array.from({ length: count }, (_, i) => `/${i}`);

test("calls share the usual connections, and are sent in the order in which they came", async () => {
  const seen: string[] = [];
  const { origin, accepted } = await peer((request, response) => {
    seen.push(request.url ?? "");
    response.end(request.url);
  });
  const through = dispatcher({ usual: 1, most: 1, patience: 10_000 });
  expect(await Promise.all(paths(200).map((path) => ask(through, origin, path)))).toEqual(paths(200));
  expect(seen).toEqual(paths(200));
  expect(accepted()).toBe(1);
});

test("calls that wait long get further connections, up to the most", async () => {
  const held: (() => void)[] = [];
  const { origin, accepted } = await peer((request, response) => {
    held.push(() => response.end(request.url));
  });
  const through = dispatcher();
  const all = Promise.all(paths(6).map((path) => ask(through, origin, path)));
  await until(() => expect(held).toHaveLength(4));
  expect(accepted()).toBe(4);
  for (const end of held.splice(0)) end();
  await until(() => expect(held).toHaveLength(2));
  for (const end of held.splice(0)) end();
  expect(await all).toEqual(paths(6));
  expect(accepted()).toBe(4);
});

test("connections beyond the usual ones are closed when these would do, also while calls go on", async () => {
  const held: (() => void)[] = [];
  let holds = true;
  const { origin, server } = await peer((request, response) => {
    if (holds) held.push(() => response.end(request.url));
    else response.end(request.url);
  });
  const open = (): Promise<number> => promisify(server.getConnections.bind(server))();
  const through = dispatcher({ usual: 2, most: 6, patience: 20 });
  const first = paths(6).map((path) => ask(through, origin, path));
  await until(() => expect(held).toHaveLength(6));
  holds = false;
  for (const end of held) end();
  await Promise.all(first);
  let ends = false;
  const callers = paths(6).map(async (path) => {
    while (!ends) expect(await ask(through, origin, path)).toBe(path);
  });
  await until(async () => expect(await open()).toBe(2));
  ends = true;
  await Promise.all(callers);
});

test("a call that has ended while it waited takes no connection", async () => {
  const seen: string[] = [];
  const { origin, accepted } = await peer((request, response) => {
    seen.push(request.url ?? "");
    response.end(request.url);
  });
  const through = dispatcher({ usual: 1, most: 1, patience: 10_000 });
  const first = ask(through, origin, "/first");
  const over = ask(through, origin, "/over", { isOver: true });
  const last = ask(through, origin, "/last");
  expect(await Promise.all([first, last])).toEqual(["/first", "/last"]);
  expect(seen).toEqual(["/first", "/last"]);
  expect(accepted()).toBe(1);
  void over;
});

test("a peer that closes each connection, or idle ones, is asked again over new ones", async () => {
  const closing = await peer((request, response) => response.writeHead(200, { connection: "close" }).end(request.url));
  const through = dispatcher();
  expect(await Promise.all(paths(9).map((path) => ask(through, closing.origin, path)))).toEqual(paths(9));
  expect(closing.accepted()).toBe(9);

  const idle = await peer(echo);
  expect(await ask(through, idle.origin, "/a")).toBe("/a");
  idle.server.closeAllConnections();
  // Whether the client learns of the end before or after it sends is left to the network; a call that was cut off says so.
  const again = await ask(through, idle.origin, "/b");
  expect(again === "/b" || again.startsWith("failed: ")).toBe(true);
  expect(await ask(through, idle.origin, "/c")).toBe("/c");
});

test("a peer that refuses is asked again by the next call", async () => {
  const { origin, server } = await peer(echo);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const through = dispatcher();
  expect(await Promise.all(paths(5).map((path) => ask(through, origin, path)))).toEqual(paths(5).map(() => "failed: ECONNREFUSED"));
  await peer(echo, port);
  expect(await ask(through, origin, "/again")).toBe("/again");
});

test("a request that is refused before it is sent leaves its connection to others", async () => {
  const { origin } = await peer(echo);
  const through = dispatcher({ usual: 1, most: 1, patience: 10_000 });
  const bad = [1, 2, 3].map(() => ask(through, origin, "/", { headers: { "x-y": "a\r\nb: c" } }));
  expect(await Promise.all(bad)).toEqual(bad.map(() => "failed: UND_ERR_INVALID_ARG"));
  expect(await Promise.all(paths(3).map((path) => ask(through, origin, path)))).toEqual(paths(3));
});

test("a connection that breaks fails its own call only", async () => {
  const { origin } = await peer((request, response) => {
    if (request.url === "/broken") request.socket.destroy();
    else response.end(request.url);
  });
  const through = dispatcher({ usual: 1, most: 1, patience: 10_000 });
  const answers = await Promise.all(["/a", "/broken", "/b", "/c"].map((path) => ask(through, origin, path)));
  expect(answers).toEqual(["/a", expect.stringMatching(/^failed: /), "/b", "/c"]);
});

test("the end of the process ends the calls under way and those in line", async () => {
  const { origin } = await peer(() => undefined);
  const through = dispatcher({ usual: 1, most: 1, patience: 10_000 });
  const calls = paths(3).map((path) => ask(through, origin, path));
  await through.destroy();
  for (const answer of await Promise.all(calls)) expect(answer).toMatch(/^failed: /);
});

test("a retired way ends its calls and keeps no connection", async () => {
  const { origin, server } = await peer(echo);
  const through = dispatcher({ usual: 1, most: 1, patience: 10_000 });
  const calls = paths(3).map((path) => ask(through, origin, path));
  await through.close();
  expect(await Promise.all(calls)).toEqual(paths(3));
  // `close` of a server calls back once no connection is left.
  await new Promise((resolve) => server.close(resolve));
});
