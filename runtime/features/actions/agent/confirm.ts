import type { Host } from "../../../process/host.ts";
import type { Steps } from "../../../run/journal.ts";
import type { Act } from "../../../run/run.ts";
import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { visibleLine } from "../../../value/visible.ts";
import type { Confirmation } from "./tool.ts";

/** choice: characters of the reason for a refusal that the model reads. */
const longestReason = 500;

/** A call that a person has to confirm: its tool and its arguments. */
export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/**
 * Asks a person whether a call may run, and waits for the answer (spec/surfaces 15.1). Gives the reason of a refusal; undefined when the
 * call may run. The model never sees the token, and no text of the model counts as an answer.
 */
export async function refusalOf(act: Act, steps: Steps, name: string, call: Call, confirmation: Confirmation): Promise<string | undefined> {
  const { interface: target, timeout } = confirmation;
  const tell = async (token: string): Promise<boolean> => {
    hide(act.run.host, token);
    if (target === undefined) return true;
    return steps.once(`${name}, told`, () => notify(act, target, { ...call, token, expires_at: expiry(act, timeout) }));
  };
  const answer = await steps.ask(name, { question: { ...call }, ms: timeout, tell });
  switch (answer.state) {
    case "answered":
      return refusalIn(isObject(answer.payload) ? (own(answer.payload, "body") ?? null) : null);
    case "late":
      return "nobody confirmed it in time";
    case "untold":
      return "nobody could be asked to confirm it";
  }
}

/** Runs the interface that notifies the person; false when it has failed. */
async function notify(act: Act, name: string, about: JsonObject): Promise<boolean> {
  const { config, id, interface: around } = act.run;
  const target = config.interfaces.find((each) => each.name === name);
  if (target === undefined || config.calls === undefined) throw new Error(`interface ${name} was not planned to confirm calls`);
  const body = { run: id, interface: around.name, action: act.name, ...about };
  const span = act.span?.child(`confirm ${String(about.tool)}`);
  const { status } = await config.calls(act, target, body, span).finally(() => span?.end());
  act.throwIfCancelled();
  return status < 400;
}

/** choice: tokens are hidden under this many names, used in turn; the redactor remembers the latest tokens of each name. */
const names = 16;

/** Hides the token in logs, records and results of tools, even when the interface that gets the token repeats it. */
function hide(host: Host, token: string): void {
  const counted = host.resource("tokens of calls", () => ({ next: 0, close: () => undefined }));
  counted.next = (counted.next + 1) % names;
  host.redactor.add(`the token of a call, ${counted.next}`, token);
}

const expiry = (act: Act, ms: number): string => new Date(act.run.host.now() + ms).toISOString();

/** The button of the page sends an empty body, which means yes. A body that is not understood refuses. */
function refusalIn(body: Json): string | undefined {
  if (body === null) return undefined;
  const approved = isObject(body) ? own(body, "approved") : undefined;
  const reason = isObject(body) ? own(body, "reason") : undefined;
  const isPlain = isObject(body) && Object.keys(body).every((key) => key === "approved" || key === "reason");
  if (approved === true && isPlain) return undefined;
  if (approved !== false) return 'the answer of a person was neither {"approved": true} nor {"approved": false}';
  return typeof reason === "string" && reason !== ""
    ? `a person has refused it: ${visibleLine(reason.slice(0, longestReason))}`
    : "a person has refused it";
}
