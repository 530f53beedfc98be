import { drivers } from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { matcherForType } from "../other-tools/matchers.ts";
import { dereference } from "./schema.ts";
import type { Definitions } from "./shapes.ts";

interface Remedy {
  readonly hint: string;
  readonly instead?: string;
}

/** A text where a record of the language stands: its value, and how it is written. */
interface ShortText {
  readonly text: string;
  readonly source: string;
}

/** The record that a text stands for in other tools, by the title of its schema: `rate_limit: 5/m`. */
export const shortForms: Readonly<Record<string, (short: ShortText, definitions: Definitions) => Remedy>> = {
  RateLimitRule: rate,
  Param: param,
  Test: test,
  Assert: () => ({ hint: "write { tests: […] }: each test has a 'value' and a matcher" }),
  Contract: () => ({ hint: "write { schema: …, example: … }, which describes JSON" }),
  Database: database,
  // A secret that is written out belongs in no file.
  Secret: ({ text, source }) =>
    text.includes("a|") ? whole(`{ kind: local, data: ${source} }`) : { hint: "write { kind: local, data: a|env::NAME| }" },
};

const unitsOfRate: Readonly<Record<string, string>> = { s: "1s", m: "1min", h: "1h", d: "24h" };

/** `5/m`, `100 per minute`, `10 requests/hour`. */
function rate({ text }: ShortText): Remedy {
  const form = /^(\d+)\s*(?:r|req|requests?)?\s*(?:\/|per\s)\s*(s|m|h|d)(?:ec|econd|in|inute|r|our|ay)?s?$/i;
  const [, requests, unit = ""] = form.exec(text.trim()) ?? [];
  const window = unitsOfRate[unit.toLowerCase()];
  return requests === undefined || window === undefined
    ? { hint: "such as { requests: 5, window: 1min }" }
    : whole(`{ requests: ${requests}, window: ${window} }`);
}

/** The type of a parameter, or a matcher. */
function param({ text }: ShortText, definitions: Definitions): Remedy {
  const matcher = matcherFor(text, definitions);
  return matcher === undefined
    ? { hint: "such as { default_value: 1, validate: { is_integer: true } }" }
    : whole(`{ validate: { ${matcher}: true } }`);
}

function test({ text }: ShortText, definitions: Definitions): Remedy {
  const matcher = matcherFor(text, definitions);
  return matcher === undefined ? { hint: "such as { value: name, is_not_null: true }" } : whole(`{ ${matcher}: true }`);
}

/** The matcher that a text names, or the type in it: `is_uuid`, `integer`. */
const matcherFor = (text: string, definitions: Definitions): string | undefined =>
  matcherForType(text) ?? (isFlag(text, definitions) ? text : undefined);

/** True for a matcher whose operand is true or false. */
function isFlag(text: string, definitions: Definitions): boolean {
  const { properties = {} }: JsonSchema = definitions.Test ?? {};
  return text.startsWith("is_") && Object.hasOwn(properties, text) && dereference(properties[text] ?? {}, definitions).type === "boolean";
}

function database({ text, source }: ShortText): Remedy {
  const scheme = /^([a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase() ?? "";
  const [driver] = Object.entries(drivers).find(([, { schemes }]) => schemes.includes(scheme)) ?? [];
  return driver === undefined
    ? { hint: `write { driver: …, conn_string: ${source} }` }
    : whole(`{ driver: ${driver}, conn_string: ${/^["']|[,{}[\]]/.test(source) ? JSON.stringify(text) : source} }`);
}

const whole = (instead: string): Remedy => ({ hint: `write ${instead}`, instead });
