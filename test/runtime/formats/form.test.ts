import { expect, test } from "vitest";
import { mostFields, parseForm } from "#runtime/formats/form.ts";

test.each([
  ["", { fields: {} }],
  ["&&a=1&&b", { fields: { a: "1", b: "" } }],
  ["a=1&a=2&a=3&=x", { fields: { a: ["1", "2", "3"], "": "x" } }],
  ["a=%E4%BD%A0+b&%", { fields: { a: "你 b", "%": "" } }],
  ["a=%ff", { fault: "invalid" }],
])("%s", (text, expected) => {
  expect(parseForm(text)).toEqual(expected);
});

test("fields are bounded, be they of one name or many", () => {
  expect(parseForm("a&".repeat(mostFields))).toEqual({ fields: { a: Array(mostFields).fill("") } });
  expect(parseForm(`${"&".repeat(100_000)}${"a&".repeat(mostFields + 1)}`)).toEqual({ fault: "too many" });
  expect(parseForm(Array.from({ length: mostFields + 1 }, (_, i) => `${i}`).join("&"))).toEqual({ fault: "too many" });
});
