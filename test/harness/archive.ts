import { crc32, deflateRawSync } from "node:zlib";

/** A part of a ZIP archive. The directory of the archive may give a false size for it. */
export interface Part {
  readonly name: string;
  readonly text: string | Buffer;
  /** The unpacked size that the directory claims. */
  readonly claims?: number;
}

/** A ZIP archive with these parts in this order. */
export function archive(parts: readonly Part[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text, claims } of parts) {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claims ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), fields, place, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** The parts of a workbook with one sheet, `S`, that holds this text of rows. */
export const workbookParts = (rows: string): readonly Part[] => [
  {
    name: "[Content_Types].xml",
    text: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
  },
  {
    name: "xl/workbook.xml",
    text: `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
  },
  {
    name: "xl/_rels/workbook.xml.rels",
    text: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  },
  { name: "xl/worksheets/sheet1.xml", text: `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>` },
];

/** A workbook of OpenDocument with one table, `S`. */
export const odsParts = (rows: string): readonly Part[] => [
  { name: "mimetype", text: "application/vnd.oasis.opendocument.spreadsheet" },
  { name: "META-INF/manifest.xml", text: "<manifest:manifest/>" },
  { name: "styles.xml", text: "<office:document-styles/>" },
  {
    name: "content.xml",
    text: `<office:document-content><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
  },
];
