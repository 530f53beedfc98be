import type { RunStore } from "#runtime/store/runs.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import type { Difference } from "./compare.ts";

/** The most ids in one line. */
const mostNamed = 10;

/** The number of rows in one query. */
const page = 1_000;

/** An interface with runs that no process with the new version can continue. */
export interface Stranding {
  readonly config: AnalysedPlan;
  readonly target: AnalysedInterface;
  /** The plan hashes of stranded runs, in the order of their first open action. */
  readonly plans: readonly string[];
  /** The reason why runs with all actions settled are stranded, too; undefined if they are not. */
  readonly end?: string;
}

/** The durable interfaces of the old version with plan hashes that the new version lacks (spec/surfaces 14). */
export function strandings(before: readonly AnalysedPlan[], after: readonly AnalysedPlan[]): readonly Stranding[] {
  const plansAfter = new Set(after.flatMap(({ interfaces }) => interfaces.flatMap(({ keeps }) => keeps?.plans ?? [])));
  return before.flatMap((config) =>
    config.interfaces.flatMap((target): Stranding[] => {
      const all = target.keeps?.plans ?? [];
      // The hash from an action on includes the plans behind it, so the unknown hashes all come before the first known one.
      const plans = all.filter((plan) => !plansAfter.has(plan));
      if (plans.length === 0) return [];
      return [{ config, target, plans, ...(plans.length === all.length ? { end: whyAll(config, target, after) } : {}) }];
    }),
  );
}

function whyAll(config: AnalysedPlan, { name }: AnalysedInterface, after: readonly AnalysedPlan[]): string {
  const same = after.find((each) => each.name === config.name)?.interfaces.find((each) => each.name === name);
  if (same === undefined) return "the interface is gone, or has another name";
  return same.keeps === undefined ? "it is not durable any more" : "`response`, `assert`, `log` or what follows from them is changed";
}

/** A line for each stranded interface, used when the existing runs are unknown. */
export const inWords = (found: readonly Stranding[]): readonly Difference[] =>
  found.map((one) => difference(one, one.plans.length - 1, `runs ${whichOf(one, one.plans.length - 1, "have")} cannot go on`));

/** A line for each action at which runs of the store would be stranded, with the ids of the runs. */
export async function ofStore(found: readonly Stranding[], store: RunStore): Promise<readonly Difference[]> {
  const lines: Difference[] = [];
  for (const one of found) {
    const left = await leftOf(one, store);
    for (const [i, plan] of one.plans.entries()) {
      const { count, ids } = left.get(plan) ?? { count: 0, ids: [] };
      if (count === 0) continue;
      const more = count > ids.length ? `, and ${count - ids.length} more` : "";
      lines.push(
        difference(
          one,
          i,
          `${count} ${count === 1 ? "run" : "runs"} ${whichOf(one, i, count === 1 ? "has" : "have")} cannot go on: ${ids.join(", ")}${more}`,
        ),
      );
    }
  }
  return lines;
}

interface Left {
  count: number;
  readonly ids: string[];
}

/** Runs that are not over, by their plans. */
async function leftOf({ config, target }: Stranding, store: RunStore): Promise<ReadonlyMap<string, Left>> {
  const left = new Map<string, Left>();
  for (const status of ["waiting", "open"] as const) {
    let after: string | undefined;
    do {
      const rows = await store.list({ config: config.name, interface: target.name, status, after, limit: page });
      for (const { plan, id } of rows) {
        const one = left.get(plan) ?? { count: 0, ids: [] };
        one.count += 1;
        if (one.ids.length < mostNamed) one.ids.push(id);
        left.set(plan, one);
      }
      after = rows.length === page ? rows.at(-1)?.id : undefined;
    } while (after !== undefined);
  }
  return left;
}

/** The words for runs whose first open action has this index. */
function whichOf({ target, end }: Stranding, i: number, has: "has" | "have"): string {
  const action = target.actions[i]?.name;
  const which = action === undefined ? `that ${has} settled every action` : `that ${has} not settled \`${action}\``;
  return end === undefined ? which : `${action === undefined ? "under way" : which} (${end})`;
}

function difference({ config, target }: Stranding, i: number, text: string): Difference {
  const at = target.actions[i]?.at ?? target.at;
  const place = { subject: target.name, side: "old", file: config.file, ...(at && { at }) } as const;
  return { severity: "breaking", facet: "runs", text, ...place };
}
