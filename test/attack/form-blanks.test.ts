import { expect, test } from "vitest";
import { plainForm } from "#runtime/triggers/http/form-lines.ts";

// A form may have many long lines of blanks in its headers: each of them is read once, not once for each of its blanks. Otherwise the
// lines of this form would take minutes, and the test its time.

test("blanks at the end of a disposition are read once", () => {
  const line = `content-disposition: form-data${" ".repeat(8_150)}`;
  const head = `--b\r\nContent-Disposition: form-data; name="a" ; filename="b"`;
  const part = `${[head, ...Array.from({ length: 98 }, () => line)].join("\r\n")}\r\n\r\nx\r\n`;
  const { bytes, boundary } = plainForm(Buffer.from(part.repeat(20)), "b");
  expect(bytes.toString().replaceAll(boundary, "b")).toBe(part.replace('"a" ;', '"a";').repeat(20));
});
