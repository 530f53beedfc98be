import { asObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { isProof } from "../../5-analyse/authentication.ts";
import { everyTest } from "../../5-analyse/uses.ts";
import { bare, differing, equal, type Facet, type Fact, type Judgement, shown } from "../fact.ts";

/** Every test of an interface. The action is no part of the key, so that a moved test stays the same test. */
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
        const { case_insensitive, hide_errors, error_message, http_code_on_error } = test;
        const rest = { optional: test.optional || test.spares === true, case_insensitive, hide_errors, error_message, http_code_on_error };
        return {
          key: count === 1 ? label : `${label} (${count})`,
          value: {
            target: bare(test.target),
            operand: bare(matcher.operand),
            leaves: bare(matcher.leaves ?? {}),
            ...Object.fromEntries(restOf(rest)),
          },
          ...(at && { at }),
        };
      }),
    );
  },
  judge: ({ key, before, after }) => {
    const isAuth = key.startsWith("authentication");
    if (after === undefined) return { severity: "loosened", text: `${key} is gone` };
    if (before === undefined) return { severity: "tightened", text: `${key} is new` };
    const [old, next] = [asObject(before), asObject(after)];
    if (next.optional === true && old.optional !== true) return { severity: "loosened", text: `${key} lets a missing value pass` };
    const target = otherTarget(key, old, next);
    if (target !== undefined) return target;
    if (!isAuth) return differing(old, next).flatMap((name) => changed(key, name, old, next));
    const missing = Object.keys(operandOf(before)).filter((name) => !Object.hasOwn(operandOf(after), name));
    if (missing.length > 0) return { severity: "loosened", text: `${key} holds no more to ${missing.map(shown).join(", ")}` };
    return { severity: "changed", text: `${key} has another rule` };
  },
};

/** A test of another value leaves the old one unchecked. Manifests of older versions do not name the target of a test. */
function otherTarget(key: string, old: JsonObject, next: JsonObject): Judgement | undefined {
  if (old.target === undefined || next.target === undefined || equal(old.target, next.target)) return undefined;
  const [before, after] = [old, next].map(({ target }) => shown(target));
  const text = before === after ? `${key} looks at another value` : `${key} looks at ${after}, not at ${before}`;
  return { severity: "loosened", text };
}

/** The meaning of one changed member of a test. Markers in an operand are shown in the form of the configuration. */
function changed(key: string, name: string, old: JsonObject, next: JsonObject): readonly Judgement[] {
  if (name === "target" || (name === "leaves" && !equal(old.operand, next.operand))) return [];
  const [before, after] = [old, next].map((test) => shown(test[name]));
  if (before === after || name === "leaves") return [{ severity: "changed", text: `${key} has another rule` }];
  return [{ severity: "changed", text: `${key}${name === "operand" ? "" : `: ${name}`} is ${after}, was ${before}` }];
}

const restOf = (rest: Readonly<Record<string, unknown>>): readonly (readonly [string, Json])[] =>
  Object.entries(rest).flatMap(([name, value]) => (value === undefined || value === false ? [] : [[name, bare(value)] as const]));

/** The members of a rule such as `{ jwks_url: …, iss: … }`. */
function operandOf(value: Json): Readonly<Record<string, Json>> {
  const { operand = null } = asObject(value);
  const { lit, entries } = asObject(operand);
  if (lit !== undefined) return asObject(lit);
  if (!Array.isArray(entries)) return {};
  return Object.fromEntries(
    entries.flatMap((entry) => (Array.isArray(entry) && typeof entry[0] === "string" ? [[entry[0], entry[1] ?? null]] : [])),
  );
}
