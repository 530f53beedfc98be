import { type BadPath, isBadPath, type Path, parsePath } from "#runtime/paths/marker-path.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";

/** A parsed path of spec/language 2.9, or the finding PW209 with its column. */
export function readPath(source: string): Path | Finding {
  const path = parsePath(source);
  return isBadPath(path) ? badPath(source, path) : path;
}

export function badPath(source: string, { reason, column }: BadPath): Finding {
  return codes.badPath(source, `${reason} (column ${column})`);
}

export const isFinding = (path: Path | Finding): path is Finding => "code" in path;

/** Reads a path from what `base` gives. Steps on a read are joined to one, so that a plan holds one path and not a chain. */
export function pathExpr(base: Expr, { steps, spread, count }: Path): Expr {
  const value = spread === undefined ? at(base, steps) : ({ op: "each", of: at(base, steps), path: spread } as const);
  return count ? { op: "count", of: value } : value;
}

function at(base: Expr, path: Path["steps"]): Expr {
  if (path.length === 0) return base;
  return base.op === "at" ? { op: "at", of: base.of, path: [...base.path, ...path] } : { op: "at", of: base, path };
}
