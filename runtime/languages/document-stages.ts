import { isObject, type Json, type JsonObject, own } from "../value/json.ts";
import type { TableUse } from "./sql/tables.ts";

/** The parts of an operation on a collection that name the collections which it touches. */
export interface DocumentStages {
  /** Absent: the database of the connection. */
  readonly database: string | undefined;
  readonly collection: string;
  readonly operation: string;
  readonly pipeline: readonly JsonObject[];
  readonly update: JsonObject | readonly JsonObject[];
}

/** The collections that an operation touches: its own, and those that its stages read and write. */
export function collectionsOf({ database, collection, operation, pipeline, update }: DocumentStages): readonly TableUse[] {
  const within = (name: string): string => (database === undefined ? name : `${database}.${name}`);
  return [
    { table: within(collection), verb: operation },
    ...collectionsIn([...pipeline, ...(Array.isArray(update) ? update : [update])], within),
  ];
}

/** Collections in the stages of a pipeline, at any depth; `within` names one of the same database. A name that is not written is `*`. */
export function collectionsIn(stages: Json, within: (name: string) => string): readonly TableUse[] {
  if (Array.isArray(stages)) return stages.flatMap((stage) => collectionsIn(stage, within));
  if (!isObject(stages)) return [];
  return Object.entries(stages).flatMap(([stage, value]) => {
    const inner = collectionsIn(value, within);
    const field = Object.hasOwn(otherCollections, stage) ? otherCollections[stage] : undefined;
    if (field === undefined) return inner;
    const [key, verb] = field;
    const other = isObject(value) && key !== undefined ? own(value, key) : value;
    // `$lookup` without `from` reads documents that are in the pipeline itself.
    if (other === undefined) return inner;
    return [{ table: nameOf(other, within), verb }, ...inner];
  });
}

/** The stages that touch another collection: the member that names it, and what they do to it. */
const otherCollections: Readonly<Record<string, readonly [member: string | undefined, verb: string]>> = {
  $lookup: ["from", "find"],
  $graphLookup: ["from", "find"],
  $unionWith: ["coll", "find"],
  $merge: ["into", "merge"],
  $out: [undefined, "out"],
};

function nameOf(named: Json, within: (name: string) => string): string {
  if (typeof named === "string") return within(named);
  if (!isObject(named)) return "*";
  const [database, collection] = [own(named, "db"), own(named, "coll")];
  if (typeof collection !== "string") return "*";
  return typeof database === "string" ? `${database}.${collection}` : within(collection);
}
