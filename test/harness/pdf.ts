import { constants, deflateRawSync } from "node:zlib";

/** A PDF whose pages have these lines of text; each call of the result makes new bytes, because the reader transfers them to its thread. */
export function pdf(pages: readonly (readonly string[])[]): () => Uint8Array<ArrayBuffer> {
  return document(pages.map((lines) => stream(`BT /F 9 Tf 9 50 Td ${lines.map((line) => `(${line}) Tj`).join(" 0 -20 Td ")} ET`)));
}

/** A PDF with one page of blanks of this size in MiB, compressed to about a thousandth. */
export function pdfBomb(mebibytes: number): () => Uint8Array<ArrayBuffer> {
  const block = deflateRawSync(Buffer.alloc(1 << 20, " "), { finishFlush: constants.Z_FULL_FLUSH }).toString("latin1");
  return document([stream(`x\x9c${block.repeat(mebibytes)}\x03\0`, "/Filter/FlateDecode")]);
}

const stream = (content: string, more = ""): string => `<</Length ${content.length}${more}>>stream\n${content}\nendstream`;

/** A document whose pages have these contents; each character is a byte. */
function document(contents: readonly string[]): () => Uint8Array<ArrayBuffer> {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${contents.map((_, i) => `${4 + 2 * i} 0 R`).join(" ")}]/Count ${contents.length}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...contents.flatMap((content, i) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents ${5 + 2 * i} 0 R/Resources<</Font<</F 3 0 R>>>>>>`,
      content,
    ]),
  ];
  const places: number[] = [];
  let text = "%PDF-1.4\n";
  for (const [i, object] of objects.entries()) {
    places.push(text.length);
    text += `${i + 1} 0 obj${object}endobj\n`;
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const whole = `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
  return () => new Uint8Array(Buffer.from(whole, "latin1"));
}
