import type { Span } from "#runtime/plan/index.ts";
import { entry } from "../../1-read/document.ts";
import type { ResolvedConfig, ResolvedInterface } from "../../3-resolve/resolved.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Reported } from "../../memory.ts";
import type { Noted, PartFindings } from "../../phases.ts";

// Text that is typed into one interface moves the interfaces below it. A pin is a place that does not move: it counts from the begin of its
// own interface, or from the end of all interfaces for a place behind them. Pins are spans whose `file` is no possible name of a file.

const inOwn = "\0own";
const inTail = "\0tail";

/** The places of an interface and of its surroundings in their files. */
export interface Frame {
  readonly own: Span;
  /** The key `interfaces` with everything below it, in the file of the configuration. */
  readonly interfaces: Span;
}

/** The frame of an interface. Undefined for a configuration without interfaces of its own. */
export function frameOf({ root, document }: ResolvedConfig, { span, node }: ResolvedInterface): Frame | undefined {
  const interfaces = entry(root, "interfaces");
  if (interfaces === undefined || interfaces.keySpan.file !== document.file) return undefined;
  const end = node.span.file === span.file ? Math.max(span.end, node.span.end) : span.end;
  const all = { file: document.file, start: interfaces.keySpan.start, end: interfaces.value.span.end };
  return { own: { file: span.file, start: span.start, end }, interfaces: all };
}

/**
 * A span as a pin. Places between the interfaces, or in another interface, have no pin, because it is unknown how they move. They stay
 * unchanged.
 */
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

/** True for a pin, and for a span that cannot move: before the interfaces, or in a file without interfaces. */
function holds({ file, start, end }: Span, { own, interfaces }: Frame): boolean {
  if (file === inOwn || file === inTail) return true;
  if (file === interfaces.file) return start <= end && end <= interfaces.start;
  return file !== own.file;
}

/** The findings with pins for spans; undefined when one of them has a place that may not move together with its interface. */
export function pinned(findings: PartFindings, frame: Frame): PartFindings | undefined {
  let isWhole = true;
  const moved = moveAll(findings, (span) => {
    const at = pin(span, frame);
    isWhole &&= holds(at, frame);
    return at;
  });
  return isWhole ? moved : undefined;
}

/** The findings at the current places of the interface. */
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
