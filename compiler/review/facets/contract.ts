import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { inferred, inferredAnswer, ofInferredAnswer } from "../answer-shape.ts";
import { type Change, differing, type Facet, type Fact, type Judgement, shown } from "../fact.ts";

/** The facts about the shapes of requests and answers: each place of a schema is a fact. */
export const contract: Facet = {
  name: "contract",
  read: ({ contract: { input, output, produced, params }, accepts, at, shapes }) =>
    [
      ...places("body", input, true),
      ...places("parameter", params, true),
      // Without a declared schema the shape of the answer is used, which tests have narrowed.
      ...(produced ? places("answer", output, true) : inferredAnswer(shapes.reply)),
      ...(accepts === undefined ? [] : [{ key: "accepts.enforce", value: true }]),
    ].map((one) => ({ ...one, ...(at && { at }) })),
  judge: (change) => {
    const { key, before, after } = change;
    if (key === inferred) return ofInferredAnswer(before, after);
    if (key === "accepts.enforce")
      return after === undefined
        ? { severity: "loosened", text: "`accepts.enforce` is gone: bodies are not held against the schema" }
        : { severity: "breaking", text: "`accepts.enforce` is on: a body that does not fit is refused" };
    return key.startsWith("answer") ? ofAnswer(change) : ofRequest({ key, before, after });
  },
};

/** The meaning of a change of an answer. Callers read answers, so existing members must stay. */
function ofAnswer({ key, before, after }: Change): Judgement {
  if (after === undefined) return { severity: "breaking", text: `${key} is gone` };
  if (before === undefined) return { severity: "changed", text: `${key} is new` };
  if (isRequired(before) && !isRequired(after)) return { severity: "breaking", text: `${key} may be missing` };
  if (!isWithin(typesOf(after), typesOf(before))) return { severity: "breaking", text: `${key} is ${typed(after)}, was ${typed(before)}` };
  if (!isWithin(typesOf(before), typesOf(after))) return { severity: "changed", text: `${key} is ${typed(after)}, was ${typed(before)}` };
  if (!isRequired(before) && isRequired(after)) return { severity: "changed", text: `${key} is always there` };
  return { severity: "changed", text: wordsThatDiffer(key, before, after) };
}

/** The keywords of a schema in which two versions of a place differ. */
function wordsThatDiffer(key: string, before: Json, after: Json): string {
  const words = differing(...restsOf(before, after)).filter((word) => !describing.has(word));
  return words.length === 0 ? `${key} has another description` : `${key}: ${words.map(shown).join(", ")} changed`;
}

const restsOf = (before: Json, after: Json): [JsonObject, JsonObject] => [restOf(before), restOf(after)];

const restOf = (place: Json): JsonObject => (isObject(place) && isObject(place.rest ?? null) ? (place.rest as JsonObject) : {});

/** Keywords of a schema that only describe. */
const describing: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "example"]);

/** The meaning of a change of a request. Callers write requests, so requests that were accepted must stay accepted. */
function ofRequest({ key, before, after }: Change): Judgement {
  if (after === undefined) return { severity: "changed", text: `${key} is not asked for any more` };
  if (before === undefined)
    return isRequired(after)
      ? { severity: "breaking", text: `${key} is required` }
      : { severity: "changed", text: `${key} is new, and optional` };
  if (!isRequired(before) && isRequired(after)) return { severity: "breaking", text: `${key} is required now` };
  if (!isWithin(typesOf(before), typesOf(after))) return { severity: "breaking", text: `${key} is ${typed(after)}, was ${typed(before)}` };
  // A wider type may have new keywords that only bound the added type.
  if (!isWithin(typesOf(after), typesOf(before)))
    return { severity: "changed", text: `${key} may be ${typed(after)}, was ${typed(before)}` };
  const [old, next] = restsOf(before, after);
  const narrowed = differing(old, next).filter((name) => isNarrower(name, old[name], next[name]));
  if (narrowed.length > 0) return { severity: "breaking", text: `${key} is narrower: ${narrowed.map(shown).join(", ")}` };
  if (isRequired(before) && !isRequired(after)) return { severity: "changed", text: `${key} is optional now` };
  return { severity: "changed", text: wordsThatDiffer(key, before, after) };
}

function isNarrower(name: string, before: Json | undefined, after: Json | undefined): boolean {
  if (describing.has(name)) return false;
  if (after === undefined) return false;
  if (name === "enum") return !isWithin(Array.isArray(before) ? before : [null], Array.isArray(after) ? after : []);
  if (/^(?:min|exclusiveMin)/.test(name)) return before === undefined || Number(after) > Number(before);
  if (/^(?:max|exclusiveMax)/.test(name)) return before === undefined || Number(after) < Number(before);
  return true;
}

const isRequired = (value: Json): boolean => isObject(value) && value.required === true;
const typesOf = (value: Json): readonly Json[] => (isObject(value) && Array.isArray(value.types) ? value.types : []);
const typed = (value: Json): string => typesOf(value).join(" or ") || "anything";

/** True when the first list is a part of the second; an empty list stands for all types. */
const isWithin = (part: readonly Json[], whole: readonly Json[]): boolean =>
  whole.length === 0 || (part.length > 0 && part.every((type) => whole.includes(type) || (type === "integer" && whole.includes("number"))));

/** A schema as its places: `answer /user/email` with its types. */
function places(noun: string, schema: Json | undefined, required: boolean, way = ""): readonly Fact[] {
  if (schema === undefined || !isObject(schema)) return [];
  const { type, properties = {}, required: names = [], items, ...rest } = schema;
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  const isNeeded = (name: string): boolean => Array.isArray(names) && names.includes(name);
  return [
    { key: `${noun} \`${way || "/"}\``, value: { types: [...types].sort(), required, rest } },
    ...(isObject(properties) ? Object.entries(properties) : []).flatMap(([name, inner]) =>
      places(noun, inner, isNeeded(name), `${way}/${name}`),
    ),
    ...places(noun, items, true, `${way}/*`),
  ];
}
