import { CST, Lexer } from "yaml";
import { ignored } from "./codes/file.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { lineTable } from "./position.ts";

/** A comment `# pipewright-ignore PW331 reason`, with the line whose warnings of that code it silences. */
export interface Silence {
  readonly code: string;
  readonly line: number;
  /** The place of the comment. */
  readonly start: number;
  readonly end: number;
}

const form = /^#\s*pipewright-ignore\s+(PW\d{3})\b/;

/**
 * The diagnostics without warnings and notes that a comment silences. A comment at the end of a line applies to that line. A comment on its
 * own line applies to the next line that has more than a comment. A comment that silences nothing gets a warning itself. Errors are never
 * silenced.
 */
export function silenced(diagnostics: readonly Diagnostic[], texts: ReadonlyMap<string, string>): readonly Diagnostic[] {
  const files = new Map(
    [...texts].filter(([, text]) => text.includes("pipewright-ignore")).map(([file, text]) => [file, silencesIn(text)]),
  );
  if (files.size === 0) return diagnostics;
  const tables = new Map([...files.keys()].map((file) => [file, lineTable(texts.get(file) ?? "")]));
  const effective = new Set<Silence>();
  const left = diagnostics.filter(({ severity, code, at }) => {
    const line = tables.get(at.file)?.at(at.start).line;
    const matches = files.get(at.file)?.filter((each) => each.code === code && each.line === line) ?? [];
    if (severity === "error" || matches.length === 0) return true;
    for (const silence of matches) effective.add(silence);
    return false;
  });
  // A file with errors was not analysed completely, so its comments may only seem unused.
  const broken = new Set(diagnostics.flatMap(({ severity, at }) => (severity === "error" ? [at.file] : [])));
  const whole = [...files].filter(([file]) => !broken.has(file));
  const idle = whole.flatMap(([file, silences]) =>
    silences.filter((each) => !effective.has(each)).map(({ code, start, end }) => ({ ...ignored.nothing(code), at: { file, start, end } })),
  );
  return [...left, ...idle];
}

/** The comments of a text that silence warnings, each with the line to which it applies. */
export function silencesIn(text: string): readonly Silence[] {
  const lines = lineTable(text);
  const comments = commentsIn(text).map((comment) => ({ ...comment, ...lines.at(comment.start) }));
  const alone = new Set(
    comments
      .filter(
        ({ line, column }) =>
          lines
            .line(line)
            .slice(0, column - 1)
            .trim() === "",
      )
      .map(({ line }) => line),
  );
  const holdsCode = (line: number): boolean => !alone.has(line) && lines.line(line).trim() !== "";
  return comments.flatMap(({ line: own, start, end }) => {
    const code = form.exec(text.slice(start, end))?.[1];
    if (code === undefined) return [];
    let line = own;
    while (line < lines.count && !holdsCode(line)) line += 1;
    return [{ code, line, start, end }];
  });
}

/** Places of the comments of a YAML text. The lexer marks documents, flows and scalars with characters that are not in the text. */
function commentsIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  const comments: { start: number; end: number }[] = [];
  let offset = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    const type = isScalar ? "scalar" : CST.tokenType(lexeme);
    if (!isScalar && (lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END || lexeme === CST.SCALAR)) {
      isScalar = lexeme === CST.SCALAR;
      continue;
    }
    isScalar = false;
    if (type === "comment") comments.push({ start: offset, end: offset + lexeme.length });
    offset += lexeme.length;
  }
  return comments;
}
