import fc from "fast-check";
import type { Shape } from "#runtime/shapes/shape.ts";
import { asObject, isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../../5-analyse/analysed.ts";
import { routeNames } from "../../5-analyse/shapes/roots.ts";
import type { GivenWorld } from "../given.ts";
import type { Drawn, DrawnAnswers } from "./outside.ts";
import { readsOf } from "./reads.ts";
import { takenBy } from "./schemas.ts";
import { type Source, sourcesOf } from "./sources.ts";
import { delivered, type Trigger, triggersOf } from "./triggers.ts";
import { bent, type Values, valuesOf } from "./values.ts";
import { wordsOf } from "./words.ts";

/** A request to an interface, with the answers of the outside. */
export interface Situation {
  /** The values of a test of the interface, or of its file: variables, secrets, tokens, tables. */
  readonly base: GivenWorld;
  readonly trigger: Trigger;
  readonly params: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; undefined for a request without a body. */
  readonly body: Json | undefined;
  readonly answers: DrawnAnswers;
}

/** Random situations of an interface: requests that fit its contract or its paths, stand on a bound, or do not fit. */
export function situationsOf(
  target: AnalysedInterface,
  bases: readonly GivenWorld[],
): { readonly situations: fc.Arbitrary<Situation>; readonly sources: readonly Source[] } {
  const values = valuesOf(wordsOf(target));
  const reads = readsOf(target);
  const sources = sourcesOf(target, reads);
  const drawn = (shapes: readonly Shape[]): fc.Arbitrary<readonly Drawn[]> =>
    fc.array(drawnOf(values, shapes), { minLength: 1, maxLength: 3 });
  const triggers = triggersOf(target);
  const begun = fc.tuple(fc.constantFrom(...bases), fc.nat());
  const situations = begun.chain(([base, n]) =>
    fc.record({
      base: fc.constant(base),
      ...delivered(triggers[n % triggers.length] ?? "cli", {
        params: paramsOf(target, base, values, reads.root("params")),
        headers: headersOf(base, values, reads.root("headers")),
        body: bodyOf(target, base, values, reads.root("body")),
      }),
      answers: fc.record({ sources: fc.tuple(...sources.map(({ shapes }) => drawn(shapes))), others: drawn([]) }),
    }),
  );
  return { situations, sources };
}

function drawnOf(values: Values, shapes: readonly Shape[]): fc.Arbitrary<Drawn> {
  return fc.record({
    status: fc.constantFrom(200, 200, 200, 200, 200, 201, 204, 302, 400, 404, 429, 500, 503),
    body: bendable(
      fc.oneof({ weight: 1, arbitrary: values.any }, ...shapes.map((shape) => ({ weight: 3, arbitrary: values.fitting(shape) }))),
      values,
    ),
    fails: fc.integer({ min: 0, max: 19 }).map((n) => n === 19),
  });
}

/** Mostly the values themselves, and sometimes values with one part replaced or removed. */
const bendable = (arbitrary: fc.Arbitrary<Json>, values: Values): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 4, arbitrary },
    {
      weight: 1,
      arbitrary: fc.tuple(arbitrary, fc.nat(), fc.option(values.any, { nil: undefined })).map(([of, n, other]) => bent(of, n, other)),
    },
  );

/** Random parameters. Callers send texts and numbers in path and query; other triggers may send any value. */
function paramsOf(target: AnalysedInterface, base: GivenWorld, values: Values, read: Shape): fc.Arbitrary<JsonObject> {
  const routed = routeNames(target.route);
  const schemas = own((target.contract.params ?? {}) as JsonObject, "properties") ?? {}; // a schema of an object
  const inRead = read.type === "object" ? [...read.members.keys()] : [];
  const paramNames = [...target.params.map(({ name }) => name), ...Object.keys(asObject(schemas))];
  const names = [...new Set([...routed, ...paramNames, ...inRead, ...Object.keys(base.request.params)])];
  const sent = names.map((name) => {
    const schema = isObject(schemas) ? own(schemas, name) : undefined;
    const ownValue = own(base.request.params, name);
    const scalar = fc.oneof(
      { weight: 2, arbitrary: values.text },
      ...(schema === undefined ? [] : [{ weight: 4, arbitrary: takenBy(schema, values) }]),
      ...(ownValue === undefined ? [] : [{ weight: 4, arbitrary: fc.constant(ownValue) }]),
    );
    // A parameter of the route may not be empty, since an empty segment makes another route.
    const value = routed.includes(name)
      ? scalar.map((each) => (each === "" || each === null ? "x" : each))
      : fc.option(scalar, { nil: undefined });
    return value.map((each): [string, Json][] => (each === undefined || each === null ? [] : [[name, each]]));
  });
  return fc.tuple(...sent).map((all) => Object.fromEntries(all.flat()));
}

function headersOf(base: GivenWorld, values: Values, read: Shape): fc.Arbitrary<Readonly<Record<string, string>>> {
  const names = read.type === "object" ? [...read.members.keys()].map((name) => name.toLowerCase()) : [];
  // A header is one line of plain characters; other headers never reach a run.
  const text = values.text.map((each) => each.replace(/[^\x20-\x7e]/g, "").trim());
  const sent = [...new Set(names)].map((name) => {
    const ownValue = own(base.request.headers, name);
    const value = fc.option(ownValue === undefined ? text : fc.oneof({ weight: 3, arbitrary: fc.constant(ownValue) }, text), {
      nil: undefined,
    });
    return value.map((each): [string, string][] => (each === undefined ? [] : [[name, each]]));
  });
  const rest = Object.fromEntries(Object.entries(base.request.headers).filter(([name]) => !names.includes(name.toLowerCase())));
  return fc.tuple(...sent).map((all) => ({ ...rest, ...Object.fromEntries(all.flat()) }));
}

function bodyOf(target: AnalysedInterface, base: GivenWorld, values: Values, read: Shape): fc.Arbitrary<Json | undefined> {
  const { input, input_example } = target.contract;
  const fitting = input === undefined ? [] : [takenBy(input, values)];
  const examples = [base.request.body, input_example].flatMap((each) => (each === undefined ? [] : [fc.constant(each)]));
  const likely = [...fitting, ...examples, ...(read.type === "any" ? [] : [values.fitting(read)])];
  const sent = bendable(fc.oneof(values.any, ...likely.map((arbitrary) => ({ weight: 5, arbitrary }))), values);
  const isRead = target.method !== "GET" || likely.length > 0;
  return fc.oneof({ weight: isRead ? 9 : 1, arbitrary: sent }, { weight: isRead ? 1 : 4, arbitrary: fc.constant(undefined) });
}
