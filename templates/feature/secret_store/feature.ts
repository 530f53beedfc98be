import { Failure } from "../../value/failure.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { SecretStoreFeature } from "../feature.ts";

/** The secret that stands at that place. Say where it comes from; a failure quotes nothing of it. */
export async function feature_name_secret({ place = null }: JsonObject): Promise<Json> {
  if (place === null) throw new Failure("evaluation", "place is not set");
  return `secret of ${text(place)}`;
}

export const spec: SecretStoreFeature = {
  summary: "Say in a sentence where the secret comes from.",
  schema: { type: "object", properties: { place: { type: "string", description: "Place of the secret." } } },
  needs: ["place"],
  run: feature_name_secret,
};
