import { isObject, type Json } from "#runtime/value/json.ts";
import { isProof } from "../../5-analyse/authentication.ts";
import { everyTest } from "../../5-analyse/uses.ts";
import { bare, type Facet, type Fact, shown } from "../fact.ts";

/** Every test of an interface. Which action holds it is no part of its name, so that one that moves is no other test. */
export const checks: Facet = {
  name: "checks",
  read: (target) => {
    const seen = new Map<string, number>();
    return everyTest(target).flatMap((test) =>
      test.matchers.map((matcher): Fact => {
        const label = `${isProof(matcher) ? "authentication" : "test"} ${matcher.use} of ${test.label}`;
        const count = (seen.get(label) ?? 0) + 1;
        seen.set(label, count);
        const at = matcher.at ?? test.at;
        const { optional, case_insensitive, hide_errors, error_message, http_code_on_error } = test;
        const rest = { optional, case_insensitive, hide_errors, error_message, http_code_on_error };
        return {
          key: count === 1 ? label : `${label} (${count})`,
          value: { operand: bare(matcher.operand), leaves: bare(matcher.leaves ?? {}), ...Object.fromEntries(restOf(rest)) },
          ...(at && { at }),
        };
      }),
    );
  },
  judge: ({ key, before, after }) => {
    const isAuth = key.startsWith("authentication");
    if (after === undefined) return { severity: "loosened", text: `${key} is gone` };
    if (before === undefined) return { severity: "tightened", text: `${key} is new` };
    const [old, next] = [fieldsOf(before), fieldsOf(after)];
    if (next.optional === true && old.optional !== true) return { severity: "loosened", text: `${key} lets a missing value pass` };
    if (!isAuth) return { severity: "changed", text: `${key} is ${shown(after)}, was ${shown(before)}` };
    const missing = Object.keys(operandOf(before)).filter((name) => !Object.hasOwn(operandOf(after), name));
    if (missing.length > 0) return { severity: "loosened", text: `${key} holds no more to ${missing.map(shown).join(", ")}` };
    return { severity: "changed", text: `${key} has another rule` };
  },
};

const restOf = (rest: Readonly<Record<string, unknown>>): readonly (readonly [string, Json])[] =>
  Object.entries(rest).flatMap(([name, value]) => (value === undefined || value === false ? [] : [[name, bare(value)] as const]));

const fieldsOf = (value: Json): Readonly<Record<string, Json>> => (isObject(value) ? value : {});

/** The members of a rule such as `{ jwks_url: …, iss: … }`. */
function operandOf(value: Json): Readonly<Record<string, Json>> {
  const { operand = null } = fieldsOf(value);
  const { lit, entries } = fieldsOf(operand);
  if (lit !== undefined) return fieldsOf(lit);
  if (!Array.isArray(entries)) return {};
  return Object.fromEntries(
    entries.flatMap((entry) => (Array.isArray(entry) && typeof entry[0] === "string" ? [[entry[0], entry[1] ?? null]] : [])),
  );
}
