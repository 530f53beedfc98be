import type { InterfacePlan, ParamPlan, TestPlan } from "#runtime/plan/index.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import { block as brackets, code, deeper, empty, isShort, type Line, lines, list, lit, parenthesised } from "./code.ts";
import { block, expr } from "./exprs.ts";
import type { ActionPlace } from "./place.ts";
import { asyncWord, message, oneTest } from "./tests.ts";

/** True when the value of a parameter, or its validation, has to wait. */
export const waits = ({ value, validate }: ParamPlan): boolean => value.waits === true || validate?.waits === true;

/** True when the test of a parameter reads its value, or checks whether it is present. */
const readsValue = (test: TestPlan): boolean => test.required === true || test.spares === true || mentions(test, "data");

/** Prints the parameters, which are validated before any action runs. */
export function params({ params: entries, at }: InterfacePlan, p: ActionPlace): Line[] {
  if (entries.length === 0) return [];
  const items = block(
    "[",
    entries.map(({ name: param, value, validate }) => (inner) => {
      const place = { ...p, ...inner };
      const fields = [code`name: ${lit(param)}`, code`value: ${asyncWord(value)}() => ${parenthesised(expr(value, place))}`];
      if (validate !== undefined) {
        const { error_message, ...test } = validate;
        if (error_message !== undefined) fields.push(code`error_message: () => ${message(error_message, place)}`);
        fields.push(code`validate: ${asyncWord(test)}(${readsValue(test) ? code`data` : empty}) => ${oneTest(test, place)}`);
      }
      const line = code`{ ${list(fields)} }`;
      if (isShort(line, inner.indent)) return line;
      return brackets(
        "{",
        fields.map((field) => deeper(field, "  ")),
        "}",
        inner.indent,
      );
    }),
    "]",
    p,
  );
  if (entries.some(waits)) return lines(code`${p.imports.use("asyncParams")}(cx, ${items}, () => {`, at);
  return [...lines(code`if (!${p.imports.use("params")}(cx, ${items})) return;`, at), { text: empty }];
}
