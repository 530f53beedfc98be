import * as xlsx from "@e965/xlsx";
import { afterAll, describe, expect, test } from "vitest";
import { compress, prepare as prepareCompress } from "#runtime/features/transforms/compress.ts";
import { parse_pdf, prepare as preparePdf } from "#runtime/features/transforms/parse_pdf.ts";
import { parse_xlsx, prepare as prepareXlsx } from "#runtime/features/transforms/parse_xlsx.ts";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import { pdfText } from "#runtime/threads/kinds/pdf.ts";
import { type WorkbookRequest, workbookRows } from "#runtime/threads/kinds/workbook.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { archive, odsParts, type Part, workbookParts } from "../../harness/archive.ts";
import { pdf, pdfBomb } from "../../harness/pdf.ts";
import { processorMs } from "../../laws/block/yardstick.ts";

// Spreadsheets and PDFs come from strangers.

const hosts: Host[] = [];
afterAll(async () => {
  for (const host of hosts) await host.close();
});

/** An act whose run has this host: of both, these transforms read no more. */
function actOf(options: HostOptions = {}, signal = new AbortController().signal): Act {
  const host = createHost({ env: {}, ...options });
  hosts.push(host);
  return { run: { host }, signal } as Act;
}

const rowsIn = (bytes: Uint8Array, options: Partial<WorkbookRequest> = {}): Json =>
  JSON.parse(workbookRows({ bytes, sheet: null, headers: false, limit: 10_000, unpacked: 1 << 24, ...options }));
const cell = (ref: string, value: number): string => `<c r="${ref}"><v>${value}</v></c>`;
const withRows = (rows: string): Buffer => archive(workbookParts(rows));
const one = withRows(`<row r="1">${cell("A1", 1)}</row>`);
const readOne = prepareXlsx({ value: "", key: "rows", headers: false });

/** A file as .xls is one, with one stream. */
function compoundFile(name: string, content: string): Buffer {
  const file = xlsx.CFB.utils.cfb_new();
  xlsx.CFB.utils.cfb_add(file, `/${name}`, Buffer.from(content));
  return Buffer.from(xlsx.CFB.write(file, { type: "buffer" }) as Buffer);
}

describe("workbooks", () => {
  const values = [
    ["text", "number", "flag", "date", "sum"],
    ["a", 1.5, true, new Date(Date.UTC(2024, 0, 2, 12)), null],
    ["b", -2, false, null, null],
  ];
  const sheet = xlsx.utils.aoa_to_sheet(values, { UTC: true });
  sheet.E2 = { t: "n", v: 3, f: "1+2" };
  sheet["!ref"] = "A1:E3";
  const book = xlsx.utils.book_new(sheet, "S");
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([["other"]]), "T");

  test.each(["xlsx", "xls", "ods"] as const)("in .%s read alike", (bookType) => {
    const bytes = new Uint8Array(xlsx.write(book, { type: "buffer", bookType, compression: true }));
    expect(rowsIn(bytes)).toEqual([
      ["text", "number", "flag", "date", "sum"],
      ["a", 1.5, true, 45293.5, 3],
      ["b", -2, false, null, null],
    ]);
    expect(rowsIn(bytes, { sheet: "T" })).toEqual([["other"]]);
    expect(() => rowsIn(bytes, { sheet: "U" })).toThrow('no sheet named "U"; sheets: S, T');
  });

  test.each(["csv", "html", "xlsb", "fods", "xlml", "sylk", "dbf", "rtf", "txt"] as const)("in .%s are none", (bookType) => {
    const bytes = new Uint8Array(Buffer.from(xlsx.write(book, { type: "buffer", bookType })));
    expect(() => rowsIn(bytes)).toThrow(new Failure("transform", "not a workbook"));
  });

  const compound = (version: number): Buffer => {
    const bytes = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(504)]);
    bytes.writeUInt16LE(version, 26);
    return bytes;
  };

  test.each<[what: string, bytes: Buffer]>([
    ["are cut", compound(3).subarray(0, 30)],
    ["are empty", compound(3)],
    // The library would take the rest for an archive, and unpack it without bounds.
    ["are of no known version", compound(0)],
    ["hold no sheet", compoundFile("Workbook", "hello")],
    ["hold something else", compoundFile("WordDocument", "hello")],
  ])("that %s are none", (_, bytes) => {
    expect(() => rowsIn(bytes)).toThrow(new Failure("transform", "not a workbook"));
  });

  test("hold no numbers that JSON has not", () => {
    expect(rowsIn(withRows(`<row r="1">${cell("A1", Number.NaN)}${cell("B1", 1)}<c r="C1"><v>1e999</v></c></row>`))).toEqual([
      [null, 1, null],
    ]);
  });
});

