import type { Span } from "#runtime/plan/index.ts";
import { entry } from "../../1-read/document.ts";
import type { ResolvedConfig, ResolvedInterface } from "../../3-resolve/resolved.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Reported } from "../../memory.ts";
import type { Noted, PartFindings } from "../../phases.ts";

// Text that is typed into one interface moves those below it. A pin is a place in an interface from the beginning of that interface, or one
// behind all interfaces from their end, so that it is the same wherever the two stand now. Pins are spans whose `file` no file can have.

const inOwn = "\0own";
const inTail = "\0tail";

/** Where an interface and its surroundings stand in their files. */
export interface Frame {
  readonly own: Span;
  /** The key `interfaces` with all that is below it, in the file of the configuration. */
  readonly interfaces: Span;
}

/** Undefined for a configuration without interfaces of its own. */
export function frameOf({ root, document }: ResolvedConfig, { span, node }: ResolvedInterface): Frame | undefined {
  const interfaces = entry(root, "interfaces");
  if (interfaces === undefined || interfaces.keySpan.file !== document.file) return undefined;
  const end = node.span.file === span.file ? Math.max(span.end, node.span.end) : span.end;
  const all = { file: document.file, start: interfaces.keySpan.start, end: interfaces.value.span.end };
  return { own: { file: span.file, start: span.start, end }, interfaces: all };
}

/** A span as a pin. Places between the interfaces, or in another one, have none: nobody knows how they move. They are left as they are. */
export function pin(span: Span, { own, interfaces }: Frame): Span {
  const { file, start, end } = span;
  if (file === own.file && start >= own.start && end <= own.end) return { file: inOwn, start: start - own.start, end: end - own.start };
  if (file === interfaces.file && start >= interfaces.end)
    return { file: inTail, start: start - interfaces.end, end: end - interfaces.end };
  return span;
}

function unpin(span: Span, { own, interfaces }: Frame): Span {
  const { file, start, end } = span;
  if (file === inOwn) return { file: own.file, start: start + own.start, end: end + own.start };
  if (file === inTail) return { file: interfaces.file, start: start + interfaces.end, end: end + interfaces.end };
  return span;
}

/** True for a pin, and for a span in front of the interfaces or in a file that has none of them: it stands where it stands. */
function holds({ file, start, end }: Span, { own, interfaces }: Frame): boolean {
  if (file === inOwn || file === inTail) return true;
  if (file === interfaces.file) return start <= end && end <= interfaces.start;
  return file !== own.file;
}

/** The findings with pins for spans; undefined when one of them has a place that may move otherwise than its interface. */
export function pinned(findings: PartFindings, frame: Frame): PartFindings | undefined {
  let isWhole = true;
  const moved = moveAll(findings, (span) => {
    const at = pin(span, frame);
    isWhole &&= holds(at, frame);
    return at;
  });
  return isWhole ? moved : undefined;
}

/** The findings where the interface stands now. */
export const unpinned = (findings: PartFindings, frame: Frame): PartFindings => moveAll(findings, (span) => unpin(span, frame));

type Move = (span: Span) => Span;

const moveAll = ({ planned, analysed, noted }: PartFindings, move: Move): PartFindings => ({
  planned: planned.map((one) => moveReport(one, move)),
  analysed: analysed.map((one) => moveReport(one, move)),
  noted: noted.map((one): Noted => ({ ...one, at: move(one.at) })),
});

function moveReport([finding, at, related]: Reported, move: Move): Reported {
  return related === undefined ? [finding, move(at)] : [finding, move(at), moveRelated(related, move)];
}

const moveRelated = (related: NonNullable<Diagnostic["related"]>, move: Move): NonNullable<Diagnostic["related"]> =>
  related.map((one) => ({ ...one, at: move(one.at) }));
