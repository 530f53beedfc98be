import fc from "fast-check";
import { expect, it } from "vitest";
import { authorization, credentials } from "../../../runtime/keys/authorization.ts";
import type { Json } from "../../../runtime/value/json.ts";

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

it.each<[string, Json]>([
  // RFC 7617, section 2 and 2.1; RFC 6750, section 2.1.
  ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", { Basic: { username: "Aladdin", password: "open sesame" } }],
  ["Basic dGVzdDoxMjPCow==", { Basic: { username: "test", password: "123£" } }],
  ["Bearer mF_9.B5f-4.1JqM", { Bearer: "mF_9.B5f-4.1JqM" }],
  [basic(":"), { Basic: { username: "", password: "" } }],
  [basic("a:b:c\n"), { Basic: { username: "a", password: "b:c\n" } }],
])("%s", (header, expected) => {
  expect(authorization(header)).toEqual(expected);
});

it("finds what was put in", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (user, password) => {
      fc.pre(!user.includes(":"));
      expect(credentials(basic(`${user}:${password}`))).toEqual({ username: user, password });
    }),
  );
});

it("leaves anything else as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue() as fc.Arbitrary<Json>, (value) => {
      fc.pre(authorization(value) === undefined);
      expect(credentials(value)).toEqual(value);
    }),
  );
});
