import type { Json, JsonObject } from "../value/json.ts";

/**
 * Something that a run does to the outside, as a test writes it: its first member says what it is (`call`, `query`, `publish`, `mail`,
 * `command`, `sftp`, `state`), the others how.
 */
export type Effect = JsonObject;

/** The effects of a run in the order in which they begin, and what the world of the test has no answer to. */
export class Effects {
  readonly all: Effect[] = [];
  /** Sentences for people: each fails the test. */
  readonly problems: string[] = [];

  add(effect: Effect): void {
    this.all.push(effect);
  }

  /** Notes what the world lacks; gives the sentence back. */
  lacks(problem: string): string {
    if (!this.problems.includes(problem)) this.problems.push(problem);
    return problem;
  }
}

/** Members without those that say nothing. */
export function told(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const speaks = (value: Json | undefined): value is Json =>
    value !== undefined && value !== null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => speaks(entry[1])));
}
