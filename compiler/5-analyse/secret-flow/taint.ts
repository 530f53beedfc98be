import type { Span, Step } from "#runtime/plan/index.ts";

/** The way of a secret to a value. */
export interface Way {
  /** The name of the secret in messages: `the secret API_KEY`. */
  readonly secret: string;
  /** The marker that reads the secret. */
  readonly at?: Span;
  /** True when logs and records show `***` in place of the secret, which they do as long as it is unchanged. */
  readonly hidden: boolean;
  readonly stops: readonly Stop[];
  /** True behind the question mark of an address that is a value of its own, such as a variable. */
  readonly query?: true;
  /** The last marker on the way. */
  readonly read?: Span;
}

/** A place on the way that has the secret: a variable, the data of an action. */
export interface Stop {
  readonly name: string;
  readonly at?: Span;
}

/** The secrets in a value, with their places in the value as far as these are known. */
export interface Taint {
  /** Secrets that may be anywhere in the value. */
  readonly anywhere: readonly Way[];
  readonly members: ReadonlyMap<string, Taint>;
  /** Secrets in elements of the list. */
  readonly items?: Taint;
}

/**
 * The most levels of a value, and the most secrets, that are followed. Beyond these bounds a secret may be anywhere in the value. They are
 * needed because a value that repeatedly holds another one twice grows far larger than its text.
 */
const deepest = 12;
const most = 200;
/** The number of first and of last stops that are shown for a long way. */
const firstStops = 4;
const lastStops = 8;

/** A value without any secret. */
export const clean: Taint = { anywhere: [], members: new Map() };

export const anywhere = (ways: readonly Way[]): Taint => (ways.length === 0 ? clean : { ...clean, anywhere: distinct(ways) });

export const inMembers = (members: Iterable<readonly [string, Taint]>): Taint => {
  const tainted = [...members].filter(([, member]) => isTainted(member));
  return tainted.length === 0 ? clean : bounded({ ...clean, members: new Map(tainted) });
};

export const inItems = (items: Taint): Taint => (isTainted(items) ? bounded({ ...clean, items }) : clean);

export const isTainted = (taint: Taint): boolean => taint !== clean && extentOf(taint).size > 0;

interface Extent {
  readonly levels: number;
  /** The number of secrets, counted at each of their places. */
  readonly size: number;
}

/** The extent of each value. It is kept because values share their parts. */
const extents = new WeakMap<Taint, Extent>();

function extentOf(of: Taint): Extent {
  const before = extents.get(of);
  if (before !== undefined) return before;
  const parts = [...of.members.values(), ...(of.items === undefined ? [] : [of.items])].map(extentOf);
  const extent: Extent = {
    levels: parts.reduce((levels, part) => Math.max(levels, part.levels + 1), 0),
    size: parts.reduce((size, part) => size + part.size, of.anywhere.length),
  };
  extents.set(of, extent);
  return extent;
}

function bounded(of: Taint): Taint {
  const { levels, size } = extentOf(of);
  return levels > deepest || size > most ? whole(of) : of;
}

/** The way with one more stop. The middle of a long way is left out. */
export function onward(way: Way, stop: Stop): Way {
  const stops = [...way.stops, stop];
  if (stops.length <= firstStops + 1 + lastStops) return { ...way, stops };
  return { ...way, stops: [...stops.slice(0, firstStops), { name: "…" }, ...stops.slice(-lastStops)] };
}

/** One way for each secret: the first that was found. */
function distinct(ways: readonly Way[]): readonly Way[] {
  const bySecret = new Map<string, Way>();
  for (const way of ways) if (!bySecret.has(way.secret)) bySecret.set(way.secret, way);
  return [...bySecret.values()];
}

export const union = (...all: readonly Taint[]): Taint => unionOf(all);

/** A union of any number: unlike `union`, it can join more values than a call may have arguments. */
export function unionOf(all: readonly Taint[]): Taint {
  const [first = clean, ...rest] = all.filter((each) => each !== clean);
  return rest.reduce(joined, first);
}

function joined(a: Taint, b: Taint): Taint {
  const names = new Set([...a.members.keys(), ...b.members.keys()]);
  const members = new Map([...names].map((name) => [name, union(a.members.get(name) ?? clean, b.members.get(name) ?? clean)] as const));
  const items = union(a.items ?? clean, b.items ?? clean);
  return bounded({ anywhere: distinct([...a.anywhere, ...b.anywhere]), members, ...(items === clean ? {} : { items }) });
}

/** The secrets in any element of a list, or in any member when the name is unknown. */
export const elements = (of: Taint): Taint => union(anywhere(of.anywhere), ...of.members.values(), of.items ?? clean);

/** The value at a path. `*` fans out, and digits may be an index. */
export function at(of: Taint, path: readonly Step[]): Taint {
  const [step, ...rest] = path;
  if (step === undefined || of === clean) return of;
  return at(step === "*" ? elements(of) : below(of, step), rest);
}

function below(of: Taint, step: Step): Taint {
  const isIndex = typeof step === "number" || /^\d+$/.test(step);
  return union(anywhere(of.anywhere), of.members.get(String(step)) ?? clean, isIndex ? (of.items ?? clean) : clean);
}

/** The secrets of a value, each with its path. */
export function waysIn(
  { anywhere: here, members, items }: Taint,
  path: readonly Step[] = [],
): readonly (readonly [Way, readonly Step[]])[] {
  return [
    ...here.map((way) => [way, path] as const),
    ...[...members].flatMap(([name, member]) => waysIn(member, [...path, name])),
    ...(items === undefined ? [] : waysIn(items, [...path, "*"])),
  ];
}

/** The secrets of a value without their places, because a text or another structure is made of the value. */
export function whole(of: Taint): Taint {
  if (of.members.size === 0 && of.items === undefined) return of;
  const parts = [...of.members.values(), ...(of.items === undefined ? [] : [of.items])];
  return anywhere([...of.anywhere, ...parts.flatMap((part) => whole(part).anywhere)]);
}

/** All secrets of a value that is changed. The new value holds them in another form, in which they cannot be found and hidden. */
export const changed = (of: Taint): Taint => mapped(whole(of), (way) => ({ ...way, hidden: false }));

export function mapped(of: Taint, change: (way: Way, path: readonly Step[]) => Way, path: readonly Step[] = []): Taint {
  if (of === clean) return of;
  return {
    anywhere: of.anywhere.map((way) => change(way, path)),
    members: new Map([...of.members].map(([name, member]) => [name, mapped(member, change, [...path, name])])),
    ...(of.items === undefined ? {} : { items: mapped(of.items, change, [...path, "*"]) }),
  };
}

/** Changes an object, and each object of a list. */
export const inRows = (of: Taint, change: (row: Taint) => Taint): Taint => {
  const { items, ...row } = of;
  return union(change(row), items === undefined ? clean : inItems(change(items)));
};
