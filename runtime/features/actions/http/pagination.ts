import { keyPath, read, valuePath, write } from "../../../paths/path.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { url_segment } from "../../../value/holes.ts";
import { type Json, type JsonObject, typeOf } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";

/** How further pages are found (spec/language 5.1.5). Null means unset. */
export interface Pagination {
  readonly next_cursor_key?: string | null;
  readonly next_link_key?: string | null;
  readonly next_link_host?: string | null;
  readonly page_start?: number | null;
  readonly increment?: number | null;
  readonly max_pages?: number | null;
  readonly max_pages_key?: string | null;
  readonly payload_key?: string | null;
}

/** The response of one address, and its rows. */
interface Page {
  readonly data: JsonObject;
  readonly address: string;
  readonly rows: readonly Json[];
  /** Counts pages from 1. */
  readonly number: number;
}

/** How to get from page to page; undefined: there is no further one. */
interface Way {
  readonly first: string;
  readonly next: (page: Page) => string | undefined;
}

/** The place in an address for the cursor or the number of a page. */
const place = `\${page}`;

/**
 * Fetches all pages of a list as one result: that of the first page, with the body of the last page, whose rows are replaced by the rows of
 * all pages (spec/language 5.1.5). `get` fetches one address; `leavesOrigin` tells it that the origin differs from that of the first page.
 */
export async function paginate(
  act: Act,
  url: string,
  pagination: Pagination,
  get: (address: string, leavesOrigin: boolean) => Promise<JsonObject>,
): Promise<JsonObject> {
  const way = wayOf(url, pagination);
  const most = pagination.max_pages ?? 100;
  const rows: Json[] = [];
  let first: JsonObject | undefined;
  for (let number = 1, address = way.first; ; number++) {
    const data = await get(address, number > 1 && originOf(address) !== originOf(way.first));
    first ??= data;
    const page = { data, address, number, rows: rowsOf(bodyOf(data), pagination) };
    for (const row of page.rows) rows.push(row);
    const next = way.next(page);
    if (next === undefined || number >= most) {
      if (next !== undefined) warn(act, most);
      return { ...first, body: withRows(bodyOf(data), rows, pagination) };
    }
    address = next;
  }
}

const originOf = (address: string): string | undefined => URL.parse(address)?.origin;

const bodyOf = (data: JsonObject): Json => data.body ?? null;

function rowsOf(body: Json, { payload_key = null }: Pagination): readonly Json[] {
  const rows = isWhole(payload_key) ? body : (read(body, keyPath(plainPath(payload_key))) ?? null);
  if (rows === null) return [];
  if (!Array.isArray(rows)) throw bad(`rows are ${typeOf(rows)}, expected array`);
  return rows;
}

const withRows = (body: Json, rows: Json[], { payload_key = null }: Pagination): Json =>
  isWhole(payload_key) ? rows : write(body, keyPath(plainPath(payload_key)), rows);

/** True for a path to the whole body, and for none. */
export const isWhole = (path: string | null): path is null | "" | "." | "$" | "$." => path === null || /^\$?\.?$/.test(path);

/** A path whose names with an escaped dot stand in brackets, which all paths know: `a\.b.c` is `["a.b"].c` (spec/language 2.9). */
function plainPath(path: string): string {
  if (!path.includes("\\.") || path.includes("[")) return path;
  const names = path.split(/(?<!\\)\./).map((name) => (name.includes("\\.") ? `[${JSON.stringify(name.replaceAll("\\.", "."))}]` : name));
  return names.join(".").replaceAll(".[", "[");
}

function wayOf(url: string, pagination: Pagination): Way {
  const { next_cursor_key = null, next_link_key = null } = pagination;
  if (next_cursor_key !== null) return byCursor(needsPlace(url), next_cursor_key);
  if (next_link_key !== null) return byLink(url, next_link_key, pagination.next_link_host ?? null);
  return byNumber(needsPlace(url), pagination);
}

/** Without the place for the cursor, every page would be the first one. */
function needsPlace(url: string): string {
  if (!url.includes(place)) throw bad(`url has no ${place}`);
  return url;
}

function byCursor(url: string, key: string): Way {
  const path = valuePath(plainPath(key));
  return {
    first: withoutPlace(url),
    next: ({ data }) => {
      const cursor = read(bodyOf(data), path) ?? null;
      return cursor === null || cursor === "" ? undefined : url.replaceAll(place, url_segment(cursor));
    },
  };
}

/** Follows links. A link comes from the service, so it must not lead to a host that the author did not choose. */
function byLink(url: string, key: string, host: string | null): Way {
  const path = valuePath(plainPath(key));
  const first = withoutPlace(url);
  const origin = URL.parse(first);
  return {
    first,
    next: ({ data, address }) => {
      const link = read(bodyOf(data), path) ?? null;
      if (link === null || link === "") return undefined;
      const target = URL.parse(text(link), address);
      const isKnown = target?.host === origin?.host || target?.host === host || target?.hostname === host;
      // Credentials that were sent over TLS never go out in plain text.
      const isSafe = target?.protocol === "https:" || target?.protocol === origin?.protocol;
      if (target === null || !isKnown || !isSafe) throw bad("the next link leads to another host");
      return target.href;
    },
  };
}

function byNumber(url: string, { page_start, increment, max_pages_key = null }: Pagination): Way {
  const start = page_start ?? 1;
  const step = increment ?? 1;
  const last = max_pages_key === null ? undefined : valuePath(plainPath(max_pages_key));
  const at = (number: number): string => url.replaceAll(place, String(start + (number - 1) * step));
  return {
    first: at(1),
    next: ({ data, rows, number }) => {
      const pages = last === undefined ? null : (read(bodyOf(data), last) ?? null);
      const isLast = rows.length === 0 || (pages !== null && number >= Number(text(pages)));
      return isLast ? undefined : at(number + 1);
    },
  };
}

/** The address of the first page: without the pair of the query that would hold the cursor. */
function withoutPlace(url: string): string {
  const [, path = "", query, fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  const pairs = (query ?? "").split("&").filter((pair) => pair !== "" && !pair.includes(place));
  return `${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}${fragment}`.replaceAll(place, "");
}

const bad = (reason: string): Failure => new Failure("evaluation", `pagination: ${reason}`);

function warn({ run, name }: Act, most: number): void {
  const at = { config: run.config.name, interface: run.interface.name, action: name, run_uuid: run.id };
  run.host.log("warn", `pagination stopped after ${most} pages`, at);
}
