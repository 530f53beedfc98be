import { parseJson } from "../../../formats/json-text.ts";
import type { Act } from "../../../run/run.ts";
import type { Json } from "../../../value/json.ts";
import { listed, validatorsOf } from "./validators.ts";

/** An `output` block after evaluation. The compiler has checked the schema. */
export interface OutputArgs {
  readonly schema: Json;
  readonly retries?: number | null;
}

/** The value of an answer that was asked for as JSON, or what is wrong with it. */
export type Output = { readonly value: Json } | { readonly problems: string };

export function readOutput(act: Act, { schema }: OutputArgs, text: string): Output {
  const value = parseJson(fenced(text));
  if (value === undefined) return { problems: "it is no JSON" };
  const problems = validatorsOf(act.run.host).problems(schema, value);
  return problems.length === 0 ? { value } : { problems: listed(problems) };
}

/** The text without the fences of Markdown between which models often write JSON. */
function fenced(text: string): string {
  const inner = text.trim();
  if (!inner.startsWith("```") || !inner.endsWith("```")) return inner;
  const start = inner.indexOf("\n");
  return start < 0 ? inner : inner.slice(start + 1, -3);
}
