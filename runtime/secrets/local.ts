import { Failure } from "../failure.ts";
import type { Json, JsonObject } from "../json.ts";
import { secretFile } from "../lib/secret-file.ts";
import { text } from "../values.ts";

/** A secret that is given in the configuration by a marker, or in a file (surfaces.md 11). */
export async function local_secret({ data = null, file = null }: JsonObject): Promise<Json> {
  if (file !== null) return secretFile(text(file));
  if (data === null) throw new Failure("evaluation", "data is not set");
  return data;
}
