import { parseForm } from "../formats/form.ts";
import type { Json } from "../value/json.ts";
import { wildcard } from "./wildcard.ts";
import type { CallStub, Outside, StubAnswer } from "./world.ts";

/** The stubs of a run, with the number of answers of each. */
export class CallStubs {
  readonly #stubs: readonly { readonly stub: CallStub; readonly fits: (method: string, url: URL) => boolean }[];
  readonly #counts: number[];

  readonly #outside: Outside | undefined;

  constructor(stubs: readonly CallStub[], outside?: Outside) {
    this.#outside = outside;
    this.#stubs = stubs.map((stub) => ({ stub, fits: fitting(stub) }));
    this.#counts = stubs.map(() => 0);
  }

  /** The answer to a call, or the reason why there is none. */
  answer(method: string, url: URL): StubAnswer | { readonly problem: string } {
    const called = `${method} ${url.href}`;
    const index = this.#stubs.findIndex(({ fits }) => fits(method, url));
    const stub = this.#stubs[index]?.stub;
    const outside = this.#outside?.call;
    if (stub === undefined) return outside?.(method, url.href) ?? { problem: `the run calls ${called}, and no stub answers it` };
    const count = this.#counts[index] ?? 0;
    const answer = stub.answers[stub.inTurn ? count : 0];
    if (answer === undefined && outside !== undefined) return outside(method, url.href);
    this.#counts[index] = count + 1;
    return answer ?? { problem: `the run calls ${called} once more than its stub has answers (${stub.answers.length})` };
  }

  /** The number of answers of each stub, in the order of the stubs. */
  get counts(): readonly number[] {
    return this.#counts;
  }
}

/** Makes the matcher of a stub. A query is compared only where the stub has one, in any order of its fields. */
function fitting({ method, url }: CallStub): (method: string, called: URL) => boolean {
  const at = url.indexOf("?");
  const pattern = addressPattern(at < 0 ? url : url.slice(0, at));
  const query = at < 0 ? undefined : pairs(url.slice(at + 1));
  return (calledMethod, called) =>
    (method === "*" || method === calledMethod) &&
    pattern.test(`${called.origin}${called.pathname}`) &&
    (query === undefined || query === pairs(called.search.slice(1)));
}

/** A pattern for an address. An address without a path means its root. */
function addressPattern(address: string): RegExp {
  const whole = /^[a-z]+:\/\/[^/]*$/i.test(address) && !address.endsWith("*") ? `${address}/` : address;
  const parts = whole.split(/(?<=\/)(:[A-Za-z_]\w*)/);
  const source = parts.map((part, i) => (i % 2 === 1 ? "[^/]+" : wildcard(part).source.slice(1, -1)));
  return new RegExp(`^${source.join("")}$`);
}

/** A query as a text that does not depend on the order of its fields. */
function pairs(query: string): string {
  const read = parseForm(query);
  const fields: Json = "fields" in read ? read.fields : { query };
  return JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
