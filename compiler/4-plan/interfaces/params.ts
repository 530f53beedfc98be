import { matchers } from "#generated/features.ts";
import type { AnyMatcher } from "#runtime/features/feature.ts";
import type { Expr, ParamPlan, TestPlan } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, flag, get, items, type Node, scalarText } from "../../1-read/document.ts";
import type { ResolvedInterface } from "../../3-resolve/resolved.ts";
import { paramsOfRoute } from "../../3-resolve/routes.ts";
import { present } from "../../present.ts";
import { planTest } from "../assert.ts";
import { demands } from "../inference/demands.ts";
import { orElse } from "../lower/or-else.ts";
import { lower } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";

/** `params` of an interface, in YAML order (spec/language 6.6). */
export function planParams(node: Node | undefined, cx: Lowering): ParamPlan[] {
  return entriesOf(node).map(({ key, keySpan, value }) => {
    const validate = planValidate(key, value, cx);
    return { name: key, value: planValue(key, value, cx), ...present({ validate }), at: keySpan };
  });
}

/** Names of all parameters that an interface tells of: those of its route, and those under `params`. */
export const namedParams = ({ node, route }: ResolvedInterface): ReadonlySet<string> =>
  new Set([...paramsOfRoute(route), ...entriesOf(get(node, "params")).map(({ key }) => key)]);

/** Matchers that only make sense for a text. */
const ofText = Object.entries<AnyMatcher>(matchers).flatMap(([name, { meansText }]) => (meansText ? [name] : []));

/**
 * Parameters that may be compared with a number without a warning, because their `value` makes a number of them, or because they are tested
 * as texts.
 */
export function settledParams(node: Node | undefined): ReadonlySet<string> {
  const settled = entriesOf(node).filter(({ value }) => {
    const source = get(value, "value");
    const makesNumber = source !== undefined && /->\s*to_number\b/.test(scalarText(source) ?? "");
    return makesNumber || ofText.some((matcher) => get(get(value, "validate"), matcher) !== undefined);
  });
  return new Set(settled.map(({ key }) => key));
}

/**
 * Parameters whose tests let only letters, digits, dots and dashes through, so that no language has to escape them: numbers, ids, and
 * values of a list.
 */
export function harmlessParams(node: Node | undefined): ReadonlySet<string> {
  const tested = entriesOf(node).filter(({ value }) => entriesOf(get(value, "validate")).some(isHarmless));
  return new Set(tested.map(({ key }) => key));
}

function isHarmless({ key, value }: Entry): boolean {
  if (plainTypes.includes(key)) return value.kind === "scalar" && value.value === true;
  if (key === "is_equal_to") return isWord(value);
  if (key === "regex") return plainPattern.test(scalarText(value) ?? "");
  const allowed = key === "contains" ? items(get(value, "allowed")) : [];
  return allowed.length > 0 && allowed.every(isWord);
}

const plainTypes = ["is_uuid", "is_integer", "is_number", "is_boolean"];
const isWord = (node: Node): boolean => /^[\w.-]*$/.test(scalarText(node) ?? "<");

/** Words, digits and classes of these between `^` and `$`, or a choice of words. */
const plainPattern = /^\^(?:(?:\w|-|\\[dw]|\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\w|\\[dw])+-?\]|\{\d+,?\d*\}|[+*?])+|\((?:\?:)?[\w|-]+\))\$$/;

/**
 * The value of a parameter. A present value is kept, even when it is empty; only an absent parameter takes the default, which is text like
 * any other parameter (spec/language 6.6).
 */
function planValue(name: string, node: Node, cx: Lowering): Expr {
  const source = get(node, "value");
  const preset = get(node, "default_value");
  const of: Expr =
    source === undefined
      ? { op: "at", of: { op: "root", root: "params" }, path: [name] }
      : lower(source, {}, cx, { field: "value", required: false });
  if (preset === undefined) return of;
  return orElse(of, lower(preset, { type: "string" }, cx, { field: "default_value", required: false }), preset.span);
}

/**
 * The test of a parameter. A missing parameter fails when it is `required`; a parameter with a test and without a default value is required
 * by default. A missing optional parameter is not tested.
 */
function planValidate(name: string, node: Node, cx: Lowering): TestPlan | undefined {
  const tested = planTested(name, node, cx);
  const isPreset = get(node, "default_value") !== undefined;
  const isRequired = get(node, "required") === undefined ? tested !== undefined && demands(tested) : flag(node, "required");
  if (tested !== undefined && get(node, "required") !== undefined && !isRequired) return { ...tested, spares: true };
  return isRequired && !isPreset ? { ...(tested ?? untested(name, node, cx)), required: true } : tested;
}

/** A parameter that only has to be present. */
const untested = (name: string, node: Node, cx: Lowering): TestPlan => {
  const message = get(node, "error_message");
  return {
    label: name,
    target: { op: "data" },
    matchers: [],
    optional: false,
    case_insensitive: false,
    hide_errors: false,
    ...(message === undefined ? {} : { error_message: lower(message, { type: "string" }, cx) }),
    at: node.span,
  };
};

function planTested(name: string, node: Node, cx: Lowering): TestPlan | undefined {
  const test = get(node, "validate");
  if (test === undefined) return undefined;
  const own: Lowering = { ...cx, scope: { ...cx.scope, selfIsData: true } };
  const plan = planTest(test, { of: { op: "data" }, matchers, label: name }, own);
  const message = get(node, "error_message");
  return message === undefined ? plan : { ...plan, error_message: lower(message, { type: "string" }, cx) };
}
