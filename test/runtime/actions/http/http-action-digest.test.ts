import { describe, expect, test } from "vitest";
import { answerChallenge } from "#runtime/features/actions/http/digest.ts";
import { http } from "#runtime/features/actions/http.ts";
import { createHost } from "#runtime/process/host.ts";
import { act, type Stub, stub } from "../../../harness/sockets.ts";

const call = {
  method: "GET",
  url: new URL("http://www.example.org/dir/index.html"),
  query: "",
  headers: new Map<string, string>(),
  body: null,
  timeout: 1,
  connectTimeout: 1,
  idleTimeout: null,
  streams: false,
  transport: undefined,
};

function answer(challenge: string | undefined, user: string, pass: string, cnonce = "0a4f113b"): string | undefined {
  const host = { ...createHost({ env: {} }), bytes: () => Buffer.from(cnonce, "base64") };
  return answerChallenge(challenge, call, { user, pass }, host);
}

const response = (header: string | undefined): string | undefined => /response="([0-9a-f]+)"/.exec(header ?? "")?.[1];

describe("answers", () => {
  const opaque = 'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  const rfc7616 = `qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ${opaque}`;
  const cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";

  test.each([
    ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
    ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
  ])("the example of RFC 7616, 3.9.1: %s", (algorithm, expected) => {
    const header = answer(`Digest realm="http-auth@example.org", algorithm=${algorithm}, ${rfc7616}`, "Mufasa", "Circle of Life", cnonce);
    expect(response(header)).toBe(expected);
    for (const part of [`algorithm=${algorithm}`, opaque, "qop=auth", "nc=00000001", `cnonce="${cnonce}"`, 'uri="/dir/index.html"'])
      expect(header).toContain(part);
  });

  test("the example of RFC 2617, 3.5", () => {
    const challenge = 'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
    expect(response(answer(challenge, "Mufasa", "Circle Of Life"))).toBe("6629fae49393a05397450978507c4ef1");
  });

  test("the best of several challenges, among other schemes", () => {
    const md5 = `Digest realm="http-auth@example.org", algorithm=MD5, ${rfc7616}`;
    const header = answer(`Negotiate a==, Basic realm="x", ${md5}, ${md5.replace("MD5", "SHA-256")}`, "Mufasa", "Circle of Life", cnonce);
    expect(header).toContain("algorithm=SHA-256");
  });

  test("a name beyond ASCII, or one that is hashed", () => {
    const challenge = 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256';
    expect(answer(challenge, "Jäsøn (1)", "p")).toContain("username*=UTF-8''J%C3%A4s%C3%B8n%20%281%29,");
    expect(answer(`${challenge}, userhash=true`, "Jäsøn", "p")).toMatch(/username="[0-9a-f]{64}".*userhash=true$/);
    expect(answer(challenge, 'a"b', "p")).toContain('username="a\\"b"');
  });

  test.each([
    undefined,
    "Basic realm=x",
    'Digest realm="r"',
    'Digest realm="r", nonce="n", algorithm=TOKEN',
    'Digest realm="r", nonce="n", qop="auth-int"',
  ])("nothing to a challenge that asks for something else: %s", (challenge) => {
    expect(answer(challenge, "u", "p")).toBeUndefined();
  });
});

describe("a call", () => {
  const challenge = 'Digest realm="r", nonce="n", qop="auth"';
  const guarded = (): Promise<Stub> =>
    stub((answered, { headers, url }) => {
      if (headers.authorization === undefined) answered.writeHead(401, { "www-authenticate": challenge }).end();
      else if (url === "/start") answered.writeHead(302, { location: "/end" }).end();
      else answered.end("ok");
    });

  test("asks again with the answer, and anew for each address", async () => {
    const { url, seen, close } = await guarded();
    const made = await act((one) => http(one, { url: `${url}/start`, digest_auth_user: "u", digest_auth_pass: "p" }));
    await close();
    expect(made.data).toMatchObject({ status: 200, body: "ok" });
    const sent = seen.map(({ path, headers }) => [path, /uri="([^"]*)"/.exec(headers.authorization ?? "")?.[1]]);
    expect(sent).toEqual([
      ["/start", undefined],
      ["/start", "/start"],
      ["/end", undefined],
      ["/end", "/end"],
    ]);
  });

  test("asks once: a wrong password is a missed status", async () => {
    const { url, seen, close } = await stub((answered) => answered.writeHead(401, { "www-authenticate": challenge }).end());
    const made = await act((one) => http(one, { url, digest_auth_user: "u", digest_auth_pass: "hidden" }));
    await close();
    expect([made.state, made.upstream, seen.length]).toEqual(["failed", 401, 2]);
    expect(`${made.error}${JSON.stringify(made.data)}`).not.toContain("hidden");
  });

  const nonceOf = (header: string | undefined): string => /nonce="([^"]*)"/.exec(header ?? "")?.[1] ?? "";

  test.each([
    ["a new nonce is answered once more", (n: number) => `nonce="n${n}", stale=TRUE`, ["", "n1", "n2"]],
    ["as is one in quotes", (n: number) => `nonce="n${n}", stale="true"`, ["", "n1", "n2"]],
    ["the nonce that was answered is not", () => 'nonce="n1", stale=true', ["", "n1"]],
    ["nor is a new nonce that says nothing of an old one", (n: number) => `nonce="n${n}", stale=false`, ["", "n1"]],
  ])("whose nonce is stale: %s", async (_name, nonce, nonces) => {
    let asked = 0;
    const { url, seen, close } = await stub((answered) => {
      asked += 1;
      answered.writeHead(401, { "www-authenticate": `Digest realm="r", qop="auth", ${nonce(asked)}` }).end();
    });
    const made = await act((one) => http(one, { url, digest_auth_user: "u", digest_auth_pass: "p" }));
    await close();
    expect(made.upstream).toBe(401);
    expect(seen.map(({ headers }) => nonceOf(headers.authorization))).toEqual(nonces);
  });

  test("answers no other origin", async () => {
    const other = await stub((answered) => answered.writeHead(401, { "www-authenticate": challenge }).end());
    const first = await stub((answered) => answered.writeHead(302, { location: other.url }).end());
    const env = { PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.1" };
    await act((one) => http(one, { url: first.url, digest_auth_user: "u", digest_auth_pass: "p" }), { env });
    await Promise.all([first.close(), other.close()]);
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});
