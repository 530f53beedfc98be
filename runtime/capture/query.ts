import { duration } from "../value/duration.ts";
import { instant } from "../value/instant.ts";
import type { RunFilter } from "./recording.ts";

/** The runs that a query asks for, and where the list begins. */
export interface RunQuery {
  readonly filter: RunFilter;
  readonly limit: number;
  readonly cursor?: number;
}

/** A wrong parameter of a query, by its name. */
export interface Mistake {
  readonly parameter: string;
  readonly problem: string;
}

const wrongTime = "must be a time such as 2026-07-01T12:00:00Z, or how long ago it was, such as 1h";

const limits = { usual: 50, most: 500 } as const;

const names = ["config", "interface", "trigger", "status", "since", "until", "limit", "cursor"] as const;

/** Reads parameters such as `status=4xx&since=1h`; `now` in Unix milliseconds. */
export function readQuery(params: ReadonlyMap<string, string>, now: number): RunQuery | Mistake {
  for (const name of params.keys())
    if (!names.some((parameter) => parameter === name)) return { parameter: name, problem: `must be one of ${names.join(", ")}` };
  const read = {
    status: params.has("status") ? statusOf(params.get("status") ?? "") : undefined,
    since: params.has("since") ? timeOf(params.get("since") ?? "", now) : undefined,
    until: params.has("until") ? timeOf(params.get("until") ?? "", now) : undefined,
    limit: params.has("limit") ? limitOf(params.get("limit") ?? "") : limits.usual,
    cursor: params.has("cursor") ? numberOf(params.get("cursor") ?? "") : undefined,
  };
  const kinds = {
    status: "must be a status such as 404, or a class of them such as 4xx",
    since: wrongTime,
    until: wrongTime,
    limit: `must be a number from 1 to ${limits.most}`,
    cursor: "must be what the page before has given as next",
  };
  for (const name of ["status", "since", "until", "limit", "cursor"] as const)
    if (params.has(name) && read[name] === undefined) return { parameter: name, problem: kinds[name] };
  const { status, since, until, limit = limits.usual, cursor } = read;
  const text = (name: "config" | "interface" | "trigger") => (params.has(name) ? { [name]: params.get(name) ?? "" } : {});
  return {
    filter: {
      ...text("config"),
      ...text("interface"),
      ...text("trigger"),
      ...(status === undefined ? {} : { status }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    },
    limit,
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** The cursor that a page gives as `next`. Clients send it back and never build one themselves. */
export const cursorText = (next: number | null): string | null => (next === null ? null : next.toString(36));

const numberOf = (text: string): number | undefined => (/^[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text, 36) : undefined);

/** The first digit alone stands for a class of statuses. */
function statusOf(text: string): number | undefined {
  if (/^[1-5]xx$/i.test(text)) return Number(text[0]);
  return /^[1-5]\d\d$/.test(text) ? Number(text) : undefined;
}

function timeOf(text: string, now: number): number | undefined {
  const ago = duration(text);
  if (ago !== undefined) return now - ago;
  return instant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
}

function limitOf(text: string): number | undefined {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= limits.most ? limit : undefined;
}
