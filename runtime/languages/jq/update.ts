import { asList, asObject, isObject, type Json, type JsonObject } from "../../value/json.ts";
import { get } from "./access.ts";
import { copied, withMember } from "./objects.ts";
import { giveUp, spend } from "./signals.ts";

type Path = readonly (string | number)[];

/** `.a.b[0] = value`. A list may grow by one element; a larger index is left to jq. */
export function assign(data: Json, path: Path, value: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = assign(get(data, step), rest, value);
  if (typeof step === "string") return withMember(asObject(data), step, inner);
  const list = asList(data);
  const at = step < 0 ? list.length + step : step;
  if (!Number.isInteger(at) || at < 0 || at > list.length) return giveUp();
  spend(list.length);
  return list.toSpliced(at, 1, inner);
}

/** `.a.b |= f` */
export function update(data: Json, path: Path, change: (value: Json) => Json): Json {
  const before = path.reduce(get, data);
  return assign(data, path, change(before));
}

/** `del(.a.b)`: a path that leads to nothing changes nothing. */
export function remove(data: Json, path: Path): Json {
  const [step, ...rest] = path;
  if (step === undefined) return null;
  const inner = get(data, step);
  if (data === null) return null;
  if (rest.length > 0) {
    const left = remove(inner, rest);
    return inner === null ? data : assign(data, [step], left);
  }
  if (typeof step === "string") return isObject(data) ? without(data, step) : giveUp();
  if (!Array.isArray(data) || !Number.isInteger(step)) return giveUp();
  const at = step < 0 ? data.length + step : step;
  spend(data.length);
  return at < 0 || at >= data.length ? data : data.toSpliced(at, 1);
}

function without(object: JsonObject, key: string): Json {
  const out = copied(object);
  delete out[key];
  return out;
}
