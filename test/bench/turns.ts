/**
 * The systems in the order of their turns in a round. Each system is equally often in each place, because the turn before changes its
 * latencies: of three in a fixed order, the middle one always looked better.
 */
export function inTurn<T>(systems: readonly T[], round: number): readonly T[] {
  const first = round % systems.length;
  const turned = [...systems.slice(first), ...systems.slice(0, first)];
  return Math.floor(round / systems.length) % 2 === 0 ? turned : turned.toReversed();
}
