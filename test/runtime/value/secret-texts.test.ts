import { expect, it, vi } from "vitest";
import { is_equal_to } from "../../../runtime/features/matchers/is_equal_to.ts";
import { is_not_equal_to } from "../../../runtime/features/matchers/is_not_equal_to.ts";

it.each([
  ["is_equal_to", is_equal_to],
  ["is_not_equal_to", is_not_equal_to],
] as const)("%s looks at all characters of a text, wherever the first wrong one is", (_name, matcher) => {
  const secret = "9f8e7d6c5b4a3210";
  const looks = vi.spyOn(String.prototype, "charCodeAt");
  try {
    const counts = [`X${secret.slice(1)}`, `${secret.slice(0, -1)}X`, secret].map((guess) => {
      looks.mockClear();
      matcher(guess, secret);
      return looks.mock.calls.length;
    });
    expect(counts).toEqual([32, 32, 32]);
  } finally {
    looks.mockRestore();
  }
});
