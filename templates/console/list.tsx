import type { ComponentChildren, JSX } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A row of a list: a link, or a heading between links. */
export interface Row {
  readonly key: string;
  readonly href?: string;
  readonly content: () => ComponentChildren;
}

interface ListProps {
  readonly label: string;
  readonly rows: readonly Row[];
  /** Height of every row in pixels. */
  readonly height: number;
  /** Called when the user scrolls near the end of the list. */
  readonly more?: () => void;
}

/** Rows that are rendered above and below the view. */
const margin = 8;

/** A list of any length: only the rows in view are elements. Arrow keys, Home and End move between its links. */
export function List({ label, rows, height, more }: ListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, rows: 40 });
  const wanted = useRef<number | null>(null);
  const look = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const top = Math.floor(element.scrollTop / height);
    const count = Math.ceil(element.clientHeight / height);
    setView((before) => (before.top === top && before.rows === count ? before : { top, rows: count }));
  }, [height]);
  useLayoutEffect(() => {
    look();
    const watcher = new ResizeObserver(look);
    if (box.current !== null) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [look]);
  const first = Math.max(0, Math.min(view.top, rows.length - view.rows) - margin);
  const last = Math.min(rows.length, view.top + view.rows + margin);
  useLayoutEffect(() => {
    if (last >= rows.length - margin) more?.();
  }, [last, rows.length]);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const link = box.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] a`);
    if (link === null || link === undefined) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  });
  const moves = (event: KeyboardEvent): void => {
    const here = Number((event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row ?? -1);
    const page = Math.max(1, view.rows - 2);
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
    const step = steps[event.key];
    const ends = event.key === "Home" ? 0 : event.key === "End" ? rows.length - 1 : undefined;
    if ((step === undefined && ends === undefined) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const towards = ends === 0 || (step ?? -1) > 0 ? 1 : -1;
    let next = Math.max(0, Math.min(rows.length - 1, ends ?? here + (step ?? 0)));
    while (rows[next] !== undefined && rows[next]?.href === undefined) next += towards;
    if (rows[next] === undefined) return;
    wanted.current = next;
    const element = box.current;
    if (element === null) return;
    const [top, bottom] = [next * height, (next + 1) * height];
    if (top < element.scrollTop) element.scrollTop = top - height;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    look();
    setView((before) => ({ ...before }));
  };
  return (
    // The list takes the keys of the links inside it, and scrolls by its own where none of them has the focus.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    // biome-ignore lint/a11y/useSemanticElements: a region of a page that scrolls is no section of its own
    <div class="list" role="region" aria-label={label} tabIndex={0} ref={box} onScroll={look} onKeyDown={moves}>
      <ul style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, last).map(({ key, href, content }, i) => (
          <li
            key={key}
            data-row={first + i}
            class={href === undefined ? "heading" : "row"}
            style={{ transform: `translateY(${(first + i) * height}px)`, height: `${height}px` }}
            aria-setsize={rows.length}
            aria-posinset={first + i + 1}
          >
            {href === undefined ? content() : <a href={href}>{content()}</a>}
          </li>
        ))}
      </ul>
    </div>
  );
}
