import type { ConfigPlan, InterfacePlan, Span } from "#runtime/plan/index.ts";
import type { Trial } from "#runtime/testing/trial.ts";
import type { Node } from "../1-read/document.ts";
import type { Case } from "./case.ts";
import { unfit, unfitAnswer } from "./contract.ts";
import { givenOf } from "./given.ts";
import type { Mismatch } from "./judge.ts";
import { seenAnswer } from "./seen-answer.ts";

/** The cases from examples of `accepts` and `produces`, which are tests without extra work. */
export function exampleCases(config: ConfigPlan, shared: Node | undefined): Case[] {
  return config.interfaces.flatMap((target): Case[] => {
    const { input_example, output_example } = target.contract;
    if ((input_example === undefined && output_example === undefined) || target.at === undefined) return [];
    const world = givenOf(undefined, shared, config, target, () => undefined);
    const question = { ...world.request, body: input_example };
    return [
      {
        name: `the examples of ${target.name}`,
        file: config.file,
        at: target.at,
        config,
        target,
        given: { ...world, request: question },
        skip: undefined,
      },
    ];
  });
}

/** The verdict about an example: mistakes, or the reason why it proves nothing. */
export type ExampleVerdict = { readonly mismatches: readonly Mismatch[] } | { readonly skip: string };

/** Statuses of answers that depend on more than the body, such as a token or a row. */
const needsMore: ReadonlySet<number> = new Set([401, 403, 404, 409, 429]);

/**
 * Judges the run of an example: its body must be accepted, and the answer must fit `produces`. A run that needs more stubs than there are
 * proves nothing, and needs a test of its own.
 */
export function judgeExample(trial: Trial, target: InterfacePlan, at: Span): ExampleVerdict {
  const { input, output, input_example, output_example } = target.contract;
  const placed = (messages: readonly string[]): Mismatch[] => messages.map((message) => ({ at, message }));
  const ofExamples = placed([
    ...unfit(input_example, input, "accepts", "the example of accepts"),
    ...unfit(output_example, output, "produces", "the example of produces"),
  ]);
  if (ofExamples.length > 0 || input_example === undefined) return { mismatches: ofExamples };
  const [problem] = trial.problems;
  if (problem !== undefined) return { skip: problem };
  const answer = seenAnswer(trial);
  const { status, body } = answer;
  if (needsMore.has(status)) return { skip: `the answer has the status ${status}: a test of its own says what it needs` };
  if (status === 400 && target.params.some(({ validate }) => validate !== undefined))
    return { skip: "a parameter is refused, which an example cannot give: a test of its own can" };
  if (status >= 400) return { mismatches: [{ at, message: `the example of accepts is answered by ${status}: ${JSON.stringify(body)}` }] };
  return { mismatches: placed(unfitAnswer(answer, target)) };
}
