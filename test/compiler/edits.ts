import fc from "fast-check";
import { entriesOf, get } from "../../compiler/1-read/document.ts";
import { read } from "../../compiler/1-read/index.ts";

// Edits of the files of a project, as an author makes them, one after the other.

export interface Edit {
  readonly kind: "type" | "double" | "remove" | "swap" | "undo" | "leave" | "come";
  readonly file: number;
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

const pieces = [
  ...["a|", "|", "::", "->", "a|body::", "a|body::id|", "- ", ": ", "\n", "\r\n", "{", "[", '"', "&a ", "*a", "<<: *a\n", "#", "---\n"],
  ...["# a line\n", "\n\n", "x: 1\n", "a|template::t|", "input: a|previous|", "😀", "global:\n  variables: { a: a|secret::b| }\n"],
  ...["on_error: { interface: a }\n", "# pipewright-ignore PW331\n", "name: other\n", "1", "2"],
];

const part = fc.double({ min: 0, max: 0.999, noNaN: true });

export const editsOf = (kinds: readonly Edit["kind"][], most: number): fc.Arbitrary<Edit[]> =>
  fc.array(
    fc.record<Edit>({
      kind: fc.constantFrom(...kinds),
      file: part,
      at: part,
      length: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 })),
      text: fc.constantFrom("", ...pieces),
    }),
    { minLength: 1, maxLength: most },
  );

/** The texts of the interfaces of a file, each with its key and what follows up to the next. */
function interfacesOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  const spans = entriesOf(get(read(text, "a.yaml", () => undefined)?.root, "interfaces")).map(
    ({ keySpan, value }) => [keySpan, value.span] as const,
  );
  return spans.map(([{ start }, { end }], i) => ({ start, end: spans[i + 1]?.[0].start ?? end }));
}

/** The text after an edit in it: something is typed at a place, or an interface is doubled, removed or put in front. */
export function edited(text: string, { kind, at, length, text: typed }: Edit): string {
  const all = interfacesOf(text);
  const chosen = all[Math.floor(at * all.length)];
  if (kind === "type" || chosen === undefined) {
    const place = Math.floor(at * (text.length + 1));
    return text.slice(0, place) + typed + text.slice(place + length);
  }
  const own = text.slice(chosen.start, chosen.end);
  if (kind === "remove") return text.slice(0, chosen.start) + text.slice(chosen.end);
  if (kind === "double") return `${text.slice(0, chosen.start)}copy_of_${own}${text.slice(chosen.start)}`;
  const [first] = all;
  if (first === undefined || first === chosen) return text;
  return text.slice(0, first.start) + own + text.slice(first.start, chosen.start) + text.slice(chosen.end);
}
