import { visibleLine } from "#runtime/value/visible.ts";
import type { LeftOut, Why } from "./index.ts";

/** The text of `build --why`. */
export function whyText({ bytes, always, inside, outside }: Why): string {
  const lines = [
    `bundle.cjs has ${kilobytes(bytes)}`,
    "",
    `In every service, ${kilobytes(always.bytes)}: ${always.packages.join(", ")}`,
    "",
    "Asked for by the configurations (what two parts need counts for both):",
    ...inside.map(({ part, bytes: size, packages, at }) => {
      const [first = "", ...more] = at;
      const others = more.length === 0 ? "" : ` and ${more.length} more`;
      return `  ${kilobytes(size).padStart(9)}  ${part}${brought(packages)}  ${first}${others}`;
    }),
    "",
    "Left out, and how a configuration asks for it:",
    ...outsideLines(outside),
  ];
  return `${lines.map(visibleLine).join("\n")}\n`;
}

/** The lines about parts that are left out. Features of one kind without packages share a line. */
function outsideLines(outside: readonly LeftOut[]): readonly string[] {
  const lines: string[] = [];
  const kinds = Map.groupBy(outside, ({ kind, packages }) => (kind === undefined || packages.length > 0 ? undefined : kind));
  for (const { part, packages, written } of kinds.get(undefined) ?? []) lines.push(`  ${part}${brought(packages)}  ${written}`);
  for (const [kind, parts] of kinds) {
    const [first] = parts;
    if (kind === undefined || first === undefined) continue;
    const names = parts.map(({ part }) => part.slice(kind.length + 1));
    lines.push(`  ${names.length === 1 ? kind : `${names.length} ${kind}s`}: ${names.join(", ")}  such as ${first.written}`);
  }
  return lines;
}

const brought = (packages: readonly string[]): string => (packages.length === 0 ? "" : ` (${packages.join(", ")})`);

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
