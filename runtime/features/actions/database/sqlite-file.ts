import { resolve } from "node:path";
import { decoded, type Settings, unset } from "./settings.ts";

/** The path of a database that no file holds. */
export const memory = ":memory:";

/**
 * The forms are `sqlite::memory:`, `sqlite:f`, `sqlite://f`, `sqlite:///abs`, `?mode=ro|rw|rwc|memory`; other parameters have no effect.
 * A `dbname` is the name of the file as it is written, and `params` hold its mode.
 */
export function fileOf(settings: Settings): { readonly path: string; readonly mode: string } {
  const { name, mode = "rwc" } = settings.conn_string === null ? ofParts(settings) : ofAddress(settings.conn_string);
  return { path: name === memory || name === "" || mode === "memory" ? memory : resolve(name), mode };
}

interface Place {
  readonly name: string;
  readonly mode: string | undefined;
}

function ofParts({ dbname, params }: Settings): Place {
  const name = dbname ?? unset();
  if (/^sqlite:/i.test(name)) throw new Error("dbname is the name of a file; an address is written as conn_string");
  return { name, mode: params.mode };
}

function ofAddress(text: string): Place {
  const [address = "", query = ""] = text.split("?", 2);
  const name = decoded(address.replace(/^sqlite:(?:\/\/)?/i, "")).replace(/^\/(?=[A-Za-z]:)/, "");
  return { name, mode: new URLSearchParams(query).get("mode") ?? undefined };
}
