import type { Json, JsonObject } from "../value/json.ts";

/**
 * An effect of a run on the outside, in the form of a test: its first member names the kind (`call`, `query`, `publish`, `mail`, `command`,
 * `sftp`, `state`), the others give details.
 */
export type Effect = JsonObject;

/** The effects of a run in the order in which they begin, and the requests for which the world of the test has no answer. */
export class Effects {
  readonly all: Effect[] = [];
  /** Sentences for the user; each of them fails the test. */
  readonly problems: string[] = [];

  add(effect: Effect): void {
    this.all.push(effect);
  }

  /** Notes a request that the world does not answer; gives the sentence back. */
  lacks(problem: string): string {
    if (!this.problems.includes(problem)) this.problems.push(problem);
    return problem;
  }
}

/** The members that have a value. */
export function withoutEmpty(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const speaks = (value: Json | undefined): value is Json =>
    value !== undefined && value !== null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => speaks(entry[1])));
}
