import type { Host } from "../process/host.ts";
import { BlockingWorker, inBlockingWorker } from "../threads/blocking-worker.ts";
import { code } from "../threads/kinds/jq.code.ts";
import type { JqRequest } from "../threads/kinds/jq.ts";
import { inWorker, type WorkerKind } from "../threads/worker.ts";
import { notTooDeep } from "../value/depth.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { compiledOutput, type JqFilter, jqQuestion } from "./jq/filter.ts";

export type { Compiled, JqFilter } from "./jq/filter.ts";

/** MiB of the thread: `heap` for JavaScript, `buffers` for jq's own memory. jq ends itself at half of `buffers`. */
const jqThread: WorkerKind<JqRequest, string> = { name: "jq", code, heap: 256, buffers: 512 };

/** Milliseconds that a filter may take: `now` where the process stands still meanwhile, `later` where other runs go on. */
const limits = { now: 250, later: 30_000 } as const;

/**
 * Runs a filter on some data (spec/jq-jsonpath-regex A.4): null for no output, the value for one, else the list. Throws `Failure` with jq's
 * own text. Ends when the signal does.
 */
export async function jqOutput(host: Host, filter: JqFilter, data: Json, signal: AbortSignal): Promise<Json> {
  try {
    const question = outputOrQuestion(filter, data);
    if ("output" in question) return question.output;
    return question.reply(await inWorker(host, jqThread, question.request, { signal, limit: limits.later, failure: "transform" }));
  } catch (error) {
    throw discreet(error, filter);
  }
}

/** Runs a filter where a value is evaluated. `label` goes before jq's text (spec/language 2.9). */
export async function asyncJq(host: Host, filter: JqFilter, data: Json, label: string, signal: AbortSignal): Promise<Json> {
  try {
    return await jqOutput(host, filter, data, signal);
  } catch (error) {
    throw labelled(error, label);
  }
}

/** Runs a filter at once, for places that cannot wait. */
export function jq(host: Host, filter: JqFilter, data: Json, label: string): Json {
  try {
    const question = outputOrQuestion(filter, data);
    if ("output" in question) return question.output;
    return question.reply(inBlockingWorker(host, jqThread, question.request, { limit: limits.now, failure: "evaluation" }));
  } catch (error) {
    throw labelled(discreet(error, filter), label);
  }
}

/**
 * The output of a compiled filter, or the question for jq where jq itself has to run. jq refuses deep data that a compiled filter could
 * still read.
 */
function outputOrQuestion(filter: JqFilter, data: Json): { readonly output: Json } | ReturnType<typeof jqQuestion> {
  notTooDeep(data);
  for (const value of filter.values ?? []) notTooDeep(value);
  const output = compiledOutput(filter, data);
  return output === undefined ? jqQuestion(filter, data) : { output };
}

function discreet(error: unknown, { secret }: JqFilter): unknown {
  return secret && error instanceof Failure ? new Failure(error.kind, "the filter failed") : error;
}

function labelled(error: unknown, label: string): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure("evaluation", `interpolation ${label === "" ? "" : `${label}: `}jq: ${error.message.replace(/^jq: /, "")}`);
}

/** The answers of jq by filter. They hold for each compile of a process, such as those of `dev`: only a new filter starts a thread. */
const verdicts = new Map<string, string | undefined>();
const mostVerdicts = 10_000;

/** Asks jq itself whether texts are filters. */
export class FilterCheck {
  readonly #servant = new BlockingWorker(jqThread);
  /**
   * Filters that jq did not judge in time, perhaps on a busy machine. They are not asked about again in this compile, but in the next one.
   */
  readonly #slow = new Set<string>();

  /** Asks jq why it refuses the filter; undefined when it takes it. `names` are the variables that will be bound. */
  refusal(text: string, names: number): string | undefined {
    const bound = Array.from({ length: names }, (_, i) => `null as $__${i} | `).join("");
    const filter = `${bound}${text}`;
    if (verdicts.has(filter)) return verdicts.get(filter);
    const answer = this.#slow.has(filter) ? undefined : this.#servant.ask({ check: filter }, limits.later);
    if (answer === undefined) {
      this.#slow.add(filter);
      return "the filter takes too long to read";
    }
    if ("error" in answer) throw new Error(answer.error);
    const reason = "failure" in answer ? answer.failure.replace(/^jq: /, "") : undefined;
    if (verdicts.size >= mostVerdicts) verdicts.clear();
    verdicts.set(filter, reason);
    return reason;
  }

  close(): Promise<void> {
    return this.#servant.close();
  }
}
