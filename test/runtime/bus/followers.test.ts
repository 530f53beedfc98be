import { expect, test } from "vitest";
import { goneIn, goneOf } from "#runtime/bus/followers.ts";

test("a process without an heir has an empty one in the message, as earlier versions read it, and none outside of it", () => {
  const message = goneOf("first", undefined);
  expect(message.body).toBe('{"gone":"first","heir":""}');
  expect(goneIn(message)).toEqual({ gone: "first", heir: undefined });
  expect(goneIn(goneOf("first", "second"))).toEqual({ gone: "first", heir: "second" });
});