describe("archives", () => {
  const big = (size: number): Part => ({ name: "xl/media/image.png", text: Buffer.alloc(size) });

  test("that would unpack to too much are refused before anything is unpacked", () => {
    const parts = [...workbookParts(""), big(1 << 20)];
    expect(() => rowsIn(archive(parts), { unpacked: 1 << 20 })).toThrow("output is over the limit of 1048576 bytes");
    expect(rowsIn(archive(parts), { unpacked: 1 << 21 })).toEqual([]);
    const bomb = archive([...workbookParts(""), ...Array.from({ length: 40 }, (_, i) => ({ ...big(1 << 24), name: `${i}.xml` }))]);
    expect(bomb.length).toBeLessThan(1 << 20);
    const ms = processorMs(() => expect(() => rowsIn(bomb, { unpacked: 1 << 28 })).toThrow("output is over the limit"));
    expect(ms).toBeLessThan(500);
  });

  test("that lie about their size, too", () => {
    const [types, workbook, links, sheet] = workbookParts(cell("A1", 1).repeat(1000));
    if (types === undefined || workbook === undefined || links === undefined || sheet === undefined) throw new Error("a part is missing");
    expect(() => rowsIn(archive([types, workbook, links, { ...sheet, claims: 10 }]))).toThrow("not a workbook");
  });

  test.each<[what: string, bytes: Buffer]>([
    ["have too many parts", archive([...workbookParts(""), ...Array.from({ length: 1000 }, (_, i) => ({ name: `${i}`, text: "" }))])],
    ["have two parts of one name", archive([...workbookParts(""), ...workbookParts("")])],
    ["hold something else", archive([{ name: "word/document.xml", text: "<a/>" }])],
    ["are cut", one.subarray(0, one.length - 30)],
    ["have no parts where the directory says", Buffer.concat([one.subarray(0, 4), Buffer.from("xx"), one.subarray(4)])],
  ])("that %s are no workbooks", (_, bytes) => {
    expect(() => rowsIn(bytes)).toThrow(new Failure("transform", "not a workbook"));
  });

  test("with any byte changed give rows or a failure, and change no prototype", () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    for (let at = 0; at < one.length; at++) {
      for (const bit of [0x01, 0x80]) {
        const changed = Buffer.from(one);
        changed[at] = (changed[at] ?? 0) ^ bit;
        try {
          expect(Array.isArray(rowsIn(changed))).toBe(true);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
        }
      }
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  test("with entities, external links and macros are only data", () => {
    const [types, workbook, links, sheet] = workbookParts("");
    if (types === undefined || workbook === undefined || links === undefined || sheet === undefined) throw new Error("a part is missing");
    const text = `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${sheet.text}`.replace(
      "<sheetData>",
      '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>&a;</t></is></c></row>',
    );
    expect(rowsIn(archive([types, workbook, links, { ...sheet, text }]))).toEqual([["&a;"]]);
  });
});

describe("sheets", () => {
  test.each([
    ["a cell far to the right", `<row r="1">${cell("A1", 1)}${cell("ZZZZ1", 1)}</row>`],
    ["a cell far down", `<row r="99999999">${cell("A99999999", 1)}</row>`],
  ])("with %s are no workbooks", (_, rows) => {
    expect(() => rowsIn(withRows(rows))).toThrow(new Failure("transform", "not a workbook"));
  });

  test("as large as they say are not made", () => {
    const [types, workbook, links, sheet] = workbookParts(`<row r="1">${cell("A1", 1)}</row>`);
    if (types === undefined || workbook === undefined || links === undefined || sheet === undefined) throw new Error("a part is missing");
    const text = String(sheet.text).replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>');
    expect(rowsIn(archive([types, workbook, links, { ...sheet, text }]))).toEqual([[1]]);
  });

  test("with too many places are refused", () => {
    const rows = Array.from({ length: 100 }, (_, i) => `<row r="${i + 1}">${cell(`A${i + 1}`, 1)}${cell(`XFD${i + 1}`, 1)}</row>`);
    expect(() => rowsIn(withRows(rows.join("")))).toThrow("output is over the limit of 1000000 cells");
  });

  test("whose rows are too long as JSON are refused", () => {
    const rows = `<row r="1"><c r="A1" t="inlineStr"><is><t>${"x".repeat(5000)}</t></is></c></row>`;
    expect(() => rowsIn(withRows(rows), { unpacked: 6000 })).not.toThrow();
    const shared = Array.from({ length: 4 }, (_, i) => `<row r="${i + 1}"><c r="A${i + 1}" t="s"><v>0</v></c></row>`).join("");
    const strings = `<sst><si><t>${"x".repeat(3000)}</t></si></sst>`;
    const [types, workbook, links, sheet] = workbookParts(shared);
    if (types === undefined || workbook === undefined || links === undefined || sheet === undefined) throw new Error("a part is missing");
    const withStrings = String(types.text).replace(
      "</Types>",
      '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
    );
    const bytes = archive([{ ...types, text: withStrings }, workbook, links, sheet, { name: "xl/sharedStrings.xml", text: strings }]);
    expect(() => rowsIn(bytes, { unpacked: 6000 })).toThrow("output is over the limit of 6000 bytes");
  });

  test("that grow beyond the memory of their thread end that thread, not the process", async () => {
    const cell =
      '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"><text:p>1</text:p></table:table-cell>';
    const row = `<table:table-row table:number-rows-repeated="1048576">${cell}</table:table-row>`;
    const text = archive(odsParts(row)).toString("base64");
    const act = actOf();
    await expect(parse_xlsx(text, readOne, act)).rejects.toThrow(
      /^(?:took longer than 10 s|needed more than 256 MiB of memory|output is over the limit)/,
    );
    expect(await parse_xlsx(one.toString("base64"), readOne, act)).toEqual({ rows: [[1]] });
  });
});

describe("PDFs", () => {
  const text = pdf([["Hello"], ["two"]]);

  test("with more text than documents may have bytes are refused", async () => {
    expect(await pdfText({ bytes: text(), longest: 100 })).toBe("Hello\ftwo");
    await expect(pdfText({ bytes: text(), longest: 8 })).rejects.toThrow("output is over the limit of 8 bytes");
  });

  test("cut anywhere give text or a failure", async () => {
    for (let length = 0; length < text().length; length += 7) {
      const read = pdfText({ bytes: text().slice(0, length), longest: 100 });
      await expect(read.catch((error: unknown) => (error instanceof Failure ? error.message : error))).resolves.toEqual(expect.any(String));
    }
  });

  test("have the pages that they have, not those that they say", async () => {
    const bytes = new Uint8Array(Buffer.from(Buffer.from(text()).toString("latin1").replace("/Count 2", "/Count 999999999"), "latin1"));
    expect(await pdfText({ bytes, longest: 100 })).toBe("Hello\ftwo");
  });

  test("that grow beyond the memory of their thread end that thread, not the process", async () => {
    const act = actOf();
    const ready = preparePdf({ value: "", key: "t" });
    const read = (bytes: Uint8Array) => parse_pdf(Buffer.from(bytes).toString("base64"), ready, act);
    let most = 0;
    const before = process.memoryUsage.rss();
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 10);
    await expect(read(pdfBomb(2000)())).rejects.toThrow("needed more than 256 MiB of memory");
    clearInterval(timer);
    // Its buffers and its heap, and what it took up between two looks.
    expect(most - before).toBeLessThan(1 << 30);
    expect(await read(pdf([["Hello"]])())).toEqual({ t: "Hello" });
  });
});

describe("the organisation", () => {
  test("bounds the size of documents", async () => {
    const act = actOf({ limits: { maxDocumentBytes: 4 } });
    await expect(parse_xlsx("aGVsbG8=", readOne, act)).rejects.toThrow("document is 5 bytes, the limit is 4");
    await expect(parse_pdf("aGVsbG8=", preparePdf({ value: "", key: "t" }), act)).rejects.toThrow("document is 5 bytes, the limit is 4");
  });

  test("may do without documents, or without compression", async () => {
    const none = actOf({ entitlements: [] });
    await expect(parse_xlsx("aGVsbG8=", readOne, none)).rejects.toThrow("documents is not enabled for this organisation");
    await expect(parse_pdf("aGVsbG8=", preparePdf({ value: "", key: "t" }), none)).rejects.toThrow(
      "documents is not enabled for this organisation",
    );
    await expect(compress("x", prepareCompress({ value: "", key: "z" }), none)).rejects.toThrow(
      "compression is not enabled for this organisation",
    );
    expect(await compress("x", prepareCompress({ value: "", key: "z" }), actOf({ entitlements: ["compression"] }))).toEqual({
      z: expect.any(String),
    });
  });
});

test("an action that times out ends the reading", async () => {
  const abort = new AbortController();
  const act = actOf({}, abort.signal);
  const reading = parse_xlsx(one.toString("base64"), readOne, act);
  abort.abort(new Failure("timeout", "timed out after 1ms"));
  await expect(reading).rejects.toThrow("timed out after 1ms");
});
