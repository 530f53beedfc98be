import type { Json } from "../../../value/json.ts";
import { milliseconds, text } from "../../../value/values.ts";
import type { Asks } from "../../feature.ts";
import { checkedDelay, queueOf, subjectOf, targetOf } from "./messages.ts";
import { aclOf, bucketOf, contentOf, keyOf, linkTime } from "./objects.ts";
import { checkedRegion, serverOf } from "./region.ts";

const bucket = (value: Json) => bucketOf(text(value));
const acl = (value: Json) => aclOf(text(value));
const expires = (value: Json) => linkTime(milliseconds(value, "expires") ?? 0);
const object: Asks = { bucket, key: (value: Json) => keyOf(text(value)) };

/** The values of a credential that is written. An empty region is that of the environment. */
export const asksOfCredential: Asks = {
  region: (value: Json) => value === "" || checkedRegion(text(value)),
  endpoint: (value: Json) => serverOf(text(value)),
};

/** The values of an `aws` block that are written. */
export const asks: Asks = {
  credential: asksOfCredential,
  get_signed_upload_url: { ...object, acl, expires },
  get_signed_download_url: { ...object, expires },
  upload_object: { ...object, acl, base64_bytes: (value: Json) => contentOf({ base64_bytes: text(value) }) },
  get_object: object,
  delete_object: object,
  list_objects: { bucket },
  send_message: {
    queue_url: (value: Json) => queueOf(text(value)),
    delay: (value: Json) => checkedDelay(milliseconds(value, "delay")),
  },
  publish: {
    topic_arn: (value: Json) => targetOf({ topic_arn: text(value) }),
    target_arn: (value: Json) => targetOf({ target_arn: text(value) }),
    phone_number: (value: Json) => targetOf({ phone_number: text(value) }),
    subject: (value: Json) => subjectOf(text(value)),
  },
};
