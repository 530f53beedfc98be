import { documentMemory, documentTime } from "../../formats/document.ts";
import { checkSelector, type HtmlPart, type HtmlRequest } from "../../formats/html.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source, sourceText } from "../../paths/source.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyedFrom, ofText, onlyValue } from "../../shapes/arguments.ts";
import { any, array, nothing, type Shape, string, union } from "../../shapes/shape.ts";
import { code } from "../../threads/kinds/html.code.ts";
import { inWorker, type WorkerKind } from "../../threads/worker.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

interface Args {
  readonly value: SourceArgument;
  readonly selector: string | null;
  readonly key: string | null;
  readonly attribute?: string | null;
  readonly html?: boolean | null;
  readonly all?: boolean | null;
}

interface Ready {
  readonly value: Source;
  readonly selector: string;
  readonly key: KeyPath;
  readonly part: HtmlPart;
  readonly all: boolean;
}

const html: WorkerKind<HtmlRequest, Json> = { name: "html", code, ...documentMemory };

/** Stage 1: a selector that does not parse is PW514, `attribute` beside `html` PW512. */
export function prepare({ value, selector, key, attribute, html: inner, all }: Args): Ready {
  checkSelector(selector ?? "");
  return {
    value: source(value),
    selector: selector ?? "",
    key: keyPath(key),
    part: partOf(attribute ?? null, inner ?? false),
    all: all ?? false,
  };
}

function partOf(attribute: string | null, inner: boolean): HtmlPart {
  if (attribute !== null && inner) throw new Reject("PW512", "'attribute' and 'html' exclude each other");
  if (attribute !== null) return { attribute };
  return inner ? "html" : "text";
}

/**
 * Reads a text as an HTML document, with the elements that HTML implies, and writes what a CSS selector finds under the key: the text of
 * the first match without the white space around it, an attribute of it, or the HTML in it; null without a match. `all` gives a list of
 * every match, in which a missing attribute is null. The rest of the data stays. It is read in a thread with bounds of time and memory;
 * scripts never run.
 */
export async function extract_with_css(data: Json, { value, key, ...search }: Ready, act: Act): Promise<Json> {
  const request = { html: sourceText(data, value), ...search };
  const elements = await inWorker(act.run.host, html, request, { signal: act.signal, limit: documentTime });
  return write(data, key, elements, isRoot(value));
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const [all, attribute] = [onlyValue(argument(args, "all")), onlyValue(argument(args, "attribute"))];
  const extracted = attribute === null ? string : union(string, nothing);
  const one = union(extracted, nothing);
  return keyedFrom(data, args, "value", ofText(all === true ? array(extracted) : all === undefined ? any : one));
}

export const spec: Transform<Args, Ready> = {
  summary: "Take parts of an HTML document by a CSS selector.",
  schema: {
    type: "object",
    required: ["value", "selector", "key"],
    additionalProperties: false,
    properties: {
      value: { type: "string", context: "source", description: "Path of the HTML, or a marker that gives it; empty means all data." },
      selector: { type: "string", context: "css", description: "CSS selector, level 4 without pseudo-elements." },
      key: { type: "string", context: "path", description: "Where the result is written." },
      attribute: { type: "string", description: "Attribute that is taken instead of the text." },
      html: { type: "boolean", default: false, description: "Take the HTML inside of the element instead of its text." },
      all: { type: "boolean", default: false, description: "Take every match, as a list." },
    },
  },
  bounds: "1,000 levels of elements, selectors of 4,096 characters; 256 MiB and 10 s in the thread",
  // The thread belongs to the process.
  effect: "state",
  async: true,
  prepare,
  run: extract_with_css,
  texts: "key",
  shape,
};
