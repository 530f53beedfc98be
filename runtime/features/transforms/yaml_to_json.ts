import { parseYaml } from "../../formats/yaml.ts";
import { type Conversion, type ConversionArgument, conversion, conversionSchema, convertText } from "../../paths/conversion.ts";
import { Long, presentWork } from "../../paths/each-node.ts";
import type { Act } from "../../run/run.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { any } from "../../shapes/shape.ts";
import { code } from "../../threads/kinds/yaml.code.ts";
import { inSlices, type Work } from "../../threads/slices.ts";
import { inWorker, type WorkerKind } from "../../threads/worker.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

const yaml: WorkerKind<string, Json> = { name: "yaml", code, heap: 256, buffers: 128 };

/** Characters from which on a text is read in a thread: the parser takes 5 µs for each piece of syntax, all at one go. */
const long = 10_000;

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/**
 * Reads a YAML 1.2 text: one document, as JSON knows it; `no` is text, `0o17` is 15, and dates are text. A long text is read in a thread.
 */
export async function yaml_to_json(data: Json, ready: Conversion, act: Act): Promise<Json> {
  const read = await readLong(await inSlices(presentWork(data, ready.from), act), act);
  const valueIn = (text: string): Json | Long => {
    const fromThread = read.get(text);
    return fromThread === undefined ? new Long(parsed(text)) : fromThread();
  };
  return convertText(data, ready, valueIn, act);
}

/** The value of a short text. Many of them take long together, so that others may have a turn before each. */
function* parsed(text: string): Work<Json> {
  yield;
  return parseYaml(text);
}

/** Makes a function for each long text: it gives the value of the text, or throws the reason why there is none. */
async function readLong(values: readonly Json[], { run, signal }: Act): Promise<ReadonlyMap<string, () => Json>> {
  const read = new Map<string, () => Json>();
  for (const text of values) {
    if (typeof text !== "string" || text.length < long || read.has(text)) continue;
    try {
      const value = await inWorker(run.host, yaml, text, { signal });
      read.set(text, () => value);
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) throw error;
      read.set(text, () => {
        throw error;
      });
    }
  }
  return read;
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Parse a YAML text.",
  schema: conversionSchema,
  bounds: "5 MiB, as much again behind aliases, 100 levels, 100,000 tokens, 100 alias expansions",
  effect: "pure",
  async: true,
  prepare,
  run: yaml_to_json,
  shape: (data, args) => textConversionShape(data, args, any),
  expects: conversionExpects,
};
