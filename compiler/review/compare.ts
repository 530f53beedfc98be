import type { Span } from "#runtime/plan/index.ts";
import { facets } from "./facets/index.ts";
import { equal, type Facet, type Fact, type Judgement, severities } from "./fact.ts";
import type { Reviewed } from "./facts.ts";

/** A difference that is reported to a reviewer. */
export interface Difference extends Judgement {
  readonly facet: string;
  /** The name of the interface, or of the configuration if the difference is about it. */
  readonly subject: string;
  /** The version that has the place: the new one, or the old one for a removed part. */
  readonly side: "old" | "new";
  readonly file: string;
  readonly at?: Span;
}

/** All differences between two versions, the gravest first, then in the order of the new version. */
export function compare(before: readonly Reviewed[], after: readonly Reviewed[]): readonly Difference[] {
  const pairs = paired(before, after);
  const matched = new Set(pairs.values());
  const findings = [
    ...after.flatMap((next) => {
      const old = pairs.get(next);
      return old === undefined ? added(next) : [...renamed(old, next), ...changed(old, next)];
    }),
    ...before.filter((old) => !matched.has(old)).flatMap(removed),
  ];
  return gravestFirst(findings);
}

/** Sorts by severity; differences of one severity keep their order. */
export const gravestFirst = (found: readonly Difference[]): readonly Difference[] =>
  found.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));

/**
 * The old version of each interface and configuration that has one. Pairs are found by configuration and name, then by name, then by route:
 * an interface with the route of another is the same one with a new name.
 */
function paired(before: readonly Reviewed[], after: readonly Reviewed[]): ReadonlyMap<Reviewed, Reviewed> {
  const pairs = new Map<Reviewed, Reviewed>();
  const taken = new Set<Reviewed>();
  const keys: readonly ((one: Reviewed) => string | undefined)[] = [
    (one) => JSON.stringify([one.config, one.interface]),
    (one) => one.interface ?? `config ${one.file}`,
    (one) => one.route && `route ${one.route}`,
  ];
  for (const key of keys) {
    const left = Map.groupBy(
      before.filter((old) => !taken.has(old)),
      key,
    );
    left.delete(undefined);
    for (const next of after.filter((one) => !pairs.has(one))) {
      const old = left.get(key(next))?.shift();
      if (old === undefined) continue;
      pairs.set(next, old);
      taken.add(old);
    }
  }
  return pairs;
}

const subjectOf = (one: Reviewed): string => one.interface ?? one.config;

const place = (one: Reviewed, side: Difference["side"], at = one.at): Pick<Difference, "subject" | "side" | "file" | "at"> => ({
  subject: subjectOf(one),
  side,
  file: one.file,
  ...(at && { at }),
});

function renamed(old: Reviewed, next: Reviewed): readonly Difference[] {
  if (subjectOf(old) === subjectOf(next)) return [];
  return [{ severity: "note", facet: "name", text: `is a new name of \`${subjectOf(old)}\``, ...place(next, "new") }];
}

/** The differences for a new interface. Without a guard it is open to every caller. */
function added(next: Reviewed): readonly Difference[] {
  const kind = next.interface === undefined ? "config" : "interface";
  const isOpen = next.hasCallers === true && next.proves !== true;
  const way = next.route === undefined ? "" : ` with route \`${next.route}\``;
  const text = `is a new ${kind}${way}${isOpen ? ", and no test authenticates its callers" : ""}`;
  const first: Difference = { severity: isOpen ? "loosened" : "changed", facet: kind, text, ...place(next, "new") };
  return [first, ...changed({ ...next, facts: {} }, next, (facet) => facet.whole === true && facet.name !== "exposure")];
}

function removed(old: Reviewed): readonly Difference[] {
  const kind = old.interface === undefined ? "config" : "interface";
  const way = old.route === undefined ? "" : ` with route \`${old.route}\``;
  return [
    { severity: old.hasCallers === true ? "breaking" : "changed", facet: kind, text: `the ${kind}${way} is gone`, ...place(old, "old") },
  ];
}

function changed(old: Reviewed, next: Reviewed, wanted: (facet: Facet) => boolean = () => true): readonly Difference[] {
  return facets.filter(wanted).flatMap((facet) => {
    const before = new Map((old.facts[facet.name] ?? []).map((one) => [one.key, one]));
    const after = new Map((next.facts[facet.name] ?? []).map((one) => [one.key, one]));
    const keys = [...new Set([...after.keys(), ...before.keys()])].filter((key) => facet.name !== "calls" || hasBoth(key, old, next));
    return keys.flatMap((key) => difference(facet, before.get(key), after.get(key), old, next));
  });
}

/** True when the action of a call is in both versions. A new or removed action is reported separately, with the things that it reaches. */
const hasBoth = (key: string, ...versions: readonly Reviewed[]): boolean =>
  versions.every(({ facts }) => facts.actions?.some((action) => key.startsWith(`${action.key}: `)) === true);

function difference(facet: Facet, before: Fact | undefined, after: Fact | undefined, old: Reviewed, next: Reviewed): readonly Difference[] {
  const key = after?.key ?? before?.key ?? "";
  if (equal(before?.value, after?.value)) return [];
  const judgements = [facet.judge({ key, before: before?.value, after: after?.value })].flat();
  const where = after === undefined ? place(old, "old", before?.at) : place(next, "new", after.at);
  return judgements.flatMap((judgement) =>
    judgement === undefined ? [] : [{ ...judgement, facet: facet.name, ...where, subject: subjectOf(next) }],
  );
}
