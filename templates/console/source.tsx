import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { InterfaceFacts } from "./api.ts";
import type { Covered } from "./dev-api.ts";
import { shown } from "./text.ts";

/** The largest number of lines that a side shows, which is enough for one interface. */
const mostLines = 3_000;

interface SourceProps {
  readonly facts: InterfaceFacts;
  /** The selected line of the YAML; 0 when there is none. */
  readonly current: number;
  readonly choose: (line: number) => void;
  /** Coverage of the lines by tests. */
  readonly covered?: Covered["lines"];
}

/** The YAML beside its printed module. Choosing a line on one side highlights the matching lines on the other. */
export function Source({ facts, current, choose, covered = [] }: SourceProps): JSX.Element {
  const { yaml, code } = facts;
  const states = new Map(covered.map((each) => [each.line, each]));
  const notes = new Map(facts.diagnostics.map((each) => [each.line, each]));
  return (
    <div class="sides">
      <Side
        label="YAML"
        from={yaml.first}
        lines={yaml.lines.map((text, i) => ({
          text,
          line: yaml.first + i,
          note: notes.get(yaml.first + i)?.message,
          tested: states.get(yaml.first + i),
        }))}
        {...{ current, choose, paint: paintYaml }}
      />
      {code.length === 0 ? (
        <p class="quiet">The module is not shown, because it holds a secret that stands in the YAML as text.</p>
      ) : (
        <Side label="Printed module" from={1} lines={code} {...{ current, choose, paint: paintCode }} />
      )}
    </div>
  );
}

interface SideLine {
  readonly text: string;
  readonly line: number;
  readonly note?: string | undefined;
  readonly tested?: Covered["lines"][number] | undefined;
}

interface SideProps {
  readonly label: string;
  /** Number of the first line. */
  readonly from: number;
  readonly lines: readonly SideLine[];
  readonly current: number;
  readonly choose: (line: number) => void;
  readonly paint: (text: string) => readonly Piece[];
}

function Side({ label, from, lines, current, choose, paint }: SideProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isOwn = useRef(false);
  const kept = lines.slice(0, mostLines);
  const id = label.replace(/\W/g, "");
  useEffect(() => {
    // Only the other side scrolls: the side in which the user chose the line stays still.
    const element = box.current;
    const line = element?.querySelector<HTMLElement>(".current");
    if (!isOwn.current && element !== null && line !== null && line !== undefined)
      element.scrollTop = line.offsetTop - element.clientHeight / 3;
    isOwn.current = false;
  }, [current]);
  const pick = (line: number): void => {
    isOwn.current = true;
    choose(line);
  };
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const places = kept.map(({ line }) => line);
    const here = step > 0 ? places.lastIndexOf(current) : places.indexOf(current);
    const next = kept[here < 0 ? 0 : Math.max(0, Math.min(kept.length - 1, here + step))];
    if (next !== undefined) choose(next.line);
  };
  const chosen = kept.findIndex(({ line }) => line === current);
  return (
    <section class="side">
      <h3 id={`head-${id}`}>{label}</h3>
      <div
        class="lines"
        role="listbox"
        tabIndex={0}
        ref={box}
        aria-labelledby={`head-${id}`}
        onKeyDown={keys}
        {...(chosen < 0 ? {} : { "aria-activedescendant": `${id}-${chosen}` })}
      >
        {kept.map((each, i) => (
          // The keys of the list choose its lines.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list box listens to the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list box has the focus
          <div
            key={i}
            id={`${id}-${i}`}
            role="option"
            aria-selected={each.line === current}
            class={classOf(each, current)}
            onClick={() => pick(each.line)}
          >
            <span class="number">{from + i}</span>
            <Code of={each} paint={paint} />
          </div>
        ))}
      </div>
    </section>
  );
}

const classOf = ({ line, note, tested }: SideLine, current: number): string =>
  [line === current ? "current" : "", note === undefined ? "" : "noted", tested === undefined ? "" : `covered-${tested.state}`]
    .join(" ")
    .trim();

const Code = ({ of: { text, note, tested }, paint }: { readonly of: SideLine } & Pick<SideProps, "paint">): JSX.Element => (
  <code>
    {paint(text).map(([kind, part], n) => (
      <span key={n} class={kind}>
        {shown(part)}
      </span>
    ))}
    {note === undefined ? null : <em class="note">{shown(note)}</em>}
    {tested === undefined || tested.missing.length === 0 ? null : <span class="uncovered">{tested.missing.join(", ")}</span>}
  </code>
);

/** A part of a line, and the class of its colour. */
export type Piece = readonly [kind: string, text: string];

function pieces(text: string, pattern: RegExp, kindOf: (match: RegExpExecArray) => string): readonly Piece[] {
  const found: Piece[] = [];
  let at = 0;
  const cutText = text.slice(0, 2_000);
  for (const match of cutText.matchAll(pattern)) {
    if (match.index > at) found.push(["", cutText.slice(at, match.index)]);
    found.push([kindOf(match), match[0]]);
    at = match.index + match[0].length;
  }
  if (at < cutText.length) found.push(["", cutText.slice(at)]);
  return found;
}

const yamlParts =
  /(#.*$)|((?:^|(?<=[{,] ?|- |^\s+))[\w./-]+(?=:(?:\s|$)))|(a\|[^|]*\|)|("[^"]*"|'[^']*')|(\b(?:true|false|null|\d+(?:\.\d+)?)\b)/g;
export const paintYaml = (text: string): readonly Piece[] =>
  pieces(text, yamlParts, ([, comment, key, marker, string]) =>
    comment !== undefined
      ? "comment"
      : key !== undefined
        ? "key"
        : marker !== undefined
          ? "marker"
          : string !== undefined
            ? "string"
            : "literal",
  );

const codeParts =
  /(\/\/.*$|\/\*.*?\*\/)|("[^"]*"|`[^`]*`)|(\b(?:const|export|async|await|return|if|new|import|from|as|function|for|of|let)\b)|(\bpw\.\w+)|(\b(?:true|false|null|undefined|\d+(?:\.\d+)?)\b)/g;
export const paintCode = (text: string): readonly Piece[] =>
  pieces(text, codeParts, ([, comment, string, word, call]) =>
    comment !== undefined
      ? "comment"
      : string !== undefined
        ? "string"
        : word !== undefined
          ? "word"
          : call !== undefined
            ? "key"
            : "literal",
  );
