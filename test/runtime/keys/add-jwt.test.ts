import { jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { add_jwt, prepare } from "../../../runtime/features/transforms/add_jwt.ts";
import type { Act } from "../../../runtime/run/run.ts";
import { instant } from "../../../runtime/value/instant.ts";
import { isObject, type Json, type JsonObject } from "../../../runtime/value/json.ts";

const now = Date.UTC(2024, 3, 6);
// The transform reads the clock alone of an action.
const act = { now } as Act;

function token(args: Omit<Parameters<typeof prepare>[0], "key">, data: Json = {}): string {
  const out = add_jwt(data, prepare({ key: "t", ...args }), act);
  return isObject(out) && typeof out.t === "string" ? out.t : "";
}

it("has the header byte for byte", () => {
  expect(token({ secret: "k", data: { sub: "x" } })).toMatch(/^eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9\.[\w-]+\.[\w-]{43}$/);
});

it("is read by a library of its own", async () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const claims: JsonObject = { sub: "é😀", roles: ["a"], n: null, o: { a: 1 } };
  const { payload, protectedHeader } = await jwtVerify(token({ secret, exp: "24h", data: claims }), Buffer.from(secret), {
    algorithms: ["HS256"],
    currentDate: new Date(now),
  });
  expect(protectedHeader).toEqual({ typ: "JWT", alg: "HS256" });
  expect(payload).toEqual({ ...claims, iat: now / 1000, exp: now / 1000 + 86_400 });
  await expect(jwtVerify(token({ secret, data: claims }), Buffer.from(`${secret}!`))).rejects.toThrow();
});

describe("timestamps", () => {
  it.each([
    ["2030-01-01T00:00:00Z", Date.UTC(2030, 0, 1)],
    ["2030-01-01t00:00:00z", Date.UTC(2030, 0, 1)],
    ["2030-01-01T02:00:00+02:00", Date.UTC(2030, 0, 1)],
    ["2030-01-01 00:00:00", Date.UTC(2030, 0, 1)],
    ["2030-01-01T00:00:00.5Z", Date.UTC(2030, 0, 1) + 500],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
  ])("%s", (text, expected) => {
    expect(instant(text)).toBe(expected);
  });

  it.each([
    "2030-01-01",
    "2030-02-30T00:00:00Z",
    "2029-02-29T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-01-01T24:00:00Z",
    "2030-01-01T25:00:00Z",
    "2030-01-01T00:00:60Z",
    "2030-01-01T00:00:00+25:00",
    "1893456000",
    "tomorrow",
    "",
  ])("not %s", (text) => {
    expect(instant(text)).toBeUndefined();
  });
});
