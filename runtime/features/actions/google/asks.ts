import type { Json } from "../../../value/json.ts";
import { milliseconds, text } from "../../../value/values.ts";
import type { Asks } from "../../feature.ts";
import { bucketOf, contentOf, keyOf, linkTime } from "./storage.ts";

const bucket = (value: Json) => bucketOf(text(value));
const object: Asks = { bucket, key: (value: Json) => keyOf(text(value)) };
const link: Asks = { ...object, expires: (value: Json) => linkTime(milliseconds(value, "expires") ?? 0) };

/** The values of a `google` block that are written. */
export const asks: Asks = {
  get_signed_upload_url: link,
  get_signed_download_url: link,
  upload_object: { ...object, base64_bytes: (value: Json) => contentOf(text(value)) },
  get_object: object,
  list_objects: { bucket },
  delete_object: object,
};
