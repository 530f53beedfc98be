import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Silence } from "#runtime/bus/silence.ts";

// A connection that stays and gives no answer (spec/surfaces 17).

let told: boolean[];
let silence: Silence;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  silence = new Silence(1_000, (isSilent) => told.push(isSilent));
});
afterEach(() => {
  vi.useRealTimers();
});

test("it is told from the first question on that waits, once, and that one is answered again", () => {
  const first = silence.asked();
  vi.advanceTimersByTime(900);
  const second = silence.asked();
  vi.advanceTimersByTime(99);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([true]);
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual([true]);
  first(true);
  second(true);
  expect(told).toEqual([true, false]);
});

test("questions that are answered in time tell nothing, nor does one that fails", () => {
  for (let n = 0; n < 5; n++) {
    const answered = silence.asked();
    vi.advanceTimersByTime(900);
    answered(n % 2 === 0);
  }
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([]);
});
