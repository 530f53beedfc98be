import { type Introduced, introduction, tagWords } from "#runtime/triggers/introduction.ts";
import { type Json, type JsonObject, put } from "#runtime/value/json.ts";
import { compareNames } from "../1-read/order.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { failureText } from "./failure-texts.ts";
import { operation, routeNames } from "./operation.ts";
import { type SchemeName, schemeOf, securityOf } from "./security.ts";

/** The flags that name the document and its servers. */
export interface DocumentOptions {
  /** The title; by default the name of the configuration, or `API` for several. */
  readonly title?: string | undefined;
  /** The version; by default the highest version of the configurations, or `0.0.0` if none has one. */
  readonly version?: string | undefined;
  /** The addresses of the service; by default `/`. */
  readonly servers?: readonly string[] | undefined;
}

/**
 * OpenAPI 3.0.3 of all interfaces that are served over HTTP by configurations with `docs: true` (spec/surfaces 7). Paths are sorted and the
 * document has no facts of this machine, so the same configurations give the same bytes. Undefined when no configuration opts in.
 */
export function openApi(plans: readonly AnalysedPlan[], { title, version, servers }: DocumentOptions = {}): JsonObject | undefined {
  const opted = plans.filter(({ docs }) => docs !== undefined).sort((a, b) => compareNames(a.name, b.name));
  if (opted.length === 0) return undefined;
  const { paths, used } = pathsOf(opted);
  const described: JsonObject = {
    servers: (servers === undefined || servers.length === 0 ? ["/"] : servers).map((url) => ({ url })),
    tags: tagsOf(opted),
    // An interface without `security` demands none.
    security: [],
    paths,
    components: {
      ...usedOf(paths),
      ...(used.length === 0 ? {} : { securitySchemes: Object.fromEntries(used.map((name) => [name, schemeOf(name)])) }),
    },
  };
  const heading = title ?? titleOf(opted);
  const info = {
    title: heading,
    version: version ?? versionOf(opted),
    description: introduction(opted.map(introduced)),
    contact: { name: heading },
  };
  return { openapi: "3.0.3", info, ...described };
}

const titleOf = ([only, ...more]: readonly AnalysedPlan[]): string => (only !== undefined && more.length === 0 ? only.name : "API");

/** The version does not depend on the interfaces, so that a reviewer of a change sees only the changed interface. */
const versionOf = (opted: readonly AnalysedPlan[]): string =>
  opted
    .flatMap(({ docs }) => docs?.version ?? [])
    .toSorted((a, b) => versionOrder.compare(a, b))
    .at(-1) ?? "0.0.0";

/** Runs of digits count as numbers: `1.10` is above `1.9`. */
const versionOrder = new Intl.Collator("en", { numeric: true });

const introduced = ({ name, docs }: AnalysedPlan): Introduced => ({ name, description: docs?.description });

interface Served {
  readonly plan: AnalysedInterface;
  readonly config: string;
  readonly route: string;
}

/**
 * Operations by path. Routes of one shape are one path, even if they name their parameters differently; the first in order of paths gives
 * the names.
 */
function pathsOf(opted: readonly AnalysedPlan[]): { readonly paths: JsonObject; readonly used: readonly SchemeName[] } {
  const operations = opted.flatMap(({ name, interfaces }) =>
    interfaces.flatMap((plan): Served[] => (plan.route === undefined ? [] : [{ plan, config: name, route: plan.route }])),
  );
  const shapes = Map.groupBy(
    operations.toSorted((a, b) => compareNames(a.route, b.route)),
    ({ route }) => route.replace(/(?<=\/)[:*][^/]+/g, ":"),
  );
  const ids = new Set<string>();
  const paths: JsonObject = {};
  for (const group of shapes.values()) {
    const names = routeNames(group[0]?.route ?? "");
    const item: JsonObject = {};
    for (const { plan, config, method } of group.flatMap(byMethod).sort((a, b) => compareNames(a.method, b.method))) {
      const several = plan.method === "ANY" ? `-${method.toLowerCase()}` : "";
      item[method.toLowerCase()] = operation({ plan, config, method, path: names, id: unique(`${slug(plan.name)}${several}`, ids) });
    }
    put(paths, templated(group[0]?.route ?? ""), item);
  }
  return { paths, used: [...new Set(operations.flatMap(({ plan }) => securityOf(plan)))].sort() };
}

