import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { paintYaml } from "../console/source.tsx";
import type { Files, Shown } from "./compiled.ts";

/** A spot in a file, as a range of offsets or as a line. */
export type Spot = { readonly start: number; readonly end: number } | { readonly line: number };

/**
 * A spot of the open file that was chosen elsewhere on the page; each choice makes a new object, so that choosing a spot twice moves the
 * view twice.
 */
export interface Place {
  readonly spot: Spot;
}

interface EditorProps {
  readonly files: Files;
  readonly open: string;
  readonly place: Place | undefined;
  readonly diagnostics: readonly Shown[];
  readonly write: (text: string) => void;
  readonly choose: (name: string) => void;
}

/** The largest number of characters that are coloured while the user types; colouring a longer text would be too slow. */
const mostPainted = 60_000;

/** The YAML: a plain text area, with its colours and the numbers of its lines behind it. */
export function Editor({ files, open, place, diagnostics, write, choose }: EditorProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const behind = useRef<HTMLDivElement>(null);
  const text = files.find(([name]) => name === open)?.[1] ?? "";
  useEffect(() => {
    if (place === undefined || area.current === null) return;
    const { spot } = place;
    const { start, end } = "line" in spot ? lineAt(text, spot.line) : spot;
    area.current.focus();
    area.current.setSelectionRange(start, end);
    const line = text.slice(0, start).split("\n").length;
    const height = Number.parseFloat(getComputedStyle(area.current).lineHeight);
    area.current.scrollTop = Math.max(0, (line - 6) * height);
  }, [place]);
  const follow = (): void => {
    if (area.current === null || behind.current === null) return;
    behind.current.scrollTop = area.current.scrollTop;
    behind.current.scrollLeft = area.current.scrollLeft;
  };
  return (
    <section class="editor" aria-label="Configuration">
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that choose a file are no fields */}
      <div class="files" role="group" aria-label="Files">
        {files.map(([name]) => (
          <button key={name} type="button" aria-pressed={name === open} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
      </div>
      <div class="paper">
        <div class="behind" ref={behind} aria-hidden="true">
          <Painted text={text} marks={marksOf(diagnostics, open)} />
        </div>
        <textarea
          id="yaml"
          ref={area}
          aria-label={`YAML of ${open}`}
          aria-describedby="summary"
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          wrap="off"
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
          onKeyDown={(event) => indent(event, write)}
          onScroll={follow}
        />
      </div>
    </section>
  );
}

interface PaintedProps {
  readonly text: string;
  readonly marks: ReadonlyMap<number, Shown["severity"]>;
}

function Painted({ text, marks }: PaintedProps): JSX.Element {
  const lines = useMemo(() => {
    const paint = text.length <= mostPainted ? paintYaml : (line: string) => [["", line] as const];
    return text.split("\n").map(paint);
  }, [text]);
  return (
    <>
      {lines.map((pieces, i) => (
        <div key={i} class={marks.get(i + 1) ?? ""}>
          <span class="number">{i + 1}</span>
          {pieces.map(([kind, part], n) => (
            <span key={n} class={kind}>
              {part}
            </span>
          ))}
        </div>
      ))}
    </>
  );
}

/** The worst finding of each line. */
function marksOf(diagnostics: readonly Shown[], open: string): PaintedProps["marks"] {
  const marks = new Map<number, Shown["severity"]>();
  for (const { file, line, severity } of diagnostics) {
    if (file === open && marks.get(line) !== "error") marks.set(line, severity);
  }
  return marks;
}

/** Enter keeps the indentation. Tab moves to the next control, as everywhere on the web. */
function indent(event: TargetedKeyboardEvent<HTMLTextAreaElement>, write: (text: string) => void): void {
  const area = event.currentTarget;
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
  const { value, selectionStart: start, selectionEnd: end } = area;
  const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
  const blanks = /^ */.exec(line)?.[0] ?? "";
  event.preventDefault();
  area.setRangeText(`\n${blanks}${line.endsWith(":") ? "  " : ""}`, start, end, "end");
  write(area.value);
}

function lineAt(text: string, line: number): { readonly start: number; readonly end: number } {
  let start = 0;
  for (let n = 1; n < line; n++) start = text.indexOf("\n", start) + 1 || start;
  const end = text.indexOf("\n", start);
  return { start, end: end < 0 ? text.length : end };
}
