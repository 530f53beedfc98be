/** A part of a form, as RFC 2183 writes its disposition: `form-data; name="a"; filename="a \"b\".txt"`. */
const disposition = /^content-disposition[ \t]*:[ \t]*form-data(?:[ \t]*;[ \t]*[^\s"=;]+=(?:"(?:\\.|[^"\\])*"|[^\s";]+))*[ \t]*$/is;

/** Bytes of a line of a header that is rewritten. */
const longest = 8_192;

const [tab, feed, carriage, blank, dash] = [9, 10, 13, 32, 45] as const;

/**
 * A form as Node's parser takes it: without the blanks that may end a delimiter (RFC 2046, 5.1.1), and with `%22` for a quote that is
 * escaped in a disposition. The content of parts stays as it is.
 */
export function plainForm(bytes: Buffer, delimiter: string): Buffer {
  const out: Buffer[] = [];
  let done = 0;
  const put = (from: number, to: number, text: string): void => {
    out.push(bytes.subarray(done, from), Buffer.from(text, "latin1"));
    done = to;
  };
  const isLineEnd = (at: number): boolean => bytes[at] === carriage && bytes[at + 1] === feed;
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at)) {
    const begins = at === 0 || isLineEnd(at - 2);
    at += delimiter.length;
    if (!begins) continue;
    const isLast = bytes[at] === dash && bytes[at + 1] === dash;
    if (isLast) at += 2;
    let end = at;
    while (bytes[end] === blank || bytes[end] === tab) end += 1;
    if (!isLineEnd(end) && !(isLast && end === bytes.length)) continue;
    if (end > at) put(at, end, "");
    if (isLast) break;
    at = end + 2;
    for (let next = bytes.indexOf("\r\n", at); next > at; next = bytes.indexOf("\r\n", at)) {
      const line = next - at > longest ? "" : bytes.toString("latin1", at, next);
      if (line.includes('\\"') && disposition.test(line)) put(at, next, withoutEscapes(line));
      at = next + 2;
    }
  }
  return done === 0 ? bytes : Buffer.concat([...out, bytes.subarray(done)]);
}

const withoutEscapes = (line: string): string => line.replace(/\\./g, (pair) => (pair === '\\"' ? "%22" : pair));
