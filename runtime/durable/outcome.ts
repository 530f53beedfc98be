import type { ActState, Outcome } from "../run/journal.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";

/** The outcome of an action that has done nothing; only differences from it are stored. */
const usual: Outcome = {
  state: "succeeded",
  data: null,
  message: undefined,
  error: undefined,
  failure: undefined,
  errors: undefined,
  code: undefined,
  reply: undefined,
  okCode: undefined,
  upstream: undefined,
  ms: 0,
  ran: true,
  dropped: false,
  internal: false,
  broken: false,
};

// The literal has all fields, and no others.
const fields = Object.keys(usual) as (keyof Outcome)[];

/** The outcome of an action as a text, with `state` in the place of its own state. */
export function outcomeText(act: Outcome, state: ActState): string {
  const others = fields.filter((field) => field !== "state" && act[field] !== usual[field]).map((field) => [field, act[field]] as const);
  return JSON.stringify(Object.fromEntries(state === usual.state ? others : [["state", state], ...others]));
}

/** Reads the outcome from its text. Throws when the text is no outcome, because another program has changed the row. */
export function readOutcome(text: string): Outcome {
  const stored: Json = JSON.parse(text);
  if (!isObject(stored) || !fields.every((field) => isRight(field, stored))) throw new Error("the outcome of an action cannot be read");
  // Each field has been checked.
  return { ...usual, ...(stored as unknown as Partial<Outcome>) };
}

function isRight(field: keyof Outcome, stored: JsonObject): boolean {
  const value = stored[field];
  if (value === undefined) return true;
  switch (field) {
    case "data":
      return true;
    case "state":
      return value === "failed" || value === "skipped";
    case "message":
    case "error":
    case "failure":
      return typeof value === "string";
    case "errors":
      return Array.isArray(value) && value.every((each) => typeof each === "string");
    case "code":
    case "okCode":
    case "upstream":
    case "ms":
      return typeof value === "number";
    case "reply":
      return isObject(value) && typeof value.text === "string" && typeof value.type === "string";
    case "ran":
    case "dropped":
    case "internal":
    case "broken":
      return typeof value === "boolean";
  }
}
