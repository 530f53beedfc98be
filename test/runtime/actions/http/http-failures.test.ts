import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { http } from "#runtime/features/actions/http.ts";
import { act } from "../../../harness/sockets.ts";
import { until } from "../../../harness/until.ts";
import { call, closeUpstreams, upstream } from "./upstreams.ts";

afterEach(closeUpstreams);

describe("failures", () => {
  test("a refused connection", async () => {
    const failed = await call({ url: "http://127.0.0.1:1/x" });
    expect(failed).toMatchObject({ state: "failed", data: null, upstream: 502, internal: true });
    expect(failed.error).toMatch(/^http connect failed: .*ECONNREFUSED/);
  });

  test("a connection that ends before the response, or in it, was lost", async () => {
    for (const breaks of [
      (response: ServerResponse) => response.destroy(),
      (response: ServerResponse) => response.write("x", () => response.destroy()),
    ]) {
      const { url } = await upstream(breaks);
      expect(await call({ url })).toMatchObject({
        error: expect.stringMatching(/^http connection lost: ./),
        upstream: 502,
        internal: true,
      });
    }
  });

  test("an answer that does not come in time", async () => {
    const { url } = await upstream(() => undefined);
    expect(await call({ url, timeout: 60 })).toMatchObject({
      state: "failed",
      error: "http timeout after 60ms",
      data: null,
      upstream: 504,
    });
    expect(await call({ url, timeout: 90, connect_timeout: 30 })).toMatchObject({ error: "http timeout after 90ms" });
  });

  test("a body that does not end in time", async () => {
    const { url } = await upstream((response) => response.write("x"));
    expect(await call({ url, timeout: 60 })).toMatchObject({ error: "http timeout after 60ms" });
  });

  test("a server that accepts and never speaks TLS counts as not connected", async () => {
    const silent = createTcp(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const failed = await call({ url: `https://127.0.0.1:${port}/`, connect_timeout: 50, timeout: 5_000 });
    silent.close();
    expect(failed).toMatchObject({ error: "http timeout after 50ms", upstream: 504 });
  });

  test("a server that answers TLS otherwise fails in words, without numbers and places of OpenSSL", async () => {
    const alert = Buffer.from([21, 3, 3, 0, 2, 2, 80]);
    for (const [answer, reason] of [
      ["HTTP/1.1 400 Bad Request\r\n\r\n", "wrong version number; does the server speak TLS at this port?"],
      [alert, "tlsv1 alert internal error"],
    ] as const) {
      const plain = createTcp((socket) => socket.once("data", () => socket.end(answer)));
      await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
      const { port } = plain.address() as AddressInfo;
      expect(await call({ url: `https://127.0.0.1:${port}/` })).toMatchObject({
        error: `http connect failed: TLS: ${reason}`,
        upstream: 502,
      });
      plain.close();
    }
  });

  test("a cancelled run ends the call and closes its connection", async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    let asked = false;
    const { url } = await upstream((_, message) => {
      asked = true;
      message.socket.once("close", closed);
    });
    const failed = await act(
      (made) => http(made, { url }),
      {},
      (run) => void until(() => expect(asked).toBe(true)).then(() => run.cancel("test")),
    );
    await gone;
    expect(failed).toMatchObject({ state: "failed", error: "http connect failed: cancelled" });
  });
});
