import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvOf, rowsOf } from "#runtime/formats/csv.ts";
import { atOnce } from "#runtime/threads/slices.ts";
import { Failure } from "#runtime/value/failure.ts";

const parseCsv = (csv: string) => atOnce(rowsOf(csv));

describe("the examples of RFC 4180 section 2, under names of their own", () => {
  const names = "field_name,second,third\r\n";
  const row = { field_name: "aaa", second: "bbb", third: "ccc" };
  it.each([
    ["1: a line break behind each record", "aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", [row, { field_name: "zzz", second: "yyy", third: "xxx" }]],
    ["2: the last may have none", "aaa,bbb,ccc", [row]],
    ["5: fields with and without quotes", '"aaa","bbb","ccc"\r\nzzz,yyy,xxx', [row, { field_name: "zzz", second: "yyy", third: "xxx" }]],
    ["6: line breaks inside quotes", '"aaa","b\r\nbb","ccc"', [{ ...row, second: "b\r\nbb" }]],
    ["7: a quote inside quotes", '"aaa","b""bb","ccc"', [{ ...row, second: 'b"bb' }]],
  ])("%s", (_, records, rows) => {
    expect(parseCsv(names + records)).toEqual(rows);
  });
});

describe("a carriage return without a line feed", () => {
  it.each([
    ["ends each line", "a,b\r1,2\r", 1],
    ["stands in a cell", "a,b\n1,x\ry", 2],
    ["begins a line", "a\n\r", 2],
    ["follows a quote", 'a\n"1"\r"2"', 2],
  ])("fails where it %s", (_, csv, line) => {
    expect(() => parseCsv(csv)).toThrow(new Failure("transform", `invalid CSV: line ${line}: a carriage return without a line feed`));
  });

  it("is text in quotes", () => {
    expect(parseCsv('a\n"1\r2"')).toEqual([{ a: "1\r2" }]);
  });
});

const cell = fc.string({ unit: fc.constantFrom(...'ab,"\r\n \uFEFFé😀=') });
const table = fc
  .uniqueArray(cell, { minLength: 1, maxLength: 5 })
  .chain((names) =>
    fc
      .array(fc.tuple(...names.map(() => cell)))
      .map((rows) => rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ""])))),
  );

it("reads what it has written", () => {
  fc.assert(
    fc.property(table, (rows) => {
      expect(parseCsv(atOnce(csvOf(rows)))).toEqual(rows);
    }),
  );
});

it("reads any text, or says why not", () => {
  fc.assert(
    fc.property(cell, (text) => {
      try {
        parseCsv(text);
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
        expect((error as Failure).message).toMatch(
          /^(?:invalid CSV: line \d+: |row \d+ has \d+ cells, header has \d+$|duplicate column ")/,
        );
      }
    }),
  );
});

it("ends a cell at the end of the text", () => {
  expect(parseCsv("a,b\n1,")).toEqual([{ a: "1", b: "" }]);
  expect(parseCsv('a,b\n,""')).toEqual([{ a: "", b: "" }]);
});

it("counts lines inside quotes", () => {
  expect(() => parseCsv('a\n"1\n2"\n"3"x')).toThrow("invalid CSV: line 4: text follows a closing quote");
});

describe("a table that is far larger than its text", () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `c${i}`);

  it("is not read", () => {
    expect(parseCsv(`${names.join()}\n${"1\n".repeat(100)}`)).toHaveLength(100);
    expect(() => parseCsv(`${names.join()}\n${"1\n".repeat(101)}`)).toThrow("rows leave out 1009899 cells, the limit is 1000101");
  });

  it("is read when its text is as large", () => {
    expect(parseCsv(`${names.join()}\n${`${"1,".repeat(9_999)}1\n`.repeat(100)}${"1\n".repeat(150)}`)).toHaveLength(250);
  });

  it("is not written", () => {
    const first = Object.fromEntries(names.map((name) => [name, 1]));
    expect(() => atOnce(csvOf([first, ...Array.from({ length: 1000 }, () => ({}))]))).toThrow(
      "rows leave out 10000000 cells, the limit is 1010000",
    );
  });
});

it("shortens a long name in a message", () => {
  const name = "n".repeat(1000);
  expect(() => parseCsv(`${name},${name}`)).toThrow(`duplicate column "${"n".repeat(200)}..."`);
});
