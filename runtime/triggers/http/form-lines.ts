import { hash } from "node:crypto";

/** The disposition of a part, as RFC 2183 writes it: `form-data; name="a"; filename="a \"b\".txt"`. */
const disposition = /^content-disposition[ \t]*:[ \t]*form-data(?:[ \t]*;[ \t]*[^\s"=;]+=(?:"(?:\\.|[^"\\\r\n])*"|[^\s";]+))*[ \t]*$/gim;

/**
 * The form as Node's parser reads it, and its boundary. A delimiter ends without blanks (RFC 2046, 5.1.1), each header is one line (RFC
 * 5322, 2.2.3), and a disposition has `%22` for an escaped quote and no blank before a semicolon. The content of parts stays unchanged, and
 * so does a header line of more than 8 KiB. No content holds the new boundary, because the parser would end a part there, even in the
 * middle of a line.
 */
export function plainForm(bytes: Buffer, boundary: string): { readonly bytes: Buffer; readonly boundary: string } {
  if (!bytes.includes('\\"') && !isUnusual(bytes, `--${boundary}`)) return { bytes, boundary };
  // No body holds its own digest.
  const unique = hash("sha256", bytes);
  const literal = boundary.replace(/\W/g, "\\$&");
  const heads = new RegExp(`(?<=^|\\r\\n)--${literal}((?:--)?)[ \\t]*(?=\\r\\n|$)((?:\\r\\n[^\\r\\n]{1,8192}){0,99})`, "g");
  const text = bytes
    .toString("latin1")
    .replace(heads, (_, end: string, head: string) => `--${unique}${end}${head.replace(folds, " ").replace(disposition, withoutEscapes)}`);
  return { bytes: Buffer.from(text, "latin1"), boundary: unique };
}

/** A line break with blanks behind it: the header goes on. The break before the first header is none. */
const folds = /(?<=.)\r\n[ \t]+/g;

/** The blanks before a semicolon are read from their first one only, since each of many blanks would read all behind it. */
const withoutEscapes = (line: string): string =>
  line.replace(/(?<![ \t])[ \t]+;|"(?:\\.|[^"\\])*"/g, (part) =>
    part.endsWith(";") ? ";" : part.replace(/\\./g, (pair) => (pair === '\\"' ? "%22" : pair)),
  );

/**
 * True when a delimiter may have blanks after it or begins no line, a header may have a blank before a semicolon, or goes on in the next
 * line. Few forms do; all others need no second pass.
 */
function isUnusual(bytes: Buffer, delimiter: string): boolean {
  for (let at = bytes.indexOf(delimiter); at >= 0; ) {
    const end = at + delimiter.length;
    const next = bytes[end] === hyphen && bytes[end + 1] === hyphen ? bytes[end + 2] : bytes[end];
    if (next === blank || next === tab || (at > 0 && bytes[at - 1] !== lineFeed)) return true;
    at = bytes.indexOf(delimiter, end);
    const part = bytes.subarray(end, at < 0 ? undefined : at);
    const head = part.subarray(0, Math.max(0, part.indexOf("\r\n\r\n")));
    if (["\r\n ", "\r\n\t", " ;", "\t;"].some((sign) => head.includes(sign))) return true;
  }
  return false;
}

const [tab, lineFeed, blank, hyphen] = [0x09, 0x0a, 0x20, 0x2d];
