import { type Problem, problemsOf } from "../../../languages/schema/accepts.ts";
import { bare, schemaCompiler } from "../../../languages/schema/compiler.ts";
import type { Validator } from "../../../languages/schema/findings.ts";
import type { Host, Resource } from "../../../process/host.ts";
import type { Json } from "../../../value/json.ts";

/** choice: schemas that stay compiled. */
const most = 256;

/** Compiled schemas of a process: a schema is compiled once, when it is first needed. */
class Validators implements Resource {
  readonly #compiled = new Map<string, Validator>();

  /** Everything that is wrong with the value. Throws when the schema is invalid. */
  problems(schema: Json, value: Json): readonly Problem[] {
    return problemsOf(value, this.of(schema));
  }

  of(schema: Json): Validator {
    const key = JSON.stringify(schema);
    const earlier = this.#compiled.get(key);
    if (earlier !== undefined) return earlier;
    // ajv describes its functions by type guards; a schema with `$async` would give a promise, which is no refusal.
    const compiled = schemaCompiler(schema).compile(bare(schema)) as Validator & { readonly $async?: boolean };
    if (compiled.$async === true) throw new TypeError("$async has no meaning here");
    const [oldest] = this.#compiled.keys();
    if (oldest !== undefined && this.#compiled.size >= most) this.#compiled.delete(oldest);
    this.#compiled.set(key, compiled);
    return compiled;
  }

  close(): void {
    this.#compiled.clear();
  }
}

export const validatorsOf = (host: Host): Validators => host.resource("agent schemas", () => new Validators());

/** Problems as one text, for a model: a line each. */
export const listed = (problems: readonly Problem[]): string =>
  problems
    .slice(0, 20)
    .map(({ pointer, message }) => (pointer === "" ? message : `${pointer} ${message}`))
    .join("\n");
