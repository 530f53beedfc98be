import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { NodeFacts } from "../../runtime/console/facts.ts";
import { type Box, type Edge, head, type Layout, layout, textWidth } from "./layout.ts";
import { line } from "./text.ts";

interface GraphProps {
  readonly nodes: readonly NodeFacts[];
  /** States of the actions in a run, by their names. */
  readonly states?: ReadonlyMap<string, string>;
  /** How often tests have run each action, by its name. Without it no coverage is painted. */
  readonly ran?: Readonly<Record<string, number>>;
  /** The selected line of the YAML. */
  readonly current?: number;
  /** Called with the line of the action that the user chooses. */
  readonly choose?: (line: number) => void;
}

/** Pixels around the graph for lines and shadows. */
const rim = 10;

/**
 * The graph of the actions of an interface. Solid lines are gates, dashed lines are reads of data, and the box of a loop contains its
 * actions.
 */
export function Graph({ nodes, states, ran, current, choose }: GraphProps): JSX.Element {
  const placed = useMemo(() => layout(nodes), [nodes]);
  if (nodes.length === 0) return <p class="quiet">It has no actions.</p>;
  const size = { width: placed.width + 2 * rim, height: placed.height + 2 * rim };
  return (
    <div class="graph">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing with parts to choose is a group, no set of fields */}
      <svg {...size} viewBox={`${-rim} ${-rim} ${size.width} ${size.height}`} role="group" aria-label="Graph of the actions">
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0.5 7.5 4 0 7.5z" />
          </marker>
        </defs>
        <Level placed={placed} states={states} ran={ran} current={current} choose={choose} />
      </svg>
      <p class="legend">
        <span class="gate">runs when succeeded</span>
        <span class="gate failed">runs when failed</span>
        <span class="gate depends">depends on</span>
        <span class="reads">reads its data</span>
      </p>
    </div>
  );
}

type LevelProps = { readonly placed: Layout } & {
  readonly [Name in "states" | "ran" | "current" | "choose"]: GraphProps[Name] | undefined;
};

function Level({ placed, ...more }: LevelProps): JSX.Element {
  return (
    <>
      {placed.edges.map((edge) => (
        <path key={`${edge.from} ${edge.to} ${edge.why}`} class={`edge ${edge.why}`} d={pathOf(edge)} marker-end="url(#tip)">
          <title>{`${line(edge.to)} ${words[edge.why] ?? edge.why} ${line(edge.from)}`}</title>
        </path>
      ))}
      {placed.boxes.map((box) => (
        <Action key={box.node.name} box={box} {...more} />
      ))}
    </>
  );
}

const words: Readonly<Record<string, string>> = {
  run_when_succeeded: "runs when this has succeeded:",
  run_when_failed: "runs when this has failed:",
  depends_on: "depends on",
  reads: "reads the data of",
};

function Action({ box, states, ran, current, choose }: { readonly box: Box } & Omit<LevelProps, "placed">): JSX.Element {
  const { node, x, y, width, height, inner } = box;
  const state = states?.get(node.name);
  const tested = ran === undefined || !Object.hasOwn(ran, node.name) ? undefined : (ran[node.name] ?? 0) > 0 ? "tested" : "never";
  const names = [
    "action",
    tested ?? "",
    node.touches.length > 0 ? "outside" : "",
    state ?? "",
    node.line === current && node.line > 0 ? "current" : "",
  ];
  const pick = (): void => choose?.(node.line);
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick();
  };
  const label = `${line(node.name)}, ${node.does}${state === undefined ? "" : `, ${state}`}${tested === undefined ? "" : testedWords[tested]}`;
  const most = Math.floor((width - 34) / 7.3);
  return (
    <g transform={`translate(${x} ${y})`}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no button */}
      <g class={names.join(" ").trim()} role="button" tabindex={0} onClick={pick} onKeyDown={keys}>
        <title>{[label, ...node.touches, ...node.reads.map((read) => `reads ${read}`)].map(line).join("\n")}</title>
        <rect width={width} height={height} rx="9" />
        <circle cx="17" cy="19" r="4.5" />
        <text x="30" y="23.5" class="name">
          {fitting(node.name, width - 34)}
        </text>
        <text x="30" y="41" class="does">
          {cut(node.does === "lookup" ? "for each item" : node.does, most)}
        </text>
      </g>
      {inner === undefined ? null : (
        <g transform={`translate(${(width - inner.width) / 2} ${head})`}>
          <Level placed={inner} states={undefined} ran={ran} current={current} choose={choose} />
        </g>
      )}
    </g>
  );
}

const testedWords = { tested: ", tests run it", never: ", no test runs it" } as const;

const cut = (text: string, most: number): string => {
  const whole = line(text);
  return whole.length > most ? `${whole.slice(0, most - 1)}…` : whole;
};

/** The beginning of a name that fits into a box. */
function fitting(name: string, room: number): string {
  const characters = [...line(name)];
  let end = characters.length;
  const start = (): string => characters.slice(0, end).join("");
  while (end > 1 && textWidth(start()) + (end < characters.length ? 13 : 0) > room) end -= 1;
  return end < characters.length ? `${start()}…` : start();
}

/** The SVG path of a smooth line through the points; the line is vertical where it passes a layer. */
function pathOf({ points }: Edge): string {
  return points
    .map(([x, y], i) => {
      const before = points[i - 1];
      if (before === undefined) return `M${x} ${y}`;
      const middle = (before[1] + y) / 2;
      return before[0] === x ? `L${x} ${y}` : `C${before[0]} ${middle} ${x} ${middle} ${x} ${y}`;
    })
    .join(" ");
}
