import { parseJson } from "../../../formats/json-text.ts";
import type { Act } from "../../../run/run.ts";
import type { TraceSpan } from "../../../tracing/tracer.ts";
import { Failure } from "../../../value/failure.ts";
import { asObject, isObject, type Json } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";
import { isEventStream } from "../http/event-stream.ts";
import { http } from "../http.ts";
import { anthropic } from "./anthropic.ts";
import type { ModelAnswer, ModelApi, Question } from "./conversation.ts";
import { openai } from "./openai.ts";
import { streamedAnswer } from "./streamed.ts";

/** A `model` block after evaluation. Null means unset, as for every field that held a marker. */
export interface ModelArgs {
  readonly api: "openai" | "anthropic";
  readonly url?: string | null;
  readonly name: string | null;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, Json>> | null;
  readonly temperature?: number | null;
  readonly max_tokens?: number | null;
  readonly timeout?: number | null;
  /** Prices of a million tokens. */
  readonly price?: { readonly input?: number | null; readonly output?: number | null } | null;
}

const apis: Readonly<Record<ModelArgs["api"], ModelApi>> = { openai, anthropic };

/**
 * Asks a model once, by a call like those of `http`: the call ends with the run, and is recorded and traced. `retry` of the action repeats
 * this call alone, never the tools that have run before it. `span` is the span of the turn, if the run is traced.
 */
export async function ask(act: Act, model: ModelArgs, question: Question, span: TraceSpan | undefined): Promise<ModelAnswer> {
  const api = apis[model.api];
  const { url: base = api.address } = model;
  // A variable that is not set must not lead prompts to another company.
  if (base === null || base === "") throw new Failure("evaluation", "field url: expected the address of a service, got none");
  const call = async (acting: Act): Promise<Json> => {
    const response = await http(acting, {
      url: `${base.replace(/\/+$/, "")}${api.path}`,
      headers: { ...api.headers(model.key ?? null), ...model.headers },
      body: api.body(question, base),
      timeout: model.timeout ?? 60_000,
      // The body is read as a text, because the parsed form leaves out the event that has the reason of the end.
      data_type: "text",
      ...(question.streams ? { stream: true } : {}),
      ...(span === undefined ? {} : { span }),
    });
    // The answer is read inside of the attempt, so that a stream that has failed or has no end is tried again like a call that was cut.
    return (read(api, response) ?? null) as unknown as Json; // an answer is plain data
  };
  const attempt = act.spec.retry_calls?.(call) ?? call;
  const answer = (await Promise.resolve(attempt(act)).catch(refused)) as unknown as ModelAnswer | null; // made above
  if (answer === null) throw new Failure("transport", "agent: the service has sent no answer of a model", { upstream: 502 });
  return answer;
}

/** Gives the words of the service for its refusal, in place of those that concern an `http` action. */
function refused(error: unknown): never {
  if (!(error instanceof Failure) || error.kind !== "status") throw error;
  const { data = null, upstream } = error.details;
  const message = at(data, "body", "error", "message");
  const reason = typeof message === "string" ? `: ${message.slice(0, 300)}` : "";
  throw new Failure(
    "status",
    `agent: the service of the model has answered ${upstream}${reason}`,
    upstream === undefined ? {} : { upstream },
  );
}

/** Reads an answer. One that was refused or withheld may end in the middle of a call, so none of its calls is run. */
function read(api: ModelApi, response: Json): ModelAnswer | undefined {
  const answer = answerIn(api, response);
  return answer?.stop === "refusal" ? { ...answer, calls: [] } : answer;
}

function answerIn(api: ModelApi, response: Json): ModelAnswer | undefined {
  const { headers = null, body = null } = asObject(response);
  if (typeof body !== "string") return undefined;
  if (isObject(headers) && isEventStream(headers["content-type"])) return streamedAnswer(body, api);
  const value = parseJson(body);
  return value === undefined ? undefined : api.answer(value);
}
