import type { Finding, Unchecked } from "../accepts.ts";

/** More of them help nobody, and a large body may have one in each of its values. */
const most = 1000;

/**
 * The findings with another one. Those that no place is kept for are counted by the validator alone, which may shorten the list to a count that it had
 * before: the list may have holes.
 */
export function noted(findings: Unchecked, finding: Finding): Unchecked {
  if (findings === null) return [finding];
  if (findings.length < most) findings.push(finding);
  return findings;
}

/** The findings with those of a part. */
export function joined(findings: Unchecked, more: readonly Finding[]): Unchecked {
  return more.reduce<Unchecked>(noted, findings);
}
