import type { Steps } from "../../../run/journal.ts";
import type { Act } from "../../../run/run.ts";
import type { TraceSpan } from "../../../tracing/tracer.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json, JsonObject } from "../../../value/json.ts";
import type { ModelArgs } from "./ask.ts";
import type { ModelAnswer } from "./conversation.ts";
import type { CallRecord } from "./run-tools.ts";

/** Asks the model. */
type Ask = (act: Act, span: TraceSpan | undefined) => Promise<ModelAnswer>;

/** The counts of an agent's run, its bound of tokens, and the data that it leaves at any end. */
export class Tally {
  readonly #act: Act;
  readonly #price: ModelArgs["price"];
  readonly #mostTokens: number;
  readonly calls: CallRecord[] = [];
  turns = 0;
  #input = 0;
  #output = 0;
  #text = "";

  constructor(act: Act, { model, max_tokens_total }: { readonly model: ModelArgs; readonly max_tokens_total?: number | null }) {
    this.#act = act;
    this.#price = model.price;
    this.#mostTokens = max_tokens_total ?? 200_000;
  }

  /**
   * One call of the model, or its stored answer. Fails before the call when the tokens are used up. An answer that `judge` refuses ends the
   * action, and is not stored.
   */
  async turn(steps: Steps, ask: Ask, judge: (answer: ModelAnswer) => void): Promise<ModelAnswer> {
    if (this.#input + this.#output >= this.#mostTokens) throw this.failed("agent max_tokens_total reached");
    this.turns += 1;
    let isCounted = false;
    const answer = await steps.once(`turn ${this.turns}`, async () => {
      const fresh = await this.#asked(ask);
      this.#count(fresh);
      isCounted = true;
      judge(fresh);
      return fresh;
    });
    if (!isCounted) this.#count(answer);
    return answer;
  }

  async #asked(ask: Ask): Promise<ModelAnswer> {
    const span = this.#act.span?.child(`turn ${this.turns}`);
    try {
      const answer = await ask(this.#act, span);
      const { input, output } = answer.usage;
      this.#measure(input, output);
      span?.set({ "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output });
      return answer;
    } catch (error) {
      if (error instanceof Failure) span?.fail(error.kind);
      throw error;
    } finally {
      span?.end();
    }
  }

  #count({ usage, text }: ModelAnswer): void {
    this.#input += usage.input;
    this.#output += usage.output;
    this.#text = text;
  }

  /** Adds a call to the metrics of this process, which count only its own calls. */
  #measure(input: number, output: number): void {
    const { config, interface: target, host } = this.#act.run;
    const of = { config: config.name, interface: target.name, action: this.#act.name };
    config.metrics?.(host).asked(of, { input, output, ...this.#costOf(input, output) });
  }

  /** Undefined without a price. */
  #costOf(input: number, output: number): { readonly cost?: number } {
    if (this.#price === undefined || this.#price === null) return {};
    return { cost: (input * (this.#price.input ?? 0) + output * (this.#price.output ?? 0)) / 1_000_000 };
  }

  data(stop: string, text: string, output?: Json): JsonObject {
    return {
      text,
      ...(output === undefined ? {} : { output }),
      turns: this.turns,
      stop,
      tool_calls: [...this.calls],
      usage: { input_tokens: this.#input, output_tokens: this.#output, ...this.#costOf(this.#input, this.#output) },
    };
  }

  /** The failure of a bound that is reached. The data of the action keep everything that was done before. */
  failed(message: string): Failure {
    const [, stop = "error"] = /(max_\w+)/.exec(message) ?? [];
    return new Failure("evaluation", message, { data: this.data(stop, this.#text) });
  }
}
