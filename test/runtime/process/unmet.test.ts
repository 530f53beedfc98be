import { expect, test } from "vitest";
import { Unmet } from "#runtime/process/unmet.ts";

test("what several parts of a process miss is said once", () => {
  expect(new Unmet(["a", "b", "a"]).message).toBe("cannot start:\n  - a\n  - b");
});
