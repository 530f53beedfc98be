import { type BadPath, isBadPath, type Path, parsePath } from "#runtime/paths/marker-path.ts";
import type { Expr, Span } from "#runtime/plan/index.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";

/** A parsed path of spec/language 2.9, or the finding PW209 with its column. */
export function readPath(source: string): Path | Finding {
  const path = parsePath(source);
  return isBadPath(path) ? badPath(source, path) : path;
}

function badPath(source: string, { reason, column }: BadPath): Finding {
  return codes.badPath(source, `${reason} (column ${column})`);
}

export const isFinding = (path: Path | Finding): path is Finding => "code" in path;

/** Reads a path from the value of `base`. Steps on another read are joined to it, so that a plan has one path and not a chain. */
export function pathExpr(base: Expr, { steps, spread, count }: Path): Expr {
  const value = spread === undefined ? at(base, steps) : ({ op: "each", of: at(base, steps), path: spread } as const);
  return count ? { op: "count", of: value } : value;
}

function at(base: Expr, path: Path["steps"]): Expr {
  if (path.length === 0) return base;
  return base.op === "at" ? { op: "at", of: base.of, path: [...base.path, ...path] } : { op: "at", of: base, path };
}

/** The expression whose reads have the place of the marker; reads with a place of their own keep it. */
export function placed(e: Expr, at: Span): Expr {
  switch (e.op) {
    case "at":
    case "each":
      return e.at === undefined ? { ...e, of: placed(e.of, at), at } : e;
    case "count":
    case "filter":
      return { ...e, of: placed(e.of, at) };
    case "or":
      return { ...e, of: placed(e.of, at), instead: placed(e.instead, at) };
    default:
      return e;
  }
}
