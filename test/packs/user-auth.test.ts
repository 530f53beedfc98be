import { compare } from "bcryptjs";
import { decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { ask, gated, tested, untested } from "./played/calls.ts";
import { idOf, now, plays, refused, type Step } from "./played/play.ts";
import { jwtSecret } from "./played/worlds.ts";

// user-auth: signing up, and signing in.

const hash = expect.stringMatching(/^\$2[ab]\$12\$[./A-Za-z0-9]{53}$/);
const ann = { email: "ann@example.com", password: "Secret1!" };
const injected = { email: "x' OR '1'='1", password: "' OR '1'='1" };
const post = (does: string, path: string, body: Json, status = 200): Pick<Step, "does" | "method" | "path" | "body" | "status"> => ({
  ...{ does, method: "POST", path, body, status },
});
const missing = "email and password are required";
const noPassword: Json = { email: "a@b" };
const users = (...emails: readonly string[]): NonNullable<Step["holds"]> => ({
  "SELECT email FROM users ORDER BY created_at": emails.map((email) => ({ email })),
});

const signsUp = (does: string, { email, password }: typeof ann, step: number): Step => ({
  ...post(does, "/auth/signup", { email, password }),
  gives: {
    ...{ ReadBody: tested({ email, password: hash }), CheckExisting: tested([{ n: 0 }]) },
    ...{ InsertUser: untested({ id: idOf(step), email }), Respond: untested({ id: idOf(step), email }) },
  },
});
const signedOut = (body: Json) => ({
  ...{
    ReadBody: refused(body, missing),
    CheckExisting: gated("ReadBody"),
    InsertUser: gated("CheckExisting"),
    Respond: gated("InsertUser"),
  },
});
const noLogin = { IssueToken: gated("VerifyPassword"), Respond: gated("IssueToken") };
const stranger = (does: string, body: { readonly email: Json; readonly password: Json }): Step => ({
  ...post(does, "/auth/login", body, 401),
  gives: { ReadBody: tested(body), FetchUser: refused([], "invalid credentials"), VerifyPassword: gated("FetchUser"), ...noLogin },
});
const token = expect.stringMatching(/^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}$/);
const wrong = (does: string, password: Json): Step => ({
  ...post(does, "/auth/login", { ...ann, password }, 401),
  gives: {
    ...{ ReadBody: tested({ ...ann, password }), FetchUser: tested({ id: idOf(2), email: ann.email, password_hash: hash }) },
    ...{ VerifyPassword: refused({ ...ann, password }, "invalid credentials"), ...noLogin },
  },
});

plays(
  { pack: "user-auth", postgres: true },
  [
    {
      ...{ does: "makes its table", method: "POST", path: "/api/seed" },
      gives: { CreateUsersTable: {}, TruncateUsers: {}, Respond: untested({ status: "seeded", users: 0 }) },
    },
    { ...signsUp("signs up", ann, 2), holds: users(ann.email) },
    {
      ...post("signs nobody up twice", "/auth/signup", ann, 409),
      gives: {
        ...{ ReadBody: tested({ ...ann, password: hash }), CheckExisting: refused([{ n: 1 }], "email already registered") },
        ...{ InsertUser: gated("CheckExisting"), Respond: gated("InsertUser") },
      },
      holds: users(ann.email),
    },
    { ...signsUp("signs up SQL as a name", injected, 4), holds: users(ann.email, injected.email) },
    { ...post("wants a password", "/auth/signup", noPassword, 400), gives: signedOut(noPassword) },
    { ...post("wants an e-mail", "/auth/signup", { email: "", password: "x" }, 400), gives: signedOut({ email: "", password: "x" }) },
    {
      ...post("hashes no password that bcrypt would cut", "/auth/signup", { email: "c@d", password: "x".repeat(73) }, 500),
      gives: {
        ReadBody: { data: null, message: "success", error: "action failed" },
        ...{ CheckExisting: gated("ReadBody"), InsertUser: gated("CheckExisting"), Respond: gated("InsertUser") },
      },
      holds: users(ann.email, injected.email),
    },
    {
      ...post("signs in", "/auth/login", ann),
      gives: {
        // The pack shows the hash to who has signed in.
        ...{
          ReadBody: tested(ann),
          FetchUser: tested({ id: idOf(2), email: ann.email, password_hash: hash }),
          VerifyPassword: tested(ann),
        },
        IssueToken: untested({ id: idOf(2), email: ann.email, password_hash: hash, token }),
        Respond: untested({ token }),
      },
    },
    wrong("knows a wrong password", "secret1!"),
    wrong("knows a password that is a list", ["Secret1!"]),
    stranger("knows nobody else", { ...ann, email: "eve@example.com" }),
    stranger("knows no SQL", { email: "' OR 1=1 --", password: "x" }),
    stranger("knows no operators", { email: { $ne: "" }, password: "x" }),
    {
      ...post("wants both", "/auth/login", {}, 400),
      gives: {
        ...{ ReadBody: refused({}, missing), FetchUser: gated("ReadBody"), VerifyPassword: gated("FetchUser"), ...noLogin },
      },
    },
  ],
  (played) => {
    test("the token is good for a day, and says who it is of", async () => {
      const got = await ask(played().service.url, { method: "POST", path: "/auth/login", body: ann });
      const { token } = JSON.parse(got.text).data.Respond.data;
      await jwtVerify(token, new TextEncoder().encode(jwtSecret), { currentDate: new Date(now) });
      expect(decodeProtectedHeader(token)).toEqual({ typ: "JWT", alg: "HS256" });
      const { exp, iat: _, ...claims } = decodeJwt(token);
      expect([claims, exp]).toEqual([{ id: idOf(2), email: ann.email }, now / 1000 + 86_400]);
    });

    test("only a hash is kept", async () => {
      const [stored] = await played().world.look("SELECT password_hash FROM users WHERE email = 'ann@example.com'");
      expect(await compare(ann.password, String(stored?.password_hash))).toBe(true);
    });
  },
);
