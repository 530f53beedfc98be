import { afterEach, describe, expect, test } from "vitest";
import { http } from "#runtime/features/actions/http.ts";
import { act } from "../../../harness/sockets.ts";
import { call, closeUpstreams, echo, upstream } from "./upstreams.ts";

afterEach(closeUpstreams);

describe("allowed_hosts", () => {
  const hostOf = (url: string): string => new URL(url).host;

  test.each<[string, readonly (string | null)[] | null, boolean]>([
    ["the host", ["127.0.0.1"], true],
    ["a name below a domain", ["*.localhost", "api.example.com"], false],
    ["any", ["*"], true],
    ["another port", ["127.0.0.1:1"], false],
    ["none", [], false],
    ["what a marker has left of one", [null, ""], false],
    ["what a marker has left of the list", null, false],
    ["a part of the host", ["127.0.0", "0.0.1"], false],
  ])("%s", async (_, allowed_hosts, isAllowed) => {
    const { url, seen } = await echo();
    const { error } = await call({ url, allowed_hosts: allowed_hosts as string[] | null });
    expect([error, seen.length]).toEqual(isAllowed ? [undefined, 1] : ["address not allowed", 0]);
  });

  test("a name with its port, whatever its case, and a name below a domain", async () => {
    const { url, seen } = await echo();
    const named = url.replace("127.0.0.1", "a.LOCALHOST");
    for (const pattern of [hostOf(named), "*.Localhost", "A.localhost"]) {
      const { error } = await call({ url: named, allowed_hosts: [pattern] });
      expect(error ?? "").not.toBe("address not allowed");
    }
    expect(await call({ url: named, allowed_hosts: ["localhost", "*.a.localhost"] })).toMatchObject({ error: "address not allowed" });
    expect(seen.every(({ headers }) => headers.host === hostOf(named))).toBe(true);
  });

  test("a redirect and a further page stay within them", async () => {
    const elsewhere = await echo();
    const away = elsewhere.url.replace("127.0.0.1", "localhost");
    const { url } = await upstream((response) => response.writeHead(302, { location: away }).end());
    expect(await call({ url, allowed_hosts: ["127.0.0.1"] })).toMatchObject({ error: "address not allowed" });
    expect(elsewhere.seen).toHaveLength(0);
    const pages = await upstream((response) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify({ next: away, rows: [1] })),
    );
    const pagination = { next_link_key: "next", payload_key: "rows", next_link_host: hostOf(away) };
    expect(await call({ url: pages.url, pagination, allowed_hosts: ["127.0.0.1"] })).toMatchObject({ error: "address not allowed" });
    expect(elsewhere.seen).toHaveLength(0);
  });
});

describe("redirects", () => {
  const to = (location: string, code = 302) =>
    upstream((response, message) =>
      message.url === "/end"
        ? response.end(message.method)
        : response.writeHead(code, { location: message.url === "/loop" ? "/loop" : location }).end(),
    );

  test.each([
    [302, "GET", "GET"],
    [307, "HEAD", ""],
    [303, "POST", "GET"],
  ])("%d after %s is followed", async (code, method, body) => {
    const { url, seen } = await to("end", code);
    const { state, data } = await call({ url: `${url}/start`, method, ...(method === "POST" ? { body: { a: 1 } } : {}) });
    expect([state, data]).toEqual(["succeeded", expect.objectContaining({ status: 200, body: body || null })]);
    expect(seen.at(-1)).toMatchObject({ path: "/end", body: "" });
    expect(seen.at(-1)?.headers["content-type"]).toBeUndefined();
  });

  test("a POST is not repeated", async () => {
    const { url, seen } = await to("/end", 307);
    expect(await call({ url, body: {} })).toMatchObject({ state: "failed", upstream: 307 });
    expect(seen).toHaveLength(1);
  });

  test("an author who names 3xx sees the redirect", async () => {
    const { url, seen } = await to("/end");
    expect((await call({ url, expect_status: ["2xx", 302] })).data).toMatchObject({ status: 302, headers: { location: "/end" } });
    expect(seen).toHaveLength(1);
  });

  test("ten redirects are followed, not more", async () => {
    const { url, seen } = await to("");
    expect(await call({ url: `${url}/loop` })).toMatchObject({ error: "http connect failed: too many redirects", upstream: 502 });
    expect(seen).toHaveLength(11);
  });

  test("another origin gets no credentials, the same one does", async () => {
    const other = await echo();
    const headers = {
      authorization: "Bearer t",
      cookie: "a=1",
      "x-api-key": "k",
      "x-plain": "p",
      "x-shop-access": "id s3cret-of-the-shop",
    };
    const { url } = await to(other.url);
    await act(
      (made) => {
        made.run.host.redactor.add("SHOP", "s3cret-of-the-shop");
        return http(made, { url, headers });
      },
      { env: { PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.1" } },
    );
    expect(other.seen[0]?.headers).toMatchObject({ "x-plain": "p" });
    for (const name of ["authorization", "cookie", "x-api-key", "x-shop-access"]) expect(other.seen[0]?.headers).not.toHaveProperty(name);
    const same = await to("/end");
    await call({ url: same.url, headers });
    expect(same.seen.at(-1)?.headers).toMatchObject(headers);
  });

  test.each(["ftp://127.0.0.1/x", "http://"])("the next address is checked too: %s", async (location) => {
    const { url } = await to(location);
    expect(await call({ url })).toMatchObject({ state: "failed", error: expect.stringMatching(/^invalid url /) });
  });
});
