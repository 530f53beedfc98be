import { secretFile } from "../../keys/secret-file.ts";
import { touches } from "../../outgoing/touches.ts";
import type { Run } from "../../run/run.ts";
import { Failure } from "../../value/failure.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { SecretStoreFeature } from "../feature.ts";

/** A secret that is given in the configuration by a marker, or in a file (spec/surfaces 11). */
export async function local_secret({ data = null, file = null }: JsonObject, cx: Run): Promise<Json> {
  if (file !== null) {
    touches(cx, { kind: "files", name: text(file) });
    return secretFile(text(file));
  }
  if (data === null) throw new Failure("evaluation", "data is not set");
  return data;
}

export const spec: SecretStoreFeature = {
  summary: "A text of the configuration, by a marker, or a file.",
  schema: {
    type: "object",
    properties: {
      data: { type: "string", description: "The secret." },
      file: { type: "string", description: "File that holds it, in place of data." },
    },
  },
  needs: ["data", "file"],
  itself: "data",
  touches: { files: ["file"] },
  run: local_secret,
};
