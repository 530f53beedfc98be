/**
 * The failure of a process that cannot start in its environment: all missing needs, each with a remedy (spec/command-line 4, status 78).
 */
export class Unmet extends Error {
  readonly needs: readonly string[];
  /** Several parts of a process may miss the same need, which is listed once. */
  constructor(all: readonly string[]) {
    const needs = [...new Set(all)];
    super(["cannot start:", ...needs.map((need) => `  - ${need}`)].join("\n"));
    this.name = "Unmet";
    this.needs = needs;
  }
}
