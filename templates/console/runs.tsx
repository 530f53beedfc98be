import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { followRuns, type Refused, type RunFilters, type RunSummary, readRuns } from "./api.ts";
import { List, type Row } from "./list.tsx";
import { refusalOf } from "./load.ts";
import { Problem, Status } from "./parts.tsx";
import { addressOf } from "./router.ts";
import { line, milliseconds, moment, plural } from "./text.ts";

const fields = [
  { name: "interface", label: "Interface", type: "text" },
  { name: "config", label: "Configuration", type: "text" },
] as const;

const choices = [
  { name: "status", label: "Status", options: ["2xx", "3xx", "4xx", "5xx"] },
  { name: "trigger", label: "Trigger", options: ["http", "schedule", "ws", "mqtt", "mcp", "cli"] },
  { name: "since", label: "Since", options: ["15m", "1h", "24h", "7d"] },
] as const;

/** The largest number of runs in the list, more than the store keeps. */
const mostRuns = 20_000;

/** Recorded runs, the newest first: new records appear at the top. */
export function RunsPage({ filters }: { readonly filters: RunFilters }): JSX.Element {
  const [isLive, setLive] = useState(true);
  const { runs, problem, more, isWhole } = useRuns(filters, isLive);
  const rows = useMemo(() => runs.map(rowOf), [runs]);
  const change = (name: string, value: string): void => {
    const next = Object.fromEntries(Object.entries({ ...filters, [name]: value }).filter(([, text]) => text !== ""));
    location.replace(addressOf.runs(next));
  };
  return (
    <main class="runs">
      <h1 class="hidden">Recorded runs</h1>
      <form class="tools" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        {fields.map(({ name, label, type }, i) => (
          <label key={name} class="choice">
            <span>{label}</span>
            <input
              type={type}
              {...(i === 0 ? { id: "search" } : {})}
              value={filters[name] ?? ""}
              autocomplete="off"
              onChange={({ currentTarget }) => change(name, currentTarget.value)}
            />
          </label>
        ))}
        {choices.map(({ name, label, options }) => (
          <label key={name} class="choice">
            <span>{label}</span>
            <select value={filters[name] ?? ""} onChange={({ currentTarget }) => change(name, currentTarget.value)}>
              <option value="">all</option>
              {options.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </select>
          </label>
        ))}
        <button type="button" class="live-button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          {isLive ? "Live" : "Paused"}
        </button>
        <p class="count" role="status">
          {`${plural(runs.length, "run")}${isWhole ? "" : " and more"}`}
        </p>
      </form>
      <Problem of={problem} />
      {rows.length === 0 ? (
        <p class="empty">
          No run fits that was recorded. An interface is recorded when its YAML says <code>capture</code>.
        </p>
      ) : (
        <List label="Runs" rows={rows} height={48} more={more} />
      )}
    </main>
  );
}

const rowOf = (run: RunSummary): Row => ({
  key: keyOf(run),
  href: addressOf.run(run.run_uuid),
  content: () => (
    <>
      <Status of={run.status} />
      <span class="way">
        <b>{line(run.interface)}</b>
        <small>
          {line(run.config)}
          <i> · {line(run.trigger)}</i>
        </small>
      </span>
      <span class="ms">{milliseconds(run.ms)}</span>
      <time dateTime={run.started}>{moment(run.started)}</time>
    </>
  ),
});

const keyOf = ({ run_uuid, started }: RunSummary): string => `${run_uuid} ${started}`;

/** The runs that match the filters: pages from the store, and runs that are recorded meanwhile. */
function useRuns(filters: RunFilters, isLive: boolean) {
  const [runs, setRuns] = useState<readonly RunSummary[]>([]);
  const [problem, setProblem] = useState<Refused>();
  const next = useRef<string | null>(null);
  const isReading = useRef(false);
  const [isWhole, setWhole] = useState(true);
  const text = JSON.stringify(filters);
  const take = (fresh: readonly RunSummary[], atTop: boolean): void =>
    setRuns((before) => {
      const seen = new Set(before.map(keyOf));
      const added = fresh.filter((run) => !seen.has(keyOf(run)));
      if (added.length === 0) return before;
      return (atTop ? [...added, ...before] : [...before, ...added]).slice(0, mostRuns);
    });
  const read = (cursor: string | undefined): void => {
    if (isReading.current) return;
    isReading.current = true;
    readRuns(filters, cursor)
      .then(
        (page) => {
          next.current = page.next;
          setWhole(page.next === null);
          take(page.runs, false);
        },
        (error: unknown) => setProblem(refusalOf(error)),
      )
      .finally(() => {
        isReading.current = false;
      });
  };
  useEffect(() => {
    setRuns([]);
    setProblem(undefined);
    next.current = null;
    isReading.current = false;
    read(undefined);
  }, [text]);
  useEffect(() => {
    if (!isLive) return undefined;
    const ends = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = (): void => {
      followRuns(filters, (fresh) => take(fresh, true), ends.signal)
        .catch((error: unknown) => {
          if (!ends.signal.aborted) setProblem(refusalOf(error));
        })
        .finally(() => {
          if (!ends.signal.aborted) timer = setTimeout(listen, 3_000);
        });
    };
    listen();
    return () => {
      ends.abort();
      clearTimeout(timer);
    };
  }, [text, isLive]);
  const more = (): void => {
    if (next.current !== null) read(next.current);
  };
  return { runs, problem, more, isWhole };
}
