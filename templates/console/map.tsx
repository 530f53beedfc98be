import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { TriggerKind } from "../../runtime/console/facts.ts";
import { type Figure, type MapEntry, type Need, readFigures } from "./api.ts";
import { List, type Row } from "./list.tsx";
import { useLoaded } from "./load.ts";
import { Bars } from "./parts.tsx";
import { addressOf } from "./router.ts";
import { ahead, line, milliseconds, plural } from "./text.ts";

/** Kinds of triggers in the order of the map. */
const kinds: Readonly<Record<TriggerKind, string>> = {
  http: "HTTP",
  schedule: "Schedules",
  ws: "WebSockets",
  mqtt: "MQTT",
  mcp: "Tools of agents",
  trigger: "Other triggers",
  cli: "Command line",
  interfaces: "Called by other interfaces",
};

interface MapProps {
  readonly entries: readonly MapEntry[];
  readonly needs: readonly Need[];
}

/** All interfaces by trigger. */
export function MapPage({ entries, needs }: MapProps): JSX.Element {
  const [search, setSearch] = useState("");
  const [only, setOnly] = useState("");
  const { value: figures = [] } = useLoaded(() => readFigures(), [], 3_000);
  const byInterface = useMemo(() => new Map(figures.map((each) => [keyOf(each), each])), [figures]);
  const unmet = needs.filter(({ met }) => !met);
  const lacking = new Set(unmet.map(({ config }) => config));
  const found = useMemo(() => entries.filter((entry) => fits(entry, search, only, lacking)), [entries, search, only, needs]);
  const rows = useMemo(() => rowsOf(found, byInterface), [found, byInterface]);
  const warnings = entries.reduce((sum, entry) => sum + entry.warnings, 0);
  return (
    <main class="map">
      <h1 class="hidden">Map of the interfaces</h1>
      <div class="tools">
        <label class="search">
          <span class="hidden">Search interfaces</span>
          <input
            type="search"
            id="search"
            placeholder="Search interfaces, routes, tables, hosts …"
            autocomplete="off"
            spellcheck={false}
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </label>
        <label class="choice">
          <span>Show</span>
          <select value={only} onChange={({ currentTarget }) => setOnly(currentTarget.value)}>
            <option value="">all</option>
            <option value="open">without a policy</option>
            <option value="warnings">with warnings</option>
            <option value="capture">recorded</option>
            <option value="unmet">with unmet needs</option>
          </select>
        </label>
        <p class="count" role="status">
          {found.length === entries.length
            ? plural(entries.length, "interface")
            : `${found.length} of ${plural(entries.length, "interface")}`}
          {warnings === 0 ? "" : `, ${plural(warnings, "warning")}`}
        </p>
      </div>
      {unmet.length === 0 ? null : (
        <p class="problem" role="alert">
          {`Not there: ${unmet
            .slice(0, 8)
            .map(({ kind, name, config }) => `${kind} ${line(name)} of ${line(config)}`)
            .join("; ")}${unmet.length > 8 ? `; and ${unmet.length - 8} more` : ""}`}
        </p>
      )}
      {found.length === 0 ? (
        <p class="empty">{entries.length === 0 ? "Nothing is served yet." : "No interface fits."}</p>
      ) : (
        <List label="Interfaces" rows={rows} height={56} />
      )}
    </main>
  );
}

const keyOf = ({ config, interface: target }: { readonly config: string; readonly interface: string }): string =>
  JSON.stringify([config, target]);

function fits(entry: MapEntry, search: string, only: string, lacking: ReadonlySet<string>): boolean {
  if (only === "open" && !entry.policy.includes("none")) return false;
  if (only === "warnings" && entry.warnings === 0) return false;
  if (only === "capture" && entry.capture === null) return false;
  if (only === "unmet" && !lacking.has(entry.config)) return false;
  if (search === "") return true;
  const text = [entry.interface, entry.config, entry.summary ?? "", ...entry.reached.map((way) => way.text), ...entry.touches, entry.file]
    .join("\n")
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The rows of the list: a heading for each kind of trigger, and below it the interfaces that are reached by it. */
function rowsOf(entries: readonly MapEntry[], figures: ReadonlyMap<string, Figure>): readonly Row[] {
  return (Object.keys(kinds) as TriggerKind[]).flatMap((kind): readonly Row[] => {
    const inside = entries.flatMap((entry) => {
      const way = entry.reached.find((each) => each.kind === kind);
      return way === undefined ? [] : [{ entry, text: way.text }];
    });
    if (inside.length === 0) return [];
    const heading: Row = {
      key: kind,
      content: () => (
        <h2>
          {kinds[kind]} <small>{inside.length}</small>
        </h2>
      ),
    };
    return [
      heading,
      ...inside.map(
        ({ entry, text }): Row => ({
          key: `${kind} ${keyOf(entry)}`,
          href: addressOf.interface(entry.config, entry.interface),
          content: () => <Entry entry={entry} kind={kind} text={text} figure={figures.get(keyOf(entry))} />,
        }),
      ),
    ];
  });
}

interface EntryProps {
  readonly entry: MapEntry;
  readonly kind: TriggerKind;
  readonly text: string;
  readonly figure: Figure | undefined;
}

function Entry({ entry, kind, text, figure }: EntryProps): JSX.Element {
  const [, method, rest = text] = kind === "http" ? (/^([A-Z]+) (.*)$/s.exec(text) ?? []) : [];
  const [soon] = kind === "schedule" ? (entry.next_runs ?? []) : [];
  return (
    <>
      <span class={`verb ${method ?? kind}`}>{method ?? verbs[kind]}</span>
      <span class="way">
        <b>{line(kind === "interfaces" || kind === "cli" ? entry.interface : rest)}</b>
        <small>
          {line(entry.interface)}
          <i> · {line(entry.config)}</i>
          {entry.summary === undefined ? "" : <i> · {line(entry.summary)}</i>}
        </small>
      </span>
      <span class="marks">
        {soon === undefined ? null : <span class="mark soon">{ahead(soon)}</span>}
        {entry.warnings === 0 ? null : <span class="mark warns">{plural(entry.warnings, "warning")}</span>}
        {entry.capture === null ? null : <span class="mark">{entry.capture.open ? "recorded" : "was recorded"}</span>}
        {entry.policy.includes("none") ? null : <span class="mark">policy</span>}
        {entry.contract.input || entry.contract.output ? <span class="mark">contract</span> : null}
      </span>
      <span class="live">
        {figure === undefined ? null : (
          <>
            <Bars of={figure} />
            <span>
              {figure.runs.toLocaleString("en")}
              <small>{milliseconds(figure.p95)}</small>
            </span>
          </>
        )}
      </span>
    </>
  );
}

const verbs: Readonly<Record<TriggerKind, string>> = {
  http: "",
  schedule: "cron",
  ws: "ws",
  mqtt: "mqtt",
  mcp: "tool",
  trigger: "on",
  cli: "cli",
  interfaces: "call",
};
