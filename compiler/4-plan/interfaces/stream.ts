import { actions } from "#generated/features.ts";
import type { AnyAction, JsonSchema } from "#runtime/features/feature.ts";
import type { ActionPlan, Expr } from "#runtime/plan/index.ts";
import { nameProblem } from "#runtime/realtime/names.ts";
import { isObject } from "#runtime/value/json.ts";
import { entriesOf, get, type Node, scalarText } from "../../1-read/document.ts";
import { hasMarker } from "../../1-read/markers/markers.ts";
import { typeOfNode } from "../../2-check/forms.ts";
import type { ResolvedAction } from "../../3-resolve/resolved.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { realtime as codes } from "../../diagnostics/codes/realtime.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { lower } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";

const features: Readonly<Record<string, AnyAction>> = actions;

/** `stream` of an interface, with the name of the action that it forwards. */
export interface StreamSource {
  readonly from: string;
  readonly node: Node;
}

/** Undefined when nothing can be forwarded: the interface itself has no action of this name (PW681). */
export function streamSource(node: Node, actions: readonly ResolvedAction[], report: Report): StreamSource | undefined {
  const stream = get(node, "stream");
  if (stream?.kind === "map") checkChannels(stream, report);
  const place = stream === undefined ? undefined : get(stream, "from");
  const from = scalarText(place);
  if (stream === undefined || place === undefined || from === undefined) return undefined;
  const names = actions.map(({ name }) => name);
  if (names.includes(from)) return { from, node: stream };
  report(isInLoop(from, actions) ? codes.streamOfLoop(from) : codes.streamOfNobody(from, nearest(from, names)), place.span);
  return undefined;
}

const expected = "a channel, a list of channels or a marker";

/** Reports a value that can never be a channel, so that nothing would ever be forwarded (PW114). */
function checkChannels(stream: Node, report: Report): void {
  const channel = get(stream, "channel");
  if (channel === undefined) return;
  if (channel.kind === "list" && channel.items.length > 0) for (const item of channel.items) checkChannel(item, report);
  else checkChannel(channel, report);
}

function checkChannel(node: Node, report: Report): void {
  const text = scalarText(node);
  if (node.kind !== "scalar" || text === undefined || typeof node.value === "boolean")
    report(shape.wrongType("channel", expected, typeOfNode(node)), node.span);
  else if (!hasMarker(text)) {
    const problem = nameProblem(text);
    if (problem !== undefined) report(shape.wrongType("channel", expected, "string", { problem }), node.span);
  }
}

const isInLoop = (name: string, actions: readonly ResolvedAction[]): boolean =>
  actions.some(({ actions: inner = [] }) => inner.some((one) => one.name === name) || isInLoop(name, inner));

/** Lowers the fields that are evaluated when the stream begins. An action that reads no stream forwards nothing (PW682). */
export function planStream({ from, node }: StreamSource, ops: ActionPlan["ops"], schema: JsonSchema, cx: Lowering): Expr | undefined {
  const entries = entriesOf(node).filter(({ key }) => key === "channel" || key === "flush_ms" || key === "flush_chars");
  const args = lower({ kind: "map", span: node.span, entries }, { ...schema, required: ["channel"] }, cx);
  if (ops.some(readsStream)) return args;
  const place = get(node, "from");
  cx.report(codes.streamOfPlainAction(from), place?.span ?? node.span);
  return undefined;
}

/** True when the op reads a stream, or when a marker decides it as the action runs. */
function readsStream(op: ActionPlan["ops"][number]): boolean {
  if (op.op !== "call" || features[op.use]?.streams !== true) return false;
  if (op.args.op === "lit") return isObject(op.args.value) && op.args.value.stream === true;
  const [, value] = (op.args.op === "map" ? op.args.entries : []).find(([key]) => key === "stream") ?? [];
  return value !== undefined && !(value.op === "lit" && value.value !== true);
}
