import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Figure, Refused } from "./api.ts";
import { line, milliseconds, plural, valueText } from "./text.ts";

/** Small components that many pages use. */

export const Problem = ({ of }: { readonly of: Refused | undefined }): JSX.Element | null =>
  of === undefined ? null : (
    <p class="problem" role="alert">
      {line(of.message)}
    </p>
  );

/** An HTTP status, coloured by its class. */
export const Status = ({ of }: { readonly of: number }): JSX.Element => <span class={`status s${Math.floor(of / 100)}`}>{of}</span>;

/** A value as JSON. A long value is cut, and a note says how much is missing. */
export function Value({ label, of }: { readonly label: string; readonly of: unknown }): JSX.Element {
  const { text, left } = valueText(of);
  return (
    <figure class="value">
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre tabIndex={0}>{text}</pre>
      {left === 0 ? null : <p class="quiet">{plural(left, "more character")} are not shown.</p>}
    </figure>
  );
}

/** Runs of the last two minutes as bars, those that failed in red. */
export function Bars({ of, height = 22 }: { readonly of: Pick<Figure, "bars" | "failed_bars">; readonly height?: number }): JSX.Element {
  const most = Math.max(1, ...of.bars);
  return (
    <svg class="bars" width={of.bars.length * 4} height={height} aria-hidden="true">
      {of.bars.map((count, i) => {
        const failed = of.failed_bars[i] ?? 0;
        const [whole, red] = [(count / most) * height, (failed / most) * height];
        return (
          <g key={i}>
            <rect x={i * 4} y={height - Math.max(whole, 1)} width="3" height={Math.max(whole, 1)} class={count === 0 ? "none" : ""} />
            {failed === 0 ? null : <rect x={i * 4} y={height - red} width="3" height={red} class="failed" />}
          </g>
        );
      })}
    </svg>
  );
}

/** The figures of an interface since its process has started. */
export const Figures = ({ of }: { readonly of: Figure }): JSX.Element => (
  <dl class="figures">
    <Fact name="Runs" value={of.runs.toLocaleString("en")} />
    <Fact name="Refused (4xx)" value={of.refused.toLocaleString("en")} />
    <Fact name="Failed (5xx)" value={of.failed.toLocaleString("en")} isBad={of.failed > 0} />
    <Fact name="Median" value={milliseconds(of.p50)} />
    <Fact name="95 of 100 below" value={milliseconds(of.p95)} />
    <div>
      <dt>Last two minutes</dt>
      <dd>
        <Bars of={of} height={26} />
      </dd>
    </div>
  </dl>
);

export const Fact = ({
  name,
  value,
  isBad = false,
}: {
  readonly name: string;
  readonly value: string;
  readonly isBad?: boolean;
}): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd class={isBad ? "bad" : ""}>{value}</dd>
  </div>
);

/** A list of facts with a heading; renders nothing when the list is empty. */
export const Facts = ({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): JSX.Element | null =>
  lines.length === 0 ? null : (
    <section class="facts">
      <h3>{title}</h3>
      <ul>
        {lines.map((text, i) => (
          <li key={i}>{line(text)}</li>
        ))}
      </ul>
    </section>
  );

/** A button that shows whether its work has succeeded. */
export function Doing({
  does,
  children,
  done,
  isQuiet = false,
}: {
  readonly does: () => Promise<void>;
  readonly children: ComponentChildren;
  readonly done: string;
  readonly isQuiet?: boolean;
}): JSX.Element {
  const [said, setSaid] = useState("");
  const act = (): void => {
    setSaid("…");
    does().then(
      () => setSaid(done),
      (error: unknown) => setSaid(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <span class="doing">
      <button type="button" class={isQuiet ? "quiet-button" : ""} onClick={act}>
        {children}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
