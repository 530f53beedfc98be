import { expect, test } from "vitest";
import { parseInSlices } from "#runtime/formats/json-slices.ts";
import { readJsonWork } from "#runtime/formats/json-text.ts";
import { atOnce } from "#runtime/threads/slices.ts";

function parsed(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const sliced = (text: string, length: number): string | undefined => JSON.stringify(atOnce(parseInSlices(text, length)));

/** Numbers that are drawn from a seed. */
function draw(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const names = ["a", "1", "0", "__proto__", "", "\u0000goes on", 'a\\"b', "constructor", "é"];
const scalars = ["1", "-0", "1e3", '"x"', '"],["', '"{\\"a\\":1,"', "true", "null", '""', '"\\\\"', '"\\u2028"'];

function randomText(pick: (most: number) => number, levels: number): string {
  const blank = pick(4) === 0 ? " \n" : "";
  const kind = levels === 0 ? 0 : pick(3);
  if (kind === 0) return `${blank}${scalars[pick(scalars.length)]}`;
  const members = Array.from({ length: pick(5) }, () => randomText(pick, levels - 1));
  if (kind === 1) return `${blank}[${members.join(`${blank},`)}${blank}]`;
  return `{${members.map((member) => `${JSON.stringify(names[pick(names.length)])}${blank}:${member}`).join(",")}}${blank}`;
}

test("slices of any length give what the parser gives, or nothing where it gives nothing", () => {
  const pick = draw(20_260_101);
  for (let i = 0; i < 20_000; i++) {
    const whole = randomText(pick, 5);
    const at = pick(whole.length);
    const junk = [",", "[", "]", "{", "}", '"', ":", " ", "\\"][pick(9)] ?? "";
    const text = i % 2 === 0 ? whole : whole.slice(0, at) + junk + whole.slice(at + pick(2));
    const length = 1 + pick(12);
    expect(sliced(text, length), `${text} by ${length}`).toBe(parsed(text));
  }
});

test.each(["[1,]", "[,1]", "[1,,2]", "[1, ,2]", '{"a":1,}', "[1],2", "[[1],]", "1,2", "", ",", "[1", '["a', "[1}", "]"])(
  "%s is no JSON",
  (text) => {
    for (const length of [1, 2, 3]) expect(sliced(text, length)).toBeUndefined();
  },
);

function stepsOf(text: string): number {
  const work = readJsonWork(text);
  let steps = 1;
  while (work.next().done !== true) steps += 1;
  return steps;
}

test("an object with a repeated name a million times is parsed in slices, rows of few names at one go", () => {
  const names = Array.from({ length: 700_000 }, () => '"a":1');
  expect(stepsOf(`{"t":{${names.join(",")}}}`)).toBeGreaterThan(5);
  const rows = Array.from({ length: 600_000 }, () => '{"a":1}');
  expect(stepsOf(`[${rows.join(",")}]`)).toBe(3);
});
