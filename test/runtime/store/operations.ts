import fc from "fast-check";
import { type StateStore, seenMost } from "#runtime/state/store.ts";
import type { Coordination } from "#runtime/store/coordination.ts";
import type { RunStore, Then } from "#runtime/store/runs.ts";
import type { Json } from "#runtime/value/json.ts";
import { hashOf, type Place } from "./run-stores.ts";

// Random operations on a store, in words that mean the same on every backend: times are hours from now, and runs are numbers.

/** An operation on a backend; its answer is the same on all. */
export type Operation = readonly [name: string, act: (nodes: Nodes) => Promise<unknown>];

/** The nodes of one place. */
export interface Nodes {
  readonly place: Place;
  readonly runs: readonly RunStore[];
  readonly states: readonly StateStore[];
  readonly coordinations: readonly Coordination[];
}

const hour = 3_600_000;

/** How many runs, keys and tokens an example has. */
const few = 6;

const n = fc.nat({ max: few - 1 });
const node = fc.nat({ max: 1 });
const hours = fc.nat({ max: 30 });
const names = fc.constantFrom("a", "b");
const plan = fc.constantFrom("p1", "p2", "p3");
const plans = fc.uniqueArray(plan, { minLength: 1, maxLength: 3 });
const path = fc.constantFrom("A", "B[1]", "C'\"é", "A\ttoken");
/** Some are so long that they are compressed. */
const output = fc.constantFrom("1", '"é\\u0000"', `"${"long ä".repeat(12_000)}"`);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const idOf = (number: number): string => `run-${number}`;
const later = async (runs: RunStore, more: number | undefined): Promise<number | undefined> =>
  more === undefined ? undefined : (await runs.now()) + more * hour;

/** Whole hours; never -0. */
const inHours = (ms: number): number => Math.round(ms / hour) + 0;

/** Times of a row in whole hours from now: backends do not begin at the same time. */
async function relative<T>(runs: RunStore, answer: T): Promise<unknown> {
  const now = await runs.now();
  return JSON.parse(JSON.stringify(answer), (name, value) =>
    ["due", "created", "ended", "until"].includes(name) && typeof value === "number" ? inHours(value - now) : value,
  );
}

const sorted = <T extends { readonly id: string }>(found: readonly T[]): T[] => found.toSorted((a, b) => (a.id < b.id ? -1 : 1));

function operation<T>(name: string, args: fc.Arbitrary<T>, act: (args: T, nodes: Nodes) => Promise<unknown>): fc.Arbitrary<Operation> {
  return args.map((chosen) => [`${name} ${JSON.stringify(chosen)?.slice(0, 200)}`, (nodes) => act(chosen, nodes)]);
}

const onRuns = <T>(name: string, args: fc.Arbitrary<T>, act: (runs: RunStore, args: T) => Promise<unknown>): fc.Arbitrary<Operation> =>
  operation(name, fc.tuple(node, args), ([which, chosen], { runs }) => act(runs[which] ?? fail(), chosen));

const onState = <T>(name: string, args: fc.Arbitrary<T>, act: (state: StateStore, args: T) => Promise<unknown>): fc.Arbitrary<Operation> =>
  operation(name, fc.tuple(node, args), ([which, chosen], { states }) => act(states[which] ?? fail(), chosen));

const agreed = <T>(
  name: string,
  args: fc.Arbitrary<T>,
  act: (agreement: Coordination, args: T) => Promise<unknown>,
): fc.Arbitrary<Operation> =>
  operation(name, fc.tuple(node, args), ([which, chosen], { coordinations }) => act(coordinations[which] ?? fail(), chosen));

function fail(): never {
  throw new Error("no such node");
}

const then = fc.record({
  plan: maybe(plan),
  token: maybe(n),
  hours,
  end: fc.constantFrom("goes on", "release", "sleep", "done", "failed"),
});

const create = onRuns(
  "create",
  fc.record({ n, plan, config: names, lease: maybe(names), wake: maybe(hours), key: maybe(names), quota: maybe(n), output }),
  async (runs, { n: number, config, lease, wake, key, quota, output: input, ...more }) =>
    runs.create({
      ...more,
      ...{ id: idOf(number), config, interface: "i", bundle: "b", input, seed: "s", dedupeKey: key, quota },
      wakeAt: await later(runs, wake),
      ...(lease === undefined ? {} : { lease: { node: lease, ms: hour } }),
    }),
);

const claim = onRuns("claim", fc.tuple(names, plans), async (runs, [name, wanted]) => {
  const claims = await runs.claim({ node: name, ms: hour }, wanted, 100);
  return sorted(claims).map(({ age, ...claimed }) => ({ ...claimed, age: inHours(age) }));
});

