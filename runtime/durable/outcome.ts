import type { ActState, Outcome } from "../run/journal.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";

/** An action that has done nothing; only what differs from it is stored. */
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

// The names of a literal.
const fields = Object.keys(usual) as (keyof Outcome)[];

/** How an action has settled, as a text; its state counts as this one. */
export function outcomeText(act: Outcome, state: ActState): string {
  const others = fields.filter((field) => field !== "state" && act[field] !== usual[field]).map((field) => [field, act[field]] as const);
  return JSON.stringify(Object.fromEntries(state === usual.state ? others : [["state", state], ...others]));
}

/** The outcome again. Throws when the text is none: then the row was changed by somebody else. */
export function readOutcome(text: string): Outcome {
  const stored: Json = JSON.parse(text);
  if (!isObject(stored) || !fields.every((field) => isRight(field, stored))) throw new Error("the outcome of an action cannot be read");
  // Each field has been looked at.
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
