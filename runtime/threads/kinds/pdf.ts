import { getDocumentProxy } from "unpdf";
import { Failure } from "../../value/failure.ts";
import { answer } from "../worker-port.ts";

export interface PdfRequest {
  readonly bytes: Uint8Array;
  /** Most characters of the text. */
  readonly longest: number;
}

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

/** The text of all pages, lines with a line feed between them, pages with a form feed. Images have none. */
export async function pdfText({ bytes, longest }: PdfRequest): Promise<string> {
  const document = await open(bytes);
  try {
    const pages: string[] = [];
    let length = 0;
    for (let number = 1; number <= document.numPages; number++) {
      const text = await pageText(document, number);
      length += text.length + 1;
      if (length > longest) throw new Failure("transform", `output is over the limit of ${longest} bytes`);
      pages.push(text);
    }
    return pages.join("\f");
  } finally {
    await document.loadingTask.destroy();
  }
}

/** Nothing of the document runs and nothing outside of it is read: no scripts, forms or fonts of the system. */
async function open(bytes: Uint8Array): Promise<Document> {
  // Readers look for the mark in the first kilobyte. The library would take anything with an object in it.
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.length)).includes("%PDF-")) throw notPdf();
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true, useSystemFonts: false, useWasm: false, enableXfa: false });
  } catch (error) {
    throw error instanceof Error && error.name === "PasswordException" ? new Failure("transform", "document is encrypted") : notPdf();
  }
}

async function pageText(document: Document, number: number): Promise<string> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    return text.endsWith("\n") ? text.slice(0, -1) : text;
  } catch {
    throw notPdf();
  }
}

const notPdf = (): Failure => new Failure("transform", "not a PDF");

answer(pdfText);
