const cache = new WeakMap<TemplateStringsArray, readonly string[]>();

/**
 * Makes a text of a template that is written below its opening backtick and indented like the code around it: all lines lose the blanks
 * that they have in common. The text ends with a line break where the closing backtick has a line of its own. Values are filled in
 * unchanged.
 */
export function dedent(strings: TemplateStringsArray, ...values: readonly string[]): string {
  const [first = "", ...rest] = partsOf(strings);
  return rest.reduce((text, part, i) => `${text}${values[i]}${part}`, first);
}

/** The parts of a template, which are computed once for each place in the code. */
function partsOf(strings: TemplateStringsArray): readonly string[] {
  const parts = cache.get(strings) ?? dedented(strings);
  cache.set(strings, parts);
  return parts;
}

function dedented(strings: readonly string[]): readonly string[] {
  const chunks = strings.map((chunk) => chunk.split("\n"));
  const shared = Math.min(...chunks.flatMap((lines, i) => lines.slice(1).map((line, j) => indentOf(line, hasValue(chunks, i, j + 1)))));
  const [first = "", ...rest] = chunks.map(([start = "", ...lines]) =>
    [start, ...lines.map((line) => line.slice(Math.min(shared, blanks(line))))].join("\n"),
  );
  return [first.slice(1), ...rest];
}

/** True when a value follows the text of the line, which then does not count as empty. */
const hasValue = (chunks: readonly (readonly string[])[], chunk: number, line: number): boolean =>
  line === (chunks[chunk]?.length ?? 0) - 1 && chunk < chunks.length - 1;

/** The indentation of a line. Empty lines, and that of the closing backtick, may have fewer blanks than the others. */
const indentOf = (line: string, isFull: boolean): number =>
  isFull || blanks(line) < line.length ? blanks(line) : Number.POSITIVE_INFINITY;

const blanks = (line: string): number => line.length - line.replace(/^ +/, "").length;
