import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import type { Node } from "../1-read/document.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { faults, type Judge } from "./inference/faults.ts";
import { quotesStandIn, standIns } from "./inference/stand-ins.ts";
import { refusal, type Stages } from "./stage.ts";

/**
 * Runs stage 1 of a feature on its arguments, as far as they are written (spec/transforms 2.2). A refusal is reported at the scalars that
 * cause it. An option that is a marker is checked at run time instead.
 */
export function checkArguments(feature: Stages & { readonly schema: JsonSchema }, args: Expr, node: Node, report: Report): void {
  const samples = args.op === "lit" ? [args.value] : standIns(args, feature.schema);
  const [sample] = samples;
  if (sample === undefined) return;
  // The schema has checked the written parts. A made-up value may have a type for which stage 1 is not written: then the answer is unknown.
  const refusals = args.op === "lit" ? [refusal(feature, sample)] : samples.map((one) => asWritten(stageOne(feature, one))?.finding);
  if (refusals.includes(undefined)) return;
  const judge: Judge = (value) => (args.op === "lit" ? stageOne(feature, value) : asWritten(stageOne(feature, value)));
  for (const { finding, span } of faults(node, sample, feature.schema, judge)) report(finding, span);
}

/** The judgement without refusals that concern only a made-up value. */
const asWritten = (judged: ReturnType<Judge>): ReturnType<Judge> =>
  judged?.finding !== undefined && quotesStandIn(judged.finding.message) ? { finding: undefined } : judged;

/** Runs stage 1 on made-up arguments; undefined when it accepts them. */
function stageOne(feature: Stages, args: Json): ReturnType<Judge> {
  try {
    const finding = refusal(feature, args);
    return finding && { finding };
  } catch {
    return { finding: undefined };
  }
}