/** An operation under the methods of OpenAPI; a route for any method is listed under the usual ones. */
function byMethod(operation: Served): (Served & { readonly method: string })[] {
  const { method } = operation.plan;
  const methods = method === "ANY" ? ["GET", "POST", "PUT", "PATCH", "DELETE"] : [method];
  const httpMethods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"];
  return methods.filter((one) => httpMethods.includes(one)).map((one) => ({ ...operation, method: one }));
}

/** `/users/:id` as `/users/{id}`. */
const templated = (route: string): string => route.replace(/(?<=\/)[:*]([^/]+)/g, "{$1}");

/** A name that needs no escape in a URL or a fragment. */
const slug = (name: string): string => name.replace(/[^A-Za-z0-9._~]+/g, "-").replace(/^-|-$/g, "") || "interface";

function unique(id: string, taken: Set<string>): string {
  let chosen = id;
  for (let n = 2; taken.has(chosen); n++) chosen = `${id}-${n}`;
  taken.add(chosen);
  return chosen;
}

/** Every tag that an operation has; interfaces without one are grouped by their configuration. */
function tagsOf(opted: readonly AnalysedPlan[]): Json[] {
  const all = opted.map(introduced);
  const names = opted.flatMap(({ name, interfaces }) =>
    interfaces.flatMap(({ route, about }) => (route === undefined ? [] : [...(about?.tags ?? [name])])),
  );
  return [...new Set(names)].sort(compareNames).map((name) => ({ name, description: tagWords(name, all) }));
}

/** The envelope of a run (spec/language 7.2). */
const outcome: JsonObject = {
  type: "object",
  description: "What each action has given, by its name.",
  required: ["data"],
  properties: {
    data: {
      type: "object",
      additionalProperties: {
        type: "object",
        properties: {
          data: { description: "What the action has given." },
          message: { type: "string" },
          error: { type: "string" },
          errors: { type: "array", items: { type: "string" } },
          "time.ms": { type: "number", description: "Milliseconds." },
        },
      },
    },
    message: { type: "string" },
  },
};

const failure: JsonObject = {
  type: "object",
  description: "Why the request has failed: of the service a code, of a run the envelope with its errors.",
  properties: {
    error: { type: "string" },
    errors: {
      type: "array",
      description: "Texts; of a body that is not what the interface accepts objects with the JSON Pointer of each value.",
      items: {
        anyOf: [
          { type: "string" },
          { type: "object", required: ["pointer", "message"], properties: { pointer: { type: "string" }, message: { type: "string" } } },
        ],
      },
    },
    message: { type: "string" },
    data: { type: "object" },
  },
};

const failed = (code: number): JsonObject => ({
  description: failureText(code),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** The components that operations refer to. */
function usedOf(paths: JsonObject): JsonObject {
  const text = JSON.stringify(paths);
  const codes = [...new Set([...text.matchAll(/"#\/components\/responses\/Error(\d{3})"/g)].map(([, code]) => Number(code)))].sort(
    (a, b) => a - b,
  );
  const [fails, succeeds] = [codes.length > 0, text.includes('"#/components/schemas/Outcome"')];
  return {
    ...(fails || succeeds ? { schemas: { ...(fails ? { Error: failure } : {}), ...(succeeds ? { Outcome: outcome } : {}) } } : {}),
    ...(fails ? { responses: Object.fromEntries(codes.map((code) => [`Error${code}`, failed(code)])) } : {}),
  };
}
