import type { Context } from "#runtime/features/feature.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import { parseTemplate } from "./markers.ts";
import { type Lowering, visible } from "./scope.ts";

/**
 * A marker with a path or a filter right behind a word character, where no marker can start. Alternatives such as `data|body|` have neither
 * a path nor a filter.
 */
const glued = /(?<word>[A-Za-z0-9_]+)(?=a\|[A-Za-z_][\w-]*(?:::|->))/g;

/** Bounds what is read for each of them. */
const longest = 512;

/** Notes a marker that is literal text, since a word character touches it (PW275), where the root that it names exists. */
export function checkGluedMarkers(scalar: Scalar, context: Context | undefined, cx: Lowering): void {
  const { template } = scalar;
  if (context === "regex" || !template.text.includes("a|")) return;
  for (const part of template.parts.filter(({ kind }) => kind === "text")) {
    for (const match of template.text.slice(part.start, part.end).matchAll(glued)) {
      const start = part.start + match.index;
      const at = start + match[0].length;
      const { parts, problems } = parseTemplate(template.text.slice(at, at + longest), { code: true });
      const [marker] = parts;
      if (marker?.kind !== "marker" || marker.start > 0 || problems.length > 0) continue;
      if (!Object.hasOwn(roots, marker.root) && visible(marker.root, cx.scope) === undefined) continue;
      const end = at + marker.end;
      reportAt(codes.glued(match[0], template.text.slice(at, end)), { start, end }, scalar, cx.report);
    }
  }
}
