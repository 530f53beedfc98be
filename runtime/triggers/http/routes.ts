import { percentDecode } from "../../formats/form.ts";

/** The result of a search for a path. */
export type RouteMatch<T> =
  | { readonly kind: "route"; readonly target: T; readonly names: readonly string[]; readonly values: readonly string[] }
  /** The path is served, but not by this method. */
  | { readonly kind: "method"; readonly served: ReadonlyMap<string, T> }
  | { readonly kind: "none" }
  /** An escape in the path is not UTF-8. */
  | { readonly kind: "invalid" };

type Route<T> = Extract<RouteMatch<T>, { kind: "route" }>;
type Methods<T> = Map<string, { readonly target: T; readonly names: readonly string[] }>;

/** The routes below one path segment. */
interface Level<T> {
  readonly literals: Map<string, Level<T>>;
  parameter?: Level<T>;
  /** Routes that end here. */
  ends?: Methods<T>;
  /** Routes whose `*rest` starts here. */
  rest?: Methods<T>;
}

const none = { kind: "none" } as const;
const invalid = { kind: "invalid" } as const;

/**
 * Finds the target of a path (spec/surfaces 1): `:name` and `{name}` match one segment that is not empty, a last `*name` matches the rest.
 * A literal wins over a parameter, and a parameter over the rest, whatever the order of declaration. A route without the method is skipped
 * for one that has it.
 */
export class RouteTable<T> {
  readonly #root: Level<T> = { literals: new Map() };
  /** Routes without parameters, found without splitting the path. */
  readonly #plain = new Map<string, Map<string, Route<T>>>();

  /** Adds a route; false when a route with this method and shape of path exists already. */
  add(method: string, path: string, target: T): boolean {
    const names: string[] = [];
    let level = this.#root;
    let rest = false;
    const segments = path.replace(/^\//, "").split("/");
    for (const [i, segment] of segments.entries()) {
      rest = segment.startsWith("*") && i === segments.length - 1;
      const name = rest ? segment.slice(1) || segment : parameterName(segment);
      if (name !== undefined) names.push(name);
      if (!rest) level = name === undefined ? literalBelow(level, percentDecode(segment) ?? segment) : parameterBelow(level);
    }
    const methods = endsOf(level, rest);
    if (methods.has(method)) return false;
    methods.set(method, { target, names });
    if (names.length === 0) this.#addPlain(method, path, target);
    return true;
  }

  find(method: string, path: string): RouteMatch<T> {
    const plain = this.#plain.get(path);
    const destination = plain === undefined ? undefined : serving(plain, method);
    if (destination !== undefined) return destination;
    // A target such as `OPTIONS *` concerns the server, not a path.
    if (!path.startsWith("/")) return none;
    const segments = segmentsOf(path);
    if (segments === undefined) return invalid;
    if (segments.some((segment, i) => isUnsafe(segment, i === segments.length - 1))) return none;
    const search: Search<T> = { method, segments, others: new Map() };
    return descend(this.#root, 0, [], search) ?? (search.others.size === 0 ? none : { kind: "method", served: search.others });
  }

  #addPlain(method: string, path: string, target: T): void {
    const methods = this.#plain.get(path) ?? new Map<string, Route<T>>();
    this.#plain.set(path, methods.set(method, { kind: "route", target, names: [], values: [] }));
  }
}

interface Search<T> {
  readonly method: string;
  readonly segments: readonly string[];
  /** The routes that match the path but do not serve this method, by their methods. */
  readonly others: Map<string, T>;
}

/** Searches the table. A level is visited at most once for each of its routes, however long the path is. */
function descend<T>(level: Level<T>, at: number, values: readonly string[], search: Search<T>): Route<T> | undefined {
  const { segments } = search;
  const segment = segments[at];
  if (segment === undefined) return choose(level.ends, values, search);
  const literal = level.literals.get(segment);
  const below = literal === undefined ? undefined : descend(literal, at + 1, values, search);
  if (below !== undefined) return below;
  if (level.parameter !== undefined && segment !== "") {
    const match = descend(level.parameter, at + 1, [...values, segment], search);
    if (match !== undefined) return match;
  }
  return choose(level.rest, [...values, segments.slice(at).join("/")], search);
}

function choose<T>(methods: Methods<T> | undefined, values: readonly string[], { method, others }: Search<T>): Route<T> | undefined {
  if (methods === undefined) return undefined;
  const destination = serving(methods, method);
  if (destination !== undefined) return { kind: "route", ...destination, values };
  for (const [name, { target }] of methods) if (!others.has(name)) others.set(name, target);
  return undefined;
}

/** The entry for a method. GET also serves HEAD, and ANY serves every method. */
function serving<V>(methods: ReadonlyMap<string, V>, method: string): V | undefined {
  return methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined) ?? methods.get("ANY");
}

/** The header `allow` of routes with these methods. */
export function allowOf(methods: Iterable<string>): readonly string[] {
  const all = new Set(methods);
  if (all.has("GET")) all.add("HEAD");
  return [...all].sort();
}

/** Splits a path into segments before it unescapes them, so that an escaped slash stays inside its segment. */
function segmentsOf(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  for (const part of path.slice(1).split("/")) {
    const segment = percentDecode(part);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** True for a segment that is refused. Only the last segment may be empty: a trailing slash is part of the path. */
const isUnsafe = (segment: string, last: boolean): boolean => segment === "." || segment === ".." || (segment === "" && !last);

function parameterName(segment: string): string | undefined {
  const braced = /^\{(.+)\}$/.exec(segment);
  if (braced !== null) return braced[1];
  return segment.startsWith(":") ? segment.slice(1) || segment : undefined;
}

function literalBelow<T>(level: Level<T>, segment: string): Level<T> {
  const below = level.literals.get(segment) ?? { literals: new Map() };
  level.literals.set(segment, below);
  return below;
}

function parameterBelow<T>(level: Level<T>): Level<T> {
  level.parameter ??= { literals: new Map() };
  return level.parameter;
}

function endsOf<T>(level: Level<T>, rest: boolean): Methods<T> {
  if (rest) level.rest ??= new Map();
  else level.ends ??= new Map();
  return (rest ? level.rest : level.ends) ?? new Map();
}
