import type { Context } from "#runtime/features/feature.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { parseTemplate } from "../../1-read/markers/markers.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import { type Lowering, visible } from "./scope.ts";

/** A marker right behind a word character, where no marker can start. */
const glued = /(?<![A-Za-z0-9_])(?<word>[A-Za-z0-9_]+)(?=a\|[A-Za-z_][\w-]*(?:::|->|\|))/g;

/** The most characters that are parsed for one of these markers. */
const longest = 512;

/** Warns of a marker with a known root that is literal text because a word character stands before it (PW275). */
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
      if (!(isBare(marker) ? isSingular : isRoot)(marker.root, cx)) continue;
      const end = at + marker.end;
      reportAt(codes.glued(match[0], template.text.slice(at, end)), { start, end }, scalar, cx.report);
    }
  }
}

const isBare = ({ path, jq, format, steps }: Marker): boolean =>
  path === undefined && jq === undefined && format === undefined && steps.length === 0;

const isAction = (root: string, { scope }: Lowering): boolean => visible(root, scope) !== undefined;

const isRoot = (root: string, cx: Lowering): boolean => Object.hasOwn(roots, root) || isAction(root, cx);

/** True for a root that is probably meant as a marker. A name such as `body` may also be a word in a list of alternatives: `data|body|`. */
const isSingular = (root: string, cx: Lowering): boolean => root === "uuid" || root === "timestamp" || isAction(root, cx);
