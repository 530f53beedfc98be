/**
 * The systems in the order in which they take their turns in a round. Each is in each place equally often, because what came before a turn
 * tells in its latencies: of three that went forth and back, the one in the middle always looked better.
 */
export function inTurn<T>(systems: readonly T[], round: number): readonly T[] {
  const first = round % systems.length;
  const turned = [...systems.slice(first), ...systems.slice(0, first)];
  return Math.floor(round / systems.length) % 2 === 0 ? turned : turned.toReversed();
}
