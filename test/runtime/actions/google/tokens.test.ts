import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { type GoogleArgs, google } from "#runtime/features/actions/google.ts";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import type { Act, Run } from "#runtime/run/run.ts";
import { type JsonObject, own } from "#runtime/value/json.ts";
import { clientEmail, type GooglePeer, googlePeer, otherPair, privateKey } from "../../../harness/peers/google-peer.ts";
import { actOn } from "../../../harness/sockets.ts";
import { untilTrue } from "../../../harness/until.ts";

const open: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const create_token = { scopes: [scope] };

async function world(options: HostOptions = {}): Promise<{
  readonly peer: GooglePeer;
  readonly host: Host;
  readonly run: (args: Partial<GoogleArgs>, watch?: (run: Run) => void) => Promise<Act>;
}> {
  const peer = await googlePeer();
  const host = createHost({ env: {}, ...options });
  open.push(peer, host);
  return { peer, host, run: (args, watch) => actOn(host, (act) => google(act, { credential: peer.credential, ...args }), watch) };
}

const text = (act: Act, member: string): string => String(own(act.data as JsonObject, member));

describe("an access token", () => {
  test("is asked for by a signed assertion, and kept", async () => {
    const { peer, run } = await world();
    const first = await run({ create_token });
    expect(first.error).toBeUndefined();
    expect(peer.assertions).toMatchObject([{ iss: clientEmail, scope, aud: `${peer.url}/token` }]);
    expect(peer.assertions[0]).not.toHaveProperty("sub");
    const assertion = new URLSearchParams(peer.seen[0]?.body).get("assertion") ?? "";
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: "RS256", typ: "JWT", kid: "k1" });
    const token = text(first, "token");
    expect(first.data).toMatchObject({ access_token: token, token_type: "Bearer", authorization: `Bearer ${token}` });
    expect(Object.keys(first.data as JsonObject)).toEqual([
      "token",
      "access_token",
      "token_type",
      "authorization",
      "expires_in",
      "expires_at",
    ]);
    expect(text(await run({ create_token }), "token")).toBe(token);
    expect(peer.assertions).toHaveLength(1);
  });

  test("is another one for other scopes, users and accounts", async () => {
    const { peer, run } = await world();
    await run({ create_token });
    await run({ create_token: { scopes: [scope, "openid"] } });
    await run({ create_token: { ...create_token, sub: "ann@example.com" } });
    await run({ create_token, credential: { ...peer.credential, token_uri: `${peer.url}/token?other` } });
    expect(peer.assertions.map(({ scope: s, sub }) => [s, sub])).toEqual([
      [scope, undefined],
      [`${scope} openid`, undefined],
      [scope, "ann@example.com"],
    ]);
  });

  test("is that of nobody who has another key", async () => {
    const { peer, run } = await world();
    await run({ create_token });
    const stolen = otherPair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const { error, data } = await run({ create_token, credential: { ...peer.credential, private_key: stolen } });
    expect(error).toBe("google token: 400 invalid_grant: Invalid JWT Signature.");
    expect(data).toEqual({ status: 400, code: "invalid_grant", message: "Invalid JWT Signature." });
  });

  test("as the service answers it, with the seconds that are left", async () => {
    const { peer, run } = await world();
    peer.lifetime = 1800;
    const { data } = await run({ create_token_raw: create_token });
    expect(Object.keys(data as JsonObject)).toEqual(["access_token", "expires_in", "token_type"]);
    expect(Number(text({ data } as Act, "expires_in"))).toBeLessThanOrEqual(1800);
  });

  test("is fetched anew shortly before its end, and serves until then when that fails", async () => {
    const { peer, run, host } = await world();
    peer.lifetime = 1000;
    let passed = 0;
    const now = host.monotonic;
    Object.assign(host, { monotonic: () => now() + passed });
    const first = text(await run({ create_token }), "token");
    passed = 890_000;
    expect(text(await run({ create_token }), "token")).toBe(first);
    passed = 910_000;
    peer.faults.token.push({ status: 503 });
    expect(text(await run({ create_token }), "token")).toBe(first);
    expect(text(await run({ create_token }), "token")).toBe(first);
    expect(peer.seen).toHaveLength(2);
    passed = 921_000;
    expect(text(await run({ create_token }), "token")).not.toBe(first);
    passed = 2_000_000;
    peer.faults.token.push({ status: 503, body: { error: { status: "UNAVAILABLE", message: "Busy" } } });
    expect((await run({ create_token })).error).toBe("google token: 503 UNAVAILABLE: Busy");
  });

  test("is one request for many runs", async () => {
    const { peer, run } = await world();
    const all = await Promise.all(Array.from({ length: 20 }, () => run({ create_token })));
    expect(new Set(all.map((each) => text(each, "token"))).size).toBe(1);
    expect(peer.assertions).toHaveLength(1);
  });

  test("goes on for the others when the run that asks is cancelled", async () => {
    const { peer, run } = await world();
    peer.faults.token.push({ silent: true });
    let asking: Run | undefined;
    const first = run({ create_token }, (made) => {
      asking = made;
    });
    await untilTrue(() => peer.seen.length === 1);
    const others = [run({ create_token }), run({ create_token })];
    asking?.cancel("gone");
    expect((await first).error).toBe("google token: connect failed: cancelled");
    const [one, two] = await Promise.all(others);
    expect([one?.error, two?.error, peer.seen.length]).toEqual([undefined, undefined, 2]);
    expect(text(one as Act, "token")).toBe(text(two as Act, "token"));
    expect(peer.seen).toHaveLength(2);
  });

  test("a run that is cancelled while another one asks does not wait", async () => {
    const { peer, run } = await world();
    peer.faults.token.push({ silent: true });
    const first = run({ create_token, timeout: 60_000 });
    await untilTrue(() => peer.seen.length === 1);
    let waiting: Run | undefined;
    const second = run({ create_token }, (made) => {
      waiting = made;
    });
    waiting?.cancel("gone");
    expect((await second).error).toMatch(/^(?:google: )?cancelled$/);
    await peer.close();
    expect((await first).error).toMatch(/^google token: connection lost/);
  });

  test("that all waited for and did not come fails all, by one request", async () => {
    const { peer, run } = await world();
    peer.faults.token.push({ status: 429, headers: { "retry-after": "7" }, body: "{}" });
    const all = await Promise.all([run({ create_token }), run({ create_token })]);
    for (const { error, data, upstream } of all) {
      expect(error).toBe("google token: 429");
      expect(data).toEqual({ status: 429, code: "", message: "", headers: { "retry-after": "7" } });
      expect(upstream).toBe(429);
    }
    expect(peer.seen).toHaveLength(1);
  });
});

