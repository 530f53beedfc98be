import { parseJson } from "#runtime/formats/json-text.ts";
import { bare, schemaCompiler } from "#runtime/languages/schema/compiler.ts";
import type { InterfacePlan, Span } from "#runtime/plan/index.ts";
import type { Interface } from "#runtime/run/interface.ts";
import type { Reply } from "#runtime/run/response.ts";
import type { Json } from "#runtime/value/json.ts";
import type { AnalysedPlan } from "../../5-analyse/index.ts";
import type { Memory } from "../../memory.ts";
import type { Planned } from "../../pipeline.ts";

/** The functions that `dev` adds to an interface of a configuration. */
export type Answers = (config: string, target: string) => Pick<Interface, "checks">;

/** The most problems of one answer in the log. */
const mostProblems = 20;

/** The schemas of answers with `produces.enforce: true`, keyed by configuration and interface. */
export const enforcedSchemas = ({ plans }: Pick<Planned, "plans">): readonly (readonly [string, Json])[] =>
  plans.flatMap(({ name, interfaces }) =>
    interfaces.flatMap(({ name: target, contract: { output, enforced } }) =>
      enforced === undefined || output === undefined ? [] : [[keyOf(name, target), output] as const],
    ),
  );

/**
 * Compares answers of success with the schema that their interface declares. An answer that does not fit causes a warning, but is still
 * sent.
 */
export function answersOf({ plans, sources }: Pick<Planned, "plans" | "sources">, memory: Memory): Answers {
  const placed = (at: Span): string => {
    const { line, column } = sources.lines(at.file).at(at.start);
    return `${at.file}:${line}:${column}`;
  };
  const checksIn = ({ name, interfaces }: AnalysedPlan): readonly (readonly [string, Interface["checks"]])[] =>
    interfaces.flatMap((target) => {
      const check = checkOf(target, placed);
      return check === undefined ? [] : [[keyOf(name, target.name), check]];
    });
  const checks = new Map(
    plans.flatMap((each) =>
      memory.result({ step: "answers", file: each.file, given: [each], asks: {}, make: () => checksIn(each) }, () => undefined),
    ),
  );
  return (config, target) => {
    const check = checks.get(keyOf(config, target));
    return check === undefined ? {} : { checks: check };
  };
}

const keyOf = (config: string, target: string): string => JSON.stringify([config, target]);

function checkOf({ contract: { output, enforced } }: InterfacePlan, placed: (at: Span) => string): Interface["checks"] {
  if (enforced === undefined || output === undefined) return undefined;
  const at = placed(enforced);
  const validate = schemaCompiler(output).compile(bare(output));
  return (answer, run) => {
    if (answer.status >= 400 || run.interface.silence === true || validate(answered(answer))) return;
    const problems = (validate.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`.trimStart());
    const errors = problems.slice(0, mostProblems).map((text) => run.host.redactor.text(text));
    run.host.log("warn", "the answer is not what produces.schema says", { ...run.place, at, status: answer.status, errors });
  };
}

/** The body as data: JSON is parsed, any other body is a text. */
function answered({ body, headers }: Reply): Json {
  return /[/+]json\b/.test(headers["content-type"] ?? "") ? (parseJson(body) ?? null) : body;
}
