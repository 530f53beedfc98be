/** Why a process cannot start in its environment: everything that is missing, each with what to set (spec/command-line 4, status 78). */
export class Unmet extends Error {
  readonly needs: readonly string[];
  /** Several parts of a process may find the same missing: it is said once. */
  constructor(all: readonly string[]) {
    const needs = [...new Set(all)];
    super(["cannot start:", ...needs.map((need) => `  - ${need}`)].join("\n"));
    this.name = "Unmet";
    this.needs = needs;
  }
}
