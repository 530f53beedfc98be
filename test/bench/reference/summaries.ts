// W8 as one writes it by hand, for both servers.

export interface Sale {
  region: string;
  status: string;
  amount: number;
}

interface Summary {
  region: string;
  count: number;
  sum: { amount: number };
  max: { amount: number };
}

/** Active sales above 100, by region. */
export function summaries(rows: readonly Sale[]): { groups: Summary[] } {
  const groups = new Map<string, Summary>();
  for (const { region, status, amount } of rows) {
    if (status !== "active" || amount <= 100) continue;
    const group = groups.get(region) ?? { region, count: 0, sum: { amount: 0 }, max: { amount } };
    groups.set(region, group);
    group.count += 1;
    group.sum.amount += amount;
    if (amount > group.max.amount) group.max.amount = amount;
  }
  return { groups: [...groups.values()] };
}