const checkpoint = onRuns(
  "checkpoint",
  fc.record({ n, older: fc.constantFrom(0, 0, 0, 1), points: fc.array(fc.record({ path, output }), { maxLength: 2 }), then }),
  async (runs, { n: number, older, points, then: { plan: next, token, hours: more, end } }) => {
    const epoch = ((await runs.show(idOf(number)))?.epoch ?? 0) - older;
    const until = (await later(runs, more)) ?? 0;
    const wait = token === undefined ? {} : { wait: { path: points[0]?.path ?? "A", tokenHash: hashOf(token), until } };
    const ends: Readonly<Record<typeof end, Then>> = {
      "goes on": {},
      release: { release: {} },
      sleep: { release: { at: until } },
      done: { finish: { status: "done", result: "r" } },
      failed: { finish: { status: "failed", result: "r" } },
    };
    return runs.checkpoint({ id: idOf(number), epoch }, points, { plan: next, ...wait, ...ends[end] });
  },
);

const renew = onRuns("renew", fc.tuple(names, fc.uniqueArray(n)), async (runs, [name, numbers]) => {
  const held = await Promise.all(numbers.map(async (one) => ({ id: idOf(one), epoch: (await runs.show(idOf(one)))?.epoch ?? 0 })));
  return runs.renew({ node: name, ms: hour }, held);
});

const place = fc.record({ namespace: names, key: names });
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.integer(),
  fc.constantFrom("9", "10", "1e2", "z", "é", "2026-01-01"),
  fc.constant(null),
  fc.constant<Json>({ a: [1.5, "x"] }),
);
const ttl = maybe(fc.integer({ min: 1, max: 30 }));
const inMs = (time: number | undefined): number | undefined => (time === undefined ? undefined : time * hour);

/** Any operation. */
export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  create,
  claim,
  { arbitrary: checkpoint, weight: 3 },
  renew,
  onRuns("resume", n, (runs, token) => runs.resume(hashOf(token), `"${token}"`)),
  onRuns("cancel", n, (runs, number) => runs.cancel(idOf(number))),
  onRuns("retry", fc.tuple(n, fc.uniqueArray(path, { maxLength: 2 })), (runs, [number, again]) => runs.retry(idOf(number), again)),
  onRuns("outputs", n, (runs, number) => runs.outputs(idOf(number))),
  onRuns("expireNode", names, (runs, name) => runs.expireNode(name)),
  onRuns("nextDue", plans, async (runs, wanted) => {
    const due = await runs.nextDue(wanted);
    return due === undefined ? "none" : inHours(due);
  }),
  onRuns("show", n, async (runs, number) => relative(runs, (await runs.show(idOf(number))) ?? null)),
  onRuns("list", maybe(names), async (runs, config) => relative(runs, await runs.list({ config }))),
  onRuns("overdue", hours, async (runs, ago) => relative(runs, await runs.list({ dueBefore: (await runs.now()) - ago * hour + hour / 2 }))),
  onRuns("stuck", plans, async (runs, wanted) => relative(runs, await runs.stuck(wanted, 100))),
  onRuns("prune", hours, async (runs, ago) => runs.prune((await runs.now()) - ago * hour + hour / 2)),
  operation("pass", hours, async (time, { place: { pass } }) => pass(time * hour)),
  agreed("take", fc.tuple(names, n), (agreement, [name, slot]) => agreement.take([name, "i"], slot, "node")),
  agreed(
    "lease",
    fc.tuple(names, hours),
    async (agreement, [name, more]) => (await agreement.lease(name, "node", more * hour + hour / 2)) ?? "held",
  ),
  agreed("extend", fc.tuple(names, n, hours), (agreement, [name, epoch, more]) => agreement.extend(name, epoch, more * hour + hour / 2)),
  agreed("free", fc.tuple(names, n), (agreement, [name, epoch]) => agreement.free(name, epoch)),
  agreed("tally", fc.tuple(names, names, n, hours), (agreement, [name, one, count, more]) =>
    agreement.tally(name, one, count, more * hour + hour / 2),
  ),
  onState("set", fc.record({ place, value, ttl, expected: maybe(fc.nat({ max: 3 })) }), async (state, args) =>
    state.set(args.place, args.value, { ttl: inMs(args.ttl), expected: args.expected }),
  ),
  onState("advance", fc.record({ place, value, ttl }), (state, args) => state.advance(args.place, args.value, inMs(args.ttl))),
  onState("get", place, (state, where) => state.get(where)),
  onState("delete", place, (state, where) => state.delete(where)),
  onState(
    "seen",
    fc.record({ place, ids: fc.array(fc.constantFrom("1", "2", "3", "é", ""), { maxLength: 8 }), ttl, mark: maybe(names) }),
    (state, args) => state.seen(args.place, args.ids, { ttl: inMs(args.ttl), cap: 3, most: seenMost, mark: args.mark }),
  ),
);

/** Everything that a place holds, in its own words. */
export async function dump({ runs: [runs], states: [state] }: Nodes): Promise<unknown> {
  if (runs === undefined || state === undefined) return fail();
  const rows = await runs.list({ limit: 1_000 });
  const shown = await Promise.all(rows.map(({ id }) => runs.show(id)));
  const entries = [];
  for (const namespace of ["a", "b"]) for (const key of ["a", "b"]) entries.push(await state.get({ namespace, key }));
  return { runs: await relative(runs, shown), entries };
}