describe("clocks", () => {
  test.each([7_200_000, -7_200_000])("that differ by %d ms are corrected once, and for later tokens", async (ahead) => {
    const log: string[] = [];
    const { peer, run } = await world({ log: (_, msg) => void log.push(msg) });
    peer.ahead = ahead;
    expect((await run({ create_token })).error).toBeUndefined();
    expect(peer.seen).toHaveLength(2);
    await run({ create_token: { scopes: ["openid"] } });
    expect(peer.seen).toHaveLength(3);
    expect(log).toEqual([
      expect.stringMatching(/^google: the clock of this machine differs by 7(?:199|20[01]) s from that of the token service$/),
    ]);
  });

  test("are not blamed for another refusal", async () => {
    const { peer, run } = await world();
    peer.faults.token.push({
      status: 400,
      headers: { date: new Date(0).toUTCString() },
      body: { error: "invalid_scope", error_description: "no" },
    });
    expect((await run({ create_token })).error).toBe("google token: 400 invalid_scope: no");
    expect(peer.seen).toHaveLength(1);
  });
});

describe("other tokens", () => {
  test("an ID token has its audience", async () => {
    const { peer, run } = await world();
    const { data } = await run({ create_token: { use_id_token: true, audience: "https://run.example", sub: "ann@example.com" } });
    expect(peer.assertions).toMatchObject([{ target_audience: "https://run.example", sub: "ann@example.com", aud: `${peer.url}/token` }]);
    expect(peer.assertions[0]).not.toHaveProperty("scope");
    expect(decodeJwt(text({ data } as Act, "id_token"))).toMatchObject({ aud: "https://run.example", email: clientEmail });
    const raw = await run({ create_token_raw: { use_id_token: true, audience: "https://run.example", sub: "ann@example.com" } });
    expect(raw.data).toEqual({ id_token: text({ data } as Act, "token") });
    expect(peer.assertions).toHaveLength(1);
  });

  test("an audience alone is a token of the account itself: nobody is asked", async () => {
    const { peer, run } = await world();
    const { data } = await run({ create_token: { audience: "https://pubsub.googleapis.com/" } });
    expect(decodeJwt(text({ data } as Act, "token"))).toMatchObject({
      iss: clientEmail,
      sub: clientEmail,
      aud: "https://pubsub.googleapis.com/",
    });
    expect(peer.seen).toEqual([]);
  });

  test.each([
    [{ scopes: [null] }, "google create_token: scopes is not set"],
    [{ scopes: [], audience: "" }, "google create_token: scopes is not set"],
    [{ use_id_token: true, scopes: ["a"], audience: null }, "google create_token: audience is not set"],
    [{ scopes: ["a b"] }, "google create_token: a scope has characters of none"],
  ])("%j asks for none", async (args, error) => {
    const { peer, run } = await world();
    expect((await run({ create_token: args })).error).toBe(error);
    expect(peer.seen).toEqual([]);
  });
});

