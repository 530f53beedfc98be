import parse from "nodemailer/lib/addressparser";
import { expect, test } from "vitest";
import { askAddresses, mailOf } from "#runtime/features/actions/email/message.ts";
import type { Act } from "#runtime/run/run.ts";
import { act } from "../../harness/sockets.ts";

const pieces = ["a", "b@c.org", "d@", "@", " ", ",", "<", ">", '"', "(", ")", ":", ";"];

/** All texts of so many pieces. */
const texts = (length: number): readonly string[] =>
  length === 0 ? [""] : texts(length - 1).flatMap((begin) => pieces.map((piece) => begin + piece));

const passes = (what: () => unknown): boolean => {
  try {
    what();
    return true;
  } catch {
    return false;
  }
};

test("what is asked of a written address refuses no text that a mail takes", async () => {
  let made: Act | undefined;
  await act(async (one) => {
    made = one;
    return null;
  });
  if (made === undefined) throw new Error("no action has run");
  const one = made;
  const sends = (to: string): boolean =>
    passes(() => mailOf(one, { from: "a@b.org", to, cc: "e@f.org" }, 0, (list) => parse(list, { flatten: true })));
  const refused = [1, 2, 3, 4].flatMap(texts).filter((text) => !passes(() => askAddresses(text, "to")));
  expect(refused.filter(sends)).toEqual([]);
  expect(refused).toEqual(expect.arrayContaining(["a", "d@", "a,b@c.org", "b@c.org,a", "@"]));
});
