import { resolve } from "node:path";
import { decoded, type Settings, unset } from "./settings.ts";

/** The path of a database that no file holds. */
export const memory = ":memory:";

/**
 * The forms are `sqlite::memory:`, `sqlite:f`, `sqlite://f`, `sqlite:///abs`, `?mode=ro|rw|rwc|memory`; other parameters have no effect.
 */
export function fileOf(settings: Settings): { readonly path: string; readonly mode: string } {
  const [address = "", query = ""] = (settings.conn_string ?? settings.dbname ?? unset()).split("?", 2);
  const name = decoded(address.replace(/^sqlite:(?:\/\/)?/i, "")).replace(/^\/(?=[A-Za-z]:)/, "");
  const mode = new URLSearchParams(query).get("mode") ?? "rwc";
  return { path: name === memory || name === "" || mode === "memory" ? memory : resolve(name), mode };
}
