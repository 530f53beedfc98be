import type { ConfigPlan, InterfacePlan, ParamPlan, ResponsePlan } from "#runtime/plan/index.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { AnalysedInterface, AnalysedPlan } from "./analysed.ts";
import { usesOfConfig } from "./config-uses.ts";
import { durableFact } from "./durable.ts";
import { analyseList, withoutContracts } from "./ops.ts";
import { followSecrets } from "./secret-flow/index.ts";
import type { DescribedQueries } from "./shapes/described.ts";
import { type ShapeSurroundings, shapesOf } from "./shapes/index.ts";
import { type Noted, Notes } from "./shapes/notes.ts";
import type { Watch, WatchedReading } from "./shapes/scope.ts";
import { analyseAssert, analyseTest } from "./tests.ts";
import { usesOf } from "./uses.ts";
import { waitingValue } from "./values.ts";

export type { AnalysedInterface, AnalysedPlan, ConfigUses, InterfaceUses, RuntimePart } from "./analysed.ts";
export type { DescribedQueries, Noted, Watch, WatchedReading };
export { Notes };

interface Known {
  readonly sealed?: ReadonlySet<string>;
  readonly note?: Notes;
  readonly described?: DescribedQueries;
  readonly watch?: Watch;
}

/**
 * Phase 5 writes facts about a plan into the plan: the ops and tests that wait, the plain conditions, the arguments that see earlier data,
 * and the needed parts of the runtime. The interpreter, the printer, the linker, the manifest and the API document read them there, so that
 * all of them agree. It also reports secrets that reach readers who should not have them; `sealed` names managed variables that are
 * secrets. Readings, keys and tests that can never be right are noted in `note`, which reports them after all configurations. `described`
 * has the facts of servers about queries; `watch` gets the facts about each reading.
 */
export function analyse(plan: ConfigPlan, report: Report, known: Known = {}): AnalysedPlan {
  const { sealed = new Set(), note = new Notes(), described, watch } = known;
  followSecrets(plan, sealed, report);
  const speaks = (database: string) => plan.databases.find(({ name }) => name === database)?.speaks;
  const rowsOf = described && ((database: string, query: string) => described.rowsOf(plan.file, database, query));
  const interfaces = plan.interfaces.map((each) => {
    const keeps = durableFact(plan.name, each);
    const analysed = analyseInterface(each, { note, watch, speaks, described: rowsOf });
    return keeps === undefined ? analysed : { ...withoutOutputSchema(analysed), keeps };
  });
  return { ...plan, interfaces, uses: usesOfConfig(plan, interfaces) };
}

function analyseInterface(plan: InterfacePlan, around: ShapeSurroundings): AnalysedInterface {
  const { assert } = plan;
  const analysed: InterfacePlan = {
    ...analyseList(plan),
    params: plan.params.map(analyseParam),
    response: analyseResponse(plan.response),
    ...(assert === undefined ? {} : { assert: analyseAssert(assert) }),
  };
  return { ...withoutContracts(analysed), uses: usesOf(analysed), shapes: shapesOf(analysed, around) };
}

/**
 * The plan without the output schema of its tool: a durable run may continue without its client, and the answer then does not fit the
 * schema.
 */
function withoutOutputSchema<Plan extends Pick<InterfacePlan, "mcp">>({ mcp, ...plan }: Plan): Omit<Plan, "mcp"> & Pick<Plan, "mcp"> {
  if (mcp === undefined) return plan;
  const { outputSchema: _, ...tool } = mcp;
  return { ...plan, mcp: tool };
}

function analyseParam({ value, validate, ...param }: ParamPlan): ParamPlan {
  return { ...param, value: waitingValue(value), ...(validate === undefined ? {} : { validate: analyseTest(validate) }) };
}

function analyseResponse(plan: ResponsePlan): ResponsePlan {
  const { headers, custom_body, error_body } = plan;
  return {
    ...plan,
    ...(headers === undefined ? {} : { headers: waitingValue(headers) }),
    ...(custom_body === undefined ? {} : { custom_body: { ...custom_body, of: waitingValue(custom_body.of) } }),
    ...(error_body === undefined ? {} : { error_body: { ...error_body, of: waitingValue(error_body.of) } }),
  };
}