describe("a token service that does not keep to its rules", () => {
  test.each([
    [{ body: '{"access_token":' }, "google token: the answer is not a JSON object"],
    [{ body: [] }, "google token: the answer is not a JSON object"],
    [{ body: {} }, "google token: the answer has no access_token"],
    [{ body: { access_token: "a\nb" } }, "google token: the access_token is no token"],
    [{ body: { access_token: "a".repeat(20_000) } }, "google token: the access_token is no token"],
    [{ status: 302, headers: { location: "http://127.0.0.1:9/" } }, "google token: 302"],
    [
      { status: 400, body: { error: "bad\r\n\u001b[31m", error_description: "x".repeat(2000) } },
      `google token: 400 bad [31m: ${"x".repeat(500)}`,
    ],
    [{ status: 500, body: "a".repeat(100_000) }, "google token: 500"],
    [{ body: { access_token: "a" }, breaksAfter: 5 }, expect.stringMatching(/^google token: connection lost: /)],
  ])("answer %#", async (fault, error) => {
    const { peer, run } = await world();
    peer.faults.token.push(fault);
    expect((await run({ create_token })).error).toEqual(error);
    expect((await run({ create_token })).error).toBeUndefined();
  });

  test("that is silent", async () => {
    const { peer, run } = await world();
    peer.faults.token.push({ silent: true });
    expect((await run({ create_token, timeout: 200 })).error).toBe("google token: timeout after 200ms");
  });

  test("times that are none count as an hour", async () => {
    const { peer, run } = await world();
    peer.faults.token.push({ body: { access_token: "a.b", expires_in: -5 } });
    expect(Number(text(await run({ create_token }), "expires_in"))).toBeGreaterThan(3500);
  });
});

test("neither the key nor a token is shown in a log", async () => {
  const { peer, run, host } = await world();
  const token = text(await run({ create_token }), "token");
  expect(host.redactor.text(`a ${token} b ${encodeURIComponent(token)} c`)).toBe("a *** b *** c");
  expect(host.redactor.text(peer.credential.private_key)).not.toContain("PRIVATE");
  expect(privateKey).toContain("PRIVATE");
});
