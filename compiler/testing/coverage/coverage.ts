import type { ActionPlan, Expr, InterfacePlan, TestPlan } from "#runtime/plan/index.ts";
import type { Act, Run } from "#runtime/run/run.ts";
import type { Observer } from "#runtime/walk/observer.ts";
import { keyOf, type Point, pointsOf } from "./points.ts";

/**
 * The number of times that a point went one way and the other: an action ran or was skipped, a test passed or failed, a gate opened or
 * closed.
 */
export interface Counts {
  readonly yes: number;
  readonly no: number;
}

/** A point with its counts. */
export interface CoveredPoint extends Point {
  readonly counts: Counts;
  /** The number of failures of an action. */
  readonly failed: number;
}

/** The number of all parts of points, and of the parts that tests have covered. An action has one part, other points have two. */
export interface Share {
  readonly covered: number;
  readonly all: number;
}

/**
 * Counts the points that runs reach. The interpreter reports them. A module has its plan without places, which are taken from the plan of
 * the compiler.
 */
export class Coverage implements Observer {
  readonly #plans: ReadonlyMap<string, InterfacePlan>;
  /** The parts of plans in modules, each with the same part of the compiler's plan, which has its place. */
  readonly #placed = new WeakMap<object, object>();
  readonly #counts = new Map<string, { yes: number; no: number }>();
  readonly #failed = new Map<string, number>();
  readonly #acts: { readonly plan: ActionPlan; readonly act: Act }[] = [];

  /** Counts only points of `configs`. */
  constructor(configs: readonly { readonly name: string; readonly interfaces: readonly InterfacePlan[] }[]) {
    this.#plans = new Map(configs.flatMap(({ name, interfaces }) => interfaces.map((each) => [JSON.stringify([name, each.name]), each])));
  }

  readonly begins = (plan: InterfacePlan, { config, interface: { name } }: Run): void => {
    const planned = this.#plans.get(JSON.stringify([config.name, name]));
    if (planned !== undefined && !this.#placed.has(plan)) this.#pair(plan, planned);
  };

  readonly act = (plan: ActionPlan, act: Act): void => void this.#acts.push({ plan, act });

  readonly test = (plan: TestPlan, passed: boolean): void => this.#note("test", plan, passed);

  readonly fallback = (plan: Expr, isTaken: boolean): void => this.#note("fallback", plan, isTaken);

  /** All points, in the order of the files. Call it when all runs have ended. */
  points(): readonly CoveredPoint[] {
    for (const { plan, act } of this.#acts.splice(0)) this.#settle(plan, act);
    const points = new Map([...this.#plans.values()].flatMap(pointsOf).map((point) => [keyOf(point.kind, point.at), point]));
    const covered = [...points].map(([key, point]) => ({
      ...point,
      counts: this.#counts.get(key) ?? { yes: 0, no: 0 },
      failed: this.#failed.get(key) ?? 0,
    }));
    return covered.sort((a, b) => (a.at.file === b.at.file ? a.at.start - b.at.start : a.at.file < b.at.file ? -1 : 1));
  }

  /** Counts an action. A cancelled action, whose run was already answered, does not count for its gate. */
  #settle(plan: ActionPlan, { ran, state, cancelled }: Act): void {
    if (cancelled) return;
    this.#note("action", plan, ran);
    this.#note("gate", plan, ran);
    const at = this.#placeOf(plan);
    if (ran && state === "failed" && at !== undefined) {
      const key = keyOf("action", at);
      this.#failed.set(key, (this.#failed.get(key) ?? 0) + 1);
    }
  }

  #note(kind: Point["kind"], plan: object, isYes: boolean): void {
    const at = this.#placeOf(plan);
    if (at === undefined) return;
    const key = keyOf(kind, at);
    const counts = this.#counts.get(key) ?? { yes: 0, no: 0 };
    counts[isYes ? "yes" : "no"] += 1;
    this.#counts.set(key, counts);
  }

  #placeOf(plan: object): Point["at"] | undefined {
    const placed = this.#placed.get(plan);
    return placed !== undefined && "at" in placed ? (placed.at as Point["at"]) : undefined; // the member `at` of a plan is a place
  }

  /** Pairs the parts of two plans. The plan of a module is a copy of the compiler's plan without places. */
  #pair(copy: object, known: object): void {
    this.#placed.set(copy, known);
    for (const [key, part] of Object.entries(copy)) {
      const same: unknown = Object.hasOwn(known, key) ? known[key as keyof typeof known] : undefined;
      if (typeof part === "object" && part !== null && typeof same === "object" && same !== null) this.#pair(part, same);
    }
  }
}

/** The parts of a point; true for a covered part. */
export const partsOf = ({ kind, counts: { yes, no } }: CoveredPoint): readonly boolean[] =>
  kind === "action" ? [yes > 0] : [yes > 0, no > 0];

export function shareOf(points: readonly CoveredPoint[]): Share {
  const parts = points.flatMap(partsOf);
  return { covered: parts.filter(Boolean).length, all: parts.length };
}

/** A share in percent; without any points it is 100. It is rounded down, so that only full coverage gives 100. */
export const percent = ({ covered, all }: Share): number => (all === 0 ? 100 : Math.floor((covered / all) * 1000) / 10);

const ways: Readonly<Record<Point["kind"], readonly [never: string, always: string]>> = {
  action: ["never runs", ""],
  gate: ["", "its gate never closes"],
  test: ["never passes", "never fails"],
  fallback: ["never taken", "always taken"],
};

/** The uncovered part of a point, in words; undefined if there is none. */
export function missing({ kind, counts: { yes, no } }: CoveredPoint): string | undefined {
  const [never, always] = ways[kind];
  if (kind === "action") return yes === 0 ? never : undefined;
  // For an action that never runs, its own message is enough.
  if (kind === "gate" && yes === 0) return undefined;
  if (yes === 0 && no === 0) return "never reached";
  if (yes === 0) return never;
  return no === 0 ? always : undefined;
}
