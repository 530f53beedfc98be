import { expect, test } from "vitest";
import { Line } from "#runtime/threads/line.ts";

test("as many pieces of work go on as there are places, in the order in which they came", async () => {
  const line = new Line(2);
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const work = (number: number): Promise<number> =>
    line.take(() => {
      begun.push(number);
      return new Promise((resolve, reject) => {
        ends[number] = (error) => (error === undefined ? resolve(number) : reject(error));
      });
    });
  const all = [0, 1, 2, 3].map(work);
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  expect(await all[1]).toBe(1);
  expect(begun).toEqual([0, 1, 2]);
  // Work that fails gives its place back, too.
  ends[0]?.(new Error("broken"));
  await expect(all[0]).rejects.toThrow("broken");
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  expect(await Promise.all([all[2], all[3]])).toEqual([2, 3]);
  const last = work(4);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  ends[4]?.();
  expect(await last).toBe(4);
});
