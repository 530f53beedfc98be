import { asList, isObject, type Json, type JsonObject } from "#runtime/value/json.ts";

/** A part of a plan as plain JSON (`bare`) in the form of a configuration: literals as they are, and markers as texts. */
export function asWritten(part: Json): Json {
  if (Array.isArray(part)) return part.map(asWritten);
  if (!isObject(part)) return part;
  if (Object.hasOwn(part, "lit")) return part.lit ?? null;
  const { op } = part;
  if (op === "text" || op === "join") return piecesOf(part).map(textOf).join("");
  if (op === "list") return asList(part.items).map(asWritten);
  if (op === "map") return Object.fromEntries(asList(part.entries).map(entryOf));
  if (op === "typed" || op === "reread" || op === "start") return asWritten(part.of ?? null);
  if (op === "data") return "$";
  // The action's own data have no root, so a path into them is written without a marker.
  if (op === "at" && isObject(part.of ?? null) && (part.of as JsonObject).op === "data") return stepsOf(part).join(".");
  if (typeof op === "string") return `a|${markerIn(part)}|`;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, asWritten(value)]));
}

const piecesOf = ({ parts, items }: JsonObject): readonly Json[] => asList(parts ?? items);

/** The text of a part of a text; a hole holds a value. */
function textOf(part: Json): string {
  const value = asWritten(isObject(part) && !("op" in part) && part.of !== undefined ? part.of : part);
  return typeof value === "string" ? value : JSON.stringify(value);
}

const stepsOf = ({ path }: JsonObject): readonly string[] =>
  asList(path).map((step) => (typeof step === "number" ? `[${step}]` : String(step)));

function entryOf(entry: Json): readonly [string, Json] {
  const [key = "", value = null] = asList(entry);
  return [textOf(key), asWritten(value)];
}

/** The inside of the marker that reads a value. */
function markerIn(part: Json | undefined): string {
  if (part === undefined || !isObject(part)) return JSON.stringify(part ?? null);
  const { op, of, name, root } = part;
  switch (op) {
    case "root":
      return name === undefined ? String(root) : `${String(root)}::${String(name)}`;
    case "action":
      return String(name);
    case "at":
    case "each": {
      const base = markerIn(of);
      return `${base}${base.includes("::") ? "." : "::"}${[...(op === "each" ? ["[*]"] : []), ...stepsOf(part)].join(".")}`;
    }
    case "count":
      return `${markerIn(of)}::count()`;
    case "or":
      return `${markerIn(of)}->default(${textOf(part.instead ?? null)})`;
    case "filter":
      return `${markerIn(of)}->${String(part.use)}${argumentsOf(part.args)}`;
    case "jq":
      return `${markerIn(of)} | ${textOf(part.filter ?? null)}`;
    case undefined:
    case "text":
    case "join":
      return textOf(part);
    default:
      return String(op);
  }
}

const argumentsOf = (args: Json | undefined): string => (asList(args).length === 0 ? "" : `(${asList(args).map(textOf).join(", ")})`);
