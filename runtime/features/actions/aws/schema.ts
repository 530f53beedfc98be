import type { JsonSchema } from "../../feature.ts";

/** An entry of `global.aws_credentials` after evaluation. Null means unset. */
export interface CredentialArgs {
  readonly region?: string | null | undefined;
  readonly access_key_id?: string | null | undefined;
  readonly secret_access_key?: string | null | undefined;
  readonly session_token?: string | null | undefined;
  readonly profile?: string | null | undefined;
  readonly credential_file?: string | null | undefined;
  readonly config_file?: string | null | undefined;
  readonly role_arn?: string | null | undefined;
  readonly role_session_name?: string | null | undefined;
  readonly external_id?: string | null | undefined;
  readonly endpoint?: string | null | undefined;
  readonly path_style?: boolean | null | undefined;
}

const text = (description: string): JsonSchema => ({ type: "string", description });

/** An entry of `global.aws_credentials` (spec/surfaces 15). */
export const credentialSchema: JsonSchema = {
  title: "AwsCredential",
  description: "The identity that calls AWS, and the region that it calls.",
  type: "object",
  additionalProperties: false,
  properties: {
    region: text("Region; without it that of the environment, or of the profile."),
    access_key_id: text("Access key; without it the usual sources of AWS are asked."),
    secret_access_key: text("Secret of the access key."),
    session_token: text("Token of temporary credentials."),
    profile: text("Profile of the shared files, in place of the environment."),
    credential_file: text("Credentials file in place of ~/.aws/credentials."),
    config_file: text("Configuration file in place of ~/.aws/config."),
    role_arn: text("Role that is assumed with these credentials."),
    role_session_name: text("Name of its session, `pipewright` by default."),
    external_id: text("External id that the role demands."),
    endpoint: text("Address of another service that speaks as AWS does, such as https://minio.example.com."),
    path_style: {
      type: "boolean",
      description: "The bucket is part of the path, not of the host; by default where `endpoint` is not of AWS, or the bucket has a dot.",
    },
  },
};

const bucket = text("Bucket.");
/** A marker with text around it is one level of the key. */
const key: JsonSchema = {
  type: "string",
  context: "file_path",
  description: "Key of the object. A marker with text around it is one level of it.",
};
const acl = text("Canned ACL, such as `public-read`; without it that of the bucket.");
const expires: JsonSchema = {
  type: ["string", "number"],
  format: "duration",
  default: "15min",
  description: "How long the link works, at most 7 days.",
};
const contentType = text("Content type.");

function operation(
  title: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return { title, description, type: "object", required, additionalProperties: false, properties };
}

const attributes: JsonSchema = {
  type: "object",
  description: "Attributes of the message, at most 10: texts and numbers.",
};
const group = text("Message group, for a FIFO queue or topic.");
const deduplication = text("Id by which a FIFO recognises a repeated message.");

const operationRecords: Readonly<Record<string, JsonSchema>> = {
  get_signed_upload_url: operation(
    "AwsGetSignedUploadUrl",
    "A link with which anyone can store one object.",
    { bucket, key, acl, content_type: text("Content type that the upload must have."), expires },
    ["bucket", "key"],
  ),
  get_signed_download_url: operation(
    "AwsGetSignedDownloadUrl",
    "A link with which anyone can fetch one object.",
    { bucket, key, filename: text("Name under which browsers save it."), expires },
    ["bucket", "key"],
  ),
  upload_object: operation(
    "AwsUploadObject",
    "Store an object.",
    {
      base64_bytes: text("The content in Base64."),
      content: text("The content as text, in place of base64_bytes."),
      bucket,
      key,
      acl,
      content_type: contentType,
      cache_control: text("Cache-Control of the object."),
      content_disposition: text("Content-Disposition of the object."),
      metadata: { type: "object", additionalProperties: text("A value in ASCII."), description: "Metadata of the object." },
    },
    ["bucket", "key"],
  ),
  get_object: operation(
    "AwsGetObject",
    "Fetch an object.",
    {
      bucket,
      key,
      encoding: {
        type: "string",
        enum: ["text", "base64"],
        context: "static",
        default: "text",
        description: "How the content is written.",
      },
      version_id: text("Version of the object."),
    },
    ["bucket", "key"],
  ),
  delete_object: operation("AwsDeleteObject", "Delete an object.", { bucket, key, version_id: text("Version of the object.") }, [
    "bucket",
    "key",
  ]),
  list_objects: operation(
    "AwsListObjects",
    "List objects.",
    {
      bucket,
      prefix: text("Beginning of the keys."),
      delimiter: text("Text at which keys are grouped: `/` gives one level of folders."),
      start_after: text("Key behind which the list begins."),
      limit: { type: "integer", minimum: 1, maximum: 100_000, default: 1000, description: "Most objects and prefixes." },
    },
    ["bucket"],
  ),
  send_message: operation(
    "AwsSendMessage",
    "Send a message to a queue of SQS.",
    {
      queue_url: text("URL of the queue."),
      body: { description: "The message: a text, or data that are sent as JSON." },
      delay: { type: ["string", "number"], format: "duration", description: "Time until it can be received, at most 15 minutes." },
      attributes,
      group_id: group,
      deduplication_id: deduplication,
    },
    ["queue_url", "body"],
  ),
  publish: operation(
    "AwsPublish",
    "Publish a message by SNS.",
    {
      topic_arn: text("Topic."),
      target_arn: text("Endpoint of a device, in place of a topic."),
      phone_number: text("Phone number in E.164, in place of a topic."),
      message: { description: "The message: a text, or data that are sent as JSON." },
      subject: text("Subject for subscriptions by mail."),
      attributes,
      group_id: group,
      deduplication_id: deduplication,
    },
    ["message"],
  ),
};

export const operations = Object.keys(operationRecords);

/** Fields of an `aws` block (spec/surfaces 15). */
export const schema: JsonSchema = {
  type: "object",
  whole: true,
  additionalProperties: false,
  properties: {
    credential: {
      type: "string",
      context: "static",
      description: "Entry of global.aws_credentials; without it the only one, or the usual sources of AWS.",
    },
    timeout: { type: ["string", "number"], format: "duration", default: "30s", description: "Time for each call." },
    ...operationRecords,
  },
};
