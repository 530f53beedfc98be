import { type AddressInfo, createServer, type Socket } from "node:net";
import * as undici from "undici";
import { afterEach, expect, test } from "vitest";
import { http } from "#runtime/features/actions/http.ts";
import type { Call, Taker } from "#runtime/outgoing/connection.ts";
import { connectionsOf } from "#runtime/outgoing/connections.ts";
import { createHost } from "#runtime/process/host.ts";
import { act, actOn } from "../../harness/sockets.ts";
import { untilTrue } from "../../harness/until.ts";

// Connections that are given up while they are being opened. Without that, only the network would end them.

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

interface Mute {
  readonly origin: string;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** The number of connections that it has accepted so far. */
  readonly accepted: () => number;
}

/** A server that accepts connections and says nothing, so that a handshake of TLS never ends. */
async function mute(): Promise<Mute> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, accepted: () => accepted };
}

test("a connection that is being opened ends with the call that it is opened for", async () => {
  const { origin, sockets, accepted } = await mute();
  const host = createHost({ env: {} });
  opened.push(() => host.close());
  const cancelled = await actOn(
    host,
    (made) => http(made, { url: `${origin}/` }),
    (run) => void untilTrue(() => accepted() === 1).then(() => run.cancel("test")),
  );
  expect(cancelled).toMatchObject({ state: "failed", error: "http connect failed: cancelled" });
  await untilTrue(() => sockets.size === 0);
});

test("the next call in line gets an attempt of its own, once the one before it is given up", async () => {
  const { origin, sockets, accepted } = await mute();
  const bounds = { usual: 1, most: 1, patience: 1_000_000 };
  const through = connectionsOf(undici, undici.buildConnector({ timeout: 0, rejectUnauthorized: false }), () => performance.now(), bounds);
  opened.push(() => through.destroy());
  const takers: Taker[] = [];
  const calls = [1, 2, 3].map((): Call => ({ onTaken: (by) => takers.push(by) }));
  for (const call of calls) through.dispatch({ origin, path: "/", method: "GET" }, call);
  for (const [index, call] of calls.entries()) {
    await untilTrue(() => accepted() === index + 1 && sockets.size === 1);
    expect(takers).toHaveLength(index + 1);
    takers[index]?.giveUp(call);
  }
  await untilTrue(() => sockets.size === 0);
});

for (const [way, args] of [
  ["directly", {}],
  ["to an address that data names", { from_data: ["url" as const] }],
  ["through a proxy", { proxy: true }],
] as const)
  test(`the end of the process ends connections that are being opened ${way}`, async () => {
    const { origin, sockets, accepted } = await mute();
    const { proxy, ...rest } = { proxy: false, ...args };
    const block = { ...rest, ...(proxy ? { url: "https://service.test/", proxy: origin } : { url: `${origin}/` }) };
    const env = { PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.1" };
    // The host of `act` closes once its run is over.
    await act(
      (made) => {
        void http(made, block).catch(() => undefined);
        return untilTrue(() => accepted() === 1).then(() => null);
      },
      { env },
    );
    await untilTrue(() => sockets.size === 0);
  });
