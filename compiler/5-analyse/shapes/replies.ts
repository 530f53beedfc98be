import type { ActionPlan, InterfacePlan, ShortReplyPlan } from "#runtime/plan/index.ts";
import { any, array, type Member, object, type Shape, string, union } from "#runtime/shapes/shape.ts";
import { bodyShape } from "./bodies.ts";
import { entriesShape } from "./entries.ts";
import { exprShape } from "./exprs.ts";
import { Notes } from "./notes.ts";
import type { ListShape, ShapeScope } from "./scope.ts";

/** The body of an answer of a run that was not refused: the envelope, or the body that replaces it. */
export function replyShape(plan: InterfacePlan, list: ListShape, scope: ShapeScope): Shape {
  const { response, silence } = plan;
  const whole = response.custom_body === undefined ? envelope(plan, list) : bodyShape(response.custom_body, scope);
  const failed = response.error_body === undefined ? [] : [bodyShape(response.error_body, scope)];
  if (response.headers !== undefined) exprShape(response.headers, scope);
  if (silence || plan.respond !== undefined || mayAnswerForTest(plan)) return any;
  return union(whole, ...failed, ...plan.actions.flatMap((action) => shortReplies(action, plan, list, scope)));
}

/** The bodies of the answers that an action gives at its end. Their reads were noted with the action. */
function shortReplies(
  { name, response_on_success, response_on_error }: ActionPlan,
  plan: InterfacePlan,
  list: ListShape,
  scope: ShapeScope,
) {
  const own = list.actions.get(name);
  const around: ShapeScope = { ...scope, self: name, note: new Notes() };
  const bodyOf = (reply: ShortReplyPlan | undefined, data: Shape = any): readonly Shape[] => {
    if (reply === undefined) return [];
    return [reply.body === undefined ? envelope(plan, list) : bodyShape(reply.body, { ...around, data })];
  };
  return [...bodyOf(response_on_success, own?.data), ...bodyOf(response_on_error, own?.seen)];
}

/** The envelope (spec/language 7.2). */
function envelope(plan: InterfacePlan, list: ListShape): Shape {
  const text: Member = { shape: string, optional: true };
  return object(
    new Map<string, Member>([
      ["data", { shape: entriesShape(plan, list) }],
      ["message", text],
      ["error", text],
      ["errors", { shape: array(string), optional: true }],
    ]),
  );
}

/** A test that fails may answer by itself (spec/language 6.4). */
function mayAnswerForTest({ actions, assert, params }: InterfacePlan): boolean {
  const checks = actions.flatMap(({ ops }) => ops.flatMap((op) => (op.op === "check" ? op.assert.tests : [])));
  const tests = [...checks, ...(assert?.tests ?? []), ...params.flatMap(({ validate }) => validate ?? [])];
  return tests.some(({ http_response }) => http_response !== undefined);
}
