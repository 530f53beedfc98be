import type { AnswerContract, ChoicePlan, Op } from "#runtime/plan/index.ts";
import { withMember } from "#runtime/shapes/edit.ts";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import { byType, nothing, notNull, type Shape, union } from "#runtime/shapes/shape.ts";
import { argumentsOf } from "./arguments.ts";
import { exprShape } from "./exprs.ts";
import { loopShape } from "./loops.ts";
import { queryShape } from "./queries.ts";
import { callShape, failureShape } from "./records.ts";
import type { LoopShape, ShapeScope } from "./scope.ts";
import { afterFound, afterTests } from "./tests.ts";
import { transformShape } from "./transforms.ts";

/** The shapes after the operations of an attempt. */
export interface AttemptShape {
  readonly data: Shape;
  /** The data after a failure: null, an unexpected answer, or the data that failed a test. */
  readonly kept: Shape;
  readonly loop?: LoopShape;
}

/** The shapes of an attempt, in the order of its operations (spec/language 3.2). */
export function attemptShape(ops: readonly Op[], scope: ShapeScope): AttemptShape {
  let attempt: AttemptShape = { data: nothing, kept: nothing };
  let before: Shape = nothing;
  for (const op of ops) {
    if ("keeps" in op) before = attempt.data;
    const own = "before" in op ? before : attempt.data;
    attempt = afterOp(op, attempt, { ...scope, data: own, at: op.at ?? scope.at });
  }
  return attempt;
}

function afterOp(op: Op, attempt: AttemptShape, scope: ShapeScope): AttemptShape {
  const { data, kept } = attempt;
  switch (op.op) {
    case "take":
      return { ...attempt, data: exprShape(op.from, scope) };
    case "pick":
      return { ...attempt, data: pickShape(op.choices, scope) };
    case "call": {
      const { shape } = argumentsOf(op.args, scope);
      return { ...attempt, data: answered(callShape(op.use, shape), op.contract), kept: union(kept, failureShape(op.use)) };
    }
    case "query":
      return { ...attempt, data: queryShape(op, scope) };
    case "lookup": {
      const loop = loopShape(op, scope);
      return { data: loop.data, kept: union(kept, loop.kept), loop };
    }
    case "check":
      return { ...attempt, data: afterFound(op, afterTests(op.assert.tests, data, scope)), kept: union(kept, data) };
    case "transform":
    case "filter":
    case "nest":
      return { ...attempt, data: transformShape(op, data, scope) };
  }
}

/** The first entry that counts, null where none does (spec/language 3.3). */
function pickShape(choices: readonly ChoicePlan[], scope: ShapeScope): Shape {
  const results = choices.map(({ input, tests }) => {
    const data = exprShape(input, scope);
    return tests === undefined ? notNull(data) : afterTests(tests.tests, data, { ...scope, data });
  });
  return union(nothing, ...results);
}

/** The data of a call whose service describes the body of its answer in an API document. */
function answered(data: Shape, contract: AnswerContract | undefined): Shape {
  if (contract === undefined) return data;
  const body = schemaShape(contract.schema, contract.document);
  return byType(data, (one) => (one.type === "object" ? withMember(one, "body", { shape: body }) : one));
}
