import type { Span } from "#runtime/plan/index.ts";
import type { Step } from "#runtime/value/json.ts";
import { shapes as codes } from "../../diagnostics/codes/shapes.ts";
import type { Finding, Report } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import type { Missing, Slip } from "./follow.ts";

/**
 * A place that was interpreted. `what` is the reading or test there, and `finding` is the mistake if it was one in every interpretation.
 */
export interface Noted {
  readonly at: Span;
  readonly what: string;
  readonly isRight: boolean;
  readonly finding?: Finding;
}

/** A parameter that is read, and the facts about the parameter that was probably meant. */
interface ReadParameter {
  readonly name: string;
  readonly meant: string | undefined;
  readonly inRoute: boolean;
  readonly isUnread: boolean;
}

/**
 * The mistakes that follow from shapes. A text may be interpreted several times, for example a template, an anchor or a module that several
 * actions use. It is reported only if it is a mistake every time.
 */
export class Notes {
  readonly #places = new Map<string, Noted>();

  /** Notes a reading of a path into the value with the name `of`. */
  read(of: string, path: readonly Step[], wrong: Missing | Slip | undefined, at: Span | undefined): void {
    if (at === undefined) return;
    const name = [of, ...path.slice(0, wrong?.depth)].join(".");
    const finding = wrong === undefined ? undefined : "meant" in wrong ? slipFinding(path, of, wrong) : missingIn(name, wrong);
    this.#note(at, `read ${path.join(".")}`, finding);
  }

  /** Notes a path that a transform expects in the data of the action `of`. */
  expected(transform: string, path: readonly Step[], { missing, slip, of }: Expected, at: Span | undefined): void {
    if (at === undefined) return;
    const name = path.join(".");
    this.#note(at, `expect ${name}`, missing === undefined ? slipFinding(path, of, slip) : neverThere(transform, path, missing));
  }

  /** Notes a transform. `never` describes its data when it fails with all that they can be. */
  transformed(transform: string, never: string | undefined, at: Span | undefined): void {
    if (at !== undefined) this.#note(at, `transform ${transform}`, never === undefined ? undefined : codes.failsAlways(transform, never));
  }

  /** Notes a matcher. `never` describes its target when it can never pass. */
  tested(matcher: string, never: string | undefined, at: Span | undefined): void {
    if (at !== undefined) this.#note(at, `test ${matcher}`, never === undefined ? undefined : codes.neverPasses(matcher, never));
  }

  /** Notes a parameter that is read, with the parameter that was probably meant. */
  parameter({ name, meant, inRoute, isUnread }: ReadParameter, at: Span | undefined): void {
    const where = `${inRoute ? "is in the route" : "is declared under params"}${isUnread ? ", and nothing reads it" : ""}`;
    if (at !== undefined) this.#note(at, `parameter ${name}`, meant === undefined ? undefined : codes.unreadParameter(name, meant, where));
  }

  /** Reports the mistakes; with `file`, only the mistakes in that file. */
  tell(report: Report, file?: string): void {
    for (const { at, isRight, finding } of this.#places.values())
      if (!isRight && finding !== undefined && (file ?? at.file) === at.file) report(finding, at);
  }

  /** All places, in the order of their first interpretation. */
  get noted(): readonly Noted[] {
    return [...this.#places.values()];
  }

  /** The places that are not in this file. */
  outside(file: string): readonly Noted[] {
    return this.noted.filter(({ at }) => at.file !== file);
  }

  /** Adds places of other notes. */
  add(others: readonly Noted[]): void {
    for (const other of others) this.#add(other);
  }

  #note(at: Span, what: string, finding: Finding | undefined): void {
    this.#add({ at, what, ...(finding === undefined ? { isRight: true } : { isRight: false, finding }) });
  }

  #add(more: Noted): void {
    const { at, what } = more;
    const key = `${at.file}\0${at.start}\0${at.end}\0${what}`;
    const before = this.#places.get(key);
    const finding = before?.finding ?? more.finding;
    this.#places.set(
      key,
      before === undefined ? more : { ...before, isRight: before.isRight || more.isRight, ...(finding && { finding }) },
    );
  }
}

/** The end of a path that a transform expects. */
interface Expected {
  readonly missing: Missing | undefined;
  readonly slip: Slip | undefined;
  readonly of: string;
}

const slipFinding = (path: readonly Step[], of: string, slip: Slip | undefined): Finding | undefined =>
  slip === undefined ? undefined : codes.slip(String(path[slip.depth]), [of, ...path.slice(0, slip.depth)].join("."), slip.meant);

function neverThere(transform: string, path: readonly Step[], { name, known, depth }: Missing): Finding {
  const meant = nearest(String(name), known);
  return codes.neverThere(transform, path.join("."), meant === undefined ? undefined : path.with(depth, meant).join("."), known);
}

const missingIn = (of: string, { name, known, type }: Missing): Finding =>
  codes.missing(String(name), of, { nearest: nearest(String(name), known), known, type });
