import { stringify } from "yaml";
import type { CapturedRun } from "#runtime/capture/recording.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { mask } from "#runtime/value/redact.ts";
import { visibleLine } from "#runtime/value/visible.ts";

/**
 * A recorded run as a file of contract tests: its request, its time, its status and the outcomes of its actions. A record holds no secrets:
 * headers that it hides are left out, other values that it hides stay `***`. It holds no calls either, so that a person writes the stubs.
 */
export function recordedTest(run: CapturedRun): string {
  const { interface: target, request, started, status, trigger, actions, run_uuid } = run;
  const headers = withoutMasked(request.headers);
  const given = {
    ...(trigger === "http" ? {} : { trigger }),
    ...(Object.keys(request.params).length === 0 ? {} : { params: request.params }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(request.body === null ? {} : { body: request.body }),
    clock: started,
  };
  const outcomes = Object.fromEntries(actions.flatMap(({ name, status: how }) => (how === "unfinished" ? [] : [[name, how]])));
  const test = {
    name: `answers ${status} as run ${run_uuid.slice(0, 8)} did`,
    interface: target,
    given,
    expect: { status, ...(actions.length === 0 ? {} : { actions: outcomes }) },
  };
  return `${notes(run)
    .map((line) => `# ${line}\n`)
    .join("")}${stringify({ tests: [test] }, { lineWidth: 0 })}`;
}

/** The lines for the person who makes a test of it. */
function notes({ config, interface: target, run_uuid, started, request, actions }: CapturedRun): readonly string[] {
  const hidden = Object.keys(request.headers).filter((name) => request.headers[name] === mask);
  const withData = actions.filter(({ data }) => data !== undefined).map(({ name, data }) => `  ${name}: ${short(data ?? null)}`);
  return [
    `Run ${run_uuid} of ${config}, ${target}, at ${started}.`,
    ...(hidden.length === 0 ? [] : [`Hidden headers, to be given where the interface needs them: ${hidden.join(", ")}`]),
    ...(holdsMask({ params: request.params, body: request.body }) ? ["Values that are *** were hidden by the record."] : []),
    "A record holds no calls and no rows: add what stands in for them under given (stubs, databases). The data of its actions were:",
    ...withData,
  ].map(visibleLine);
}

const withoutMasked = (headers: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== mask && !framing.has(name)));

/** Headers that follow from the request. */
const framing: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

function holdsMask(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsMask);
  return isObject(value) ? Object.values(value).some(holdsMask) : value === mask;
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
