import { generateKeyPairSync } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, passed, time, untested } from "./played/calls.ts";
import { anyOrder, now, plays, refused, type Step } from "./played/play.ts";

// The calls of the README of jwt-verification-starter, with tokens as a provider signs them.

const [OIDC_ISSUER, OIDC_AUDIENCE] = ["https://tenant.example/", "https://your-api"];
const JWT_SHARED_SECRET = "canary-shared-0123456789abcdef012345";
const provider = generateKeyPairSync("rsa", { modulusLength: 2048 });
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const JWT_PUBLIC_KEY = provider.publicKey.export({ type: "spki", format: "pem" }).toString();
const keys = { keys: [{ ...(await exportJWK(provider.publicKey)), kid: "k1", alg: "RS256", use: "sig" }] } as unknown as Json;

const seconds = Math.floor(now / 1000);
const claims = { sub: "user-123", iss: OIDC_ISSUER, aud: OIDC_AUDIENCE, exp: seconds + 600 };
const sign = (more: object, { key = provider.privateKey, kid = "k1", alg = "RS256" } = {}): Promise<string> =>
  new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg, kid }).sign(key);
const shared = (more: object, secret = JWT_SHARED_SECRET, alg = "HS256"): Promise<string> =>
  new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
const good = await sign({});

const text = "Invalid or missing token";
const asks = (does: string, mode: string, token?: string): Pick<Step, "does" | "method" | "path" | "headers"> => ({
  ...{ does: `${mode}: ${does}`, method: "POST", path: `/verify/${mode}` },
  headers: token === undefined ? {} : { "airpipe-jwt": token },
});
const verifies = (does: string, mode: string, token: string, found: object = claims): Step => ({
  ...asks(does, mode, token),
  gives: { ValidateJwt: { data: found, ...passed } },
});
const refuses = (does: string, mode: string, token?: string): Step => ({
  ...{ ...asks(does, mode, token), status: 401 },
  gives: { ValidateJwt: refused(expect.any(Object), text) },
});
const fetched = { effects: [{ to: "GET tenant.example/.well-known/jwks.json" }] };

const id = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const note = (title: string, body: string) => ({ id, title, body, created_at: time });
const notes = (does: string, token: string, ...rows: readonly object[]): Step => ({
  ...{ does: `notes: ${does}`, path: "/notes", headers: { "airpipe-jwt": token } },
  gives: { ValidateJwt: passed, ListNotes: untested(anyOrder(...rows)) },
});
const creation = (
  does: string,
  token: string,
  body: Json,
  status = 200,
): Pick<Step, "does" | "method" | "path" | "headers" | "body" | "status"> => ({
  ...{ does: `notes: ${does}`, method: "POST", path: "/notes/create", headers: { "airpipe-jwt": token }, body, status },
});
const creates = (does: string, token: string, title: string, body?: string): Step => ({
  ...creation(does, token, { title, ...(body === undefined ? {} : { body }) }),
  gives: { ValidateJwt: passed, CheckBody: passed, CreateNote: untested(note(title, body ?? "")) },
});
const untitled = (body: Json): Step => ({
  ...creation(`wants a title, not ${JSON.stringify(body)}`, good, body, 400),
  gives: { ValidateJwt: passed, CheckBody: refused(body, "title is required"), CreateNote: gated("CheckBody") },
});

const injected = "x'); DROP TABLE notes; --";
const sql = await sign({ sub: "' OR '1'='1" });
const mine = [note("Welcome", "This note belongs to user-123."), note("Shopping list", "Milk, eggs, bread.")];

plays(
  {
    ...{ pack: "jwt-verification-starter", postgres: true },
    variables: { OIDC_JWKS_URL: `${OIDC_ISSUER}.well-known/jwks.json`, OIDC_ISSUER, OIDC_AUDIENCE, JWT_PUBLIC_KEY, JWT_SHARED_SECRET },
    services: [{ path: "/.well-known/jwks.json", body: keys }],
  },
  [
    { ...{ does: "migrates", method: "POST", path: "/migrate" }, gives: { Migrate: {}, Status: untested({ status: "ok", notes: 0 }) } },
    {
      ...{ does: "migrates twice", method: "POST", path: "/migrate" },
      gives: { Migrate: {}, Status: untested({ status: "ok", notes: 0 }) },
    },
    {
      ...{ does: "resets", method: "POST", path: "/migrate/reset" },
      gives: { Reset: {}, Status: untested({ status: "reset", notes: 3 }) },
    },
    { ...verifies("gives the claims", "jwks", good), ...fetched },
    verifies("asks the provider once", "jwks", good),
    verifies("takes one who is a minute late", "jwks", await sign({ exp: seconds - 59 }), { ...claims, exp: seconds - 59 }),
    refuses("no token", "jwks"),
    refuses("an old one", "jwks", await sign({ exp: seconds - 61 })),
    refuses("one from elsewhere", "jwks", await sign({ iss: "https://other.example/" })),
    refuses("one for others", "jwks", await sign({ aud: "https://other-api" })),
    refuses("one of another key", "jwks", await sign({}, { key: stranger.privateKey })),
    refuses("one of an unknown key", "jwks", await sign({}, { key: stranger.privateKey, kid: "k2" })),
    refuses("one of another algorithm", "jwks", await sign({}, { alg: "RS512" })),
    refuses("one that the public key has signed as a secret", "jwks", await shared({}, JWT_PUBLIC_KEY)),
    refuses("no token of three parts", "jwks", "a.b.c"),
    verifies("gives the claims", "pem", await sign({ iss: "anybody" }), { ...claims, iss: "anybody" }),
    refuses("no token", "pem"),
    refuses("one of another key", "pem", await sign({}, { key: stranger.privateKey })),
    refuses("one that the public key has signed as a secret", "pem", await shared({}, JWT_PUBLIC_KEY)),
    verifies("gives the claims", "hs256", await shared({})),
    refuses("no token", "hs256"),
    refuses("another secret", "hs256", await shared({}, `${JWT_SHARED_SECRET}x`)),
    refuses("a stronger algorithm than the one that is meant", "hs256", await shared({}, JWT_SHARED_SECRET, "HS512")),
    refuses("one of the provider", "hs256", good),
    notes("lists those of the caller", good, ...mine),
    notes("lists those of another", await sign({ sub: "user-456" }), note("Someone else", "This note belongs to a different user.")),
    notes("lists none for SQL", sql),
    creates("creates", good, "Hello", "My first note"),
    creates("creates without a body", good, injected),
    creates("creates for whom is SQL", sql, "Theirs", "a|env::PATH|"),
    untitled({}),
    untitled({ title: "" }),
    untitled({ title: null, body: "x" }),
    notes("lists what was created", good, ...mine, note("Hello", "My first note"), note(injected, "")),
    {
      ...{ does: "notes: lists nothing for nobody", path: "/notes", status: 401 },
      gives: { ValidateJwt: refused(expect.any(Object), text), ListNotes: gated("ValidateJwt") },
    },
    {
      ...{ does: "notes: creates nothing for nobody", method: "POST", path: "/notes/create", body: { title: "x" }, status: 401 },
      gives: { ValidateJwt: refused(expect.any(Object), text), CheckBody: gated("ValidateJwt"), CreateNote: gated("CheckBody") },
      holds: { "SELECT count(*)::int AS n FROM notes": [{ n: 6 }] },
    },
  ],
);
