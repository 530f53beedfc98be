import type { Json } from "../../value/json.ts";
import type { TestResult } from "../verdict.ts";
import { failedTests } from "./check.ts";

/** An entry of `conditional_input`. With tests it counts when all of them pass; without tests it counts when its value is set. */
export interface Choice {
  readonly input: () => Json;
  readonly tests?: (data: Json) => readonly TestResult[];
}

/** An entry whose value or tests may wait. */
export interface AsyncChoice {
  readonly input: () => Json | Promise<Json>;
  readonly tests?: (data: Json) => readonly TestResult[] | Promise<readonly TestResult[]>;
}

/** Gives the value of the first entry that counts; null when none does (spec/language 3.3). Later entries are not evaluated. */
export function pick(...choices: readonly Choice[]): Json {
  for (const { input, tests } of choices) {
    const data = input();
    if (tests === undefined ? data !== null : failedTests(tests(data)).length === 0) return data;
  }
  return null;
}

/** Picks an entry by values or tests that wait. */
export async function asyncPick(...choices: readonly AsyncChoice[]): Promise<Json> {
  for (const { input, tests } of choices) {
    const data = await input();
    if (tests === undefined ? data !== null : failedTests(await tests(data)).length === 0) return data;
  }
  return null;
}
