import type { JsonSchema } from "../../feature.ts";

/** The operations of a `google` block, of which it has one. */
export const operations = [
  ...(["create_token", "create_token_raw", "get_signed_upload_url", "get_signed_download_url"] as const),
  ...(["upload_object", "get_object", "list_objects", "delete_object", "send_message"] as const),
] as const;
export type Operation = (typeof operations)[number];

/** How the content of an object is given: as UTF-8, or as base64. */
const encodings = ["text", "base64"] as const;
export type Encoding = (typeof encodings)[number];

const text = (description: string): JsonSchema => ({ type: "string", description });

/** The address that gives tokens of service accounts. */
export const usualTokenUri = "https://oauth2.googleapis.com/token";

/** An entry of `global.google_credentials`: a service account (spec/surfaces 15). */
export const credential: JsonSchema = {
  title: "GoogleCredential",
  description:
    "A service account: its key file, the JSON of it, or its members. A member that stands beside `file` or `json` replaces theirs.",
  type: "object",
  additionalProperties: false,
  properties: {
    file: text("Key file of the service account, as the console of Google Cloud gives it, relative to the working directory."),
    json: text("Content of the key file."),
    type: text("`service_account`, the only kind."),
    client_email: text("Name of the service account, an address of mail."),
    private_key_id: text("Id of its key."),
    private_key: text("Its key in PEM; the two characters `\\n` count as a line break."),
    auth_uri: text("Not used; key files have it."),
    token_uri: { ...text("Address of the token service; by default that of `file` or `json`, else Google's."), examples: [usualTokenUri] },
    project_id: text("Project of messages that name none."),
    location_id: text("Not used."),
  },
};

const bucket = text("Name of the bucket.");

/** A marker with text around it is one level of the key. */
const key: JsonSchema = { type: "string", context: "file_path", description: "Key of the object; slashes in it stay." };

const contentType = (description: string): JsonSchema => text(description);

const expires: JsonSchema = {
  type: ["string", "number"],
  format: "duration",
  default: "15min",
  description: "Time for which the link works, 1 s to 7 days.",
};

function operation(title: string, description: string, required: readonly string[], properties: JsonSchema["properties"]): JsonSchema {
  return { title, description, type: "object", additionalProperties: false, required, properties: properties ?? {} };
}

const token = (title: string, description: string): JsonSchema =>
  operation(title, description, [], {
    scopes: { type: "array", items: { type: "string" }, description: "Scopes of an access token." },
    audience: text("Audience of an ID token; without `scopes`, of a token that the account signs itself."),
    sub: text("User in whose name the account acts, if an administrator of the domain allows it."),
    use_id_token: { type: "boolean", default: false, description: "Give an ID token for `audience` in place of an access token." },
  });

/** Fields of a `google` block (spec/surfaces 15). */
export const schema: JsonSchema = {
  type: "object",
  keepsKeys: true,
  additionalProperties: false,
  properties: {
    credential: {
      type: "string",
      context: "static",
      description: "Entry of `global.google_credentials`; without it the only one.",
    },
    create_token: token("GoogleCreateToken", "Get a token, with what a header needs."),
    create_token_raw: token("GoogleCreateTokenRaw", "Get a token as the service answers it."),
    get_signed_upload_url: operation("GoogleGetSignedUploadUrl", "Make a link with which one object can be stored.", ["bucket", "key"], {
      bucket,
      key,
      content_type: contentType("Content type that the upload must have."),
      expires,
    }),
    get_signed_download_url: operation("GoogleGetSignedDownloadUrl", "Make a link with which one object can be read.", ["bucket", "key"], {
      bucket,
      key,
      expires,
    }),
    upload_object: operation("GoogleUploadObject", "Store an object.", ["base64_bytes", "bucket", "key"], {
      base64_bytes: text("Content as Base64."),
      bucket,
      key,
      content_type: { ...contentType("Content type of the object."), default: "application/octet-stream" },
    }),
    get_object: operation("GoogleGetObject", "Read an object.", ["bucket", "key"], {
      bucket,
      key,
      encoding: { type: "string", enum: encodings, default: "text", description: "How its content is given: as UTF-8 or as Base64." },
    }),
    list_objects: operation("GoogleListObjects", "List the objects of a bucket.", ["bucket"], {
      bucket,
      prefix: text("Beginning of the keys."),
      delimiter: text("Text at which keys are grouped into prefixes; `/` lists a folder."),
      limit: { type: "integer", minimum: 1, maximum: 100_000, default: 1000, description: "Most objects and prefixes." },
    }),
    delete_object: operation("GoogleDeleteObject", "Delete an object.", ["bucket", "key"], { bucket, key }),
    send_message: operation("GoogleSendMessage", "Send a message of Firebase Cloud Messaging.", ["message"], {
      project: text("Project; by default that of the credential."),
      message: { description: "The message, with `token`, `topic` or `condition`; values of its `data` become texts." },
      validate_only: { type: "boolean", default: false, description: "Only check the message, and do not send it." },
    }),
    endpoint: {
      type: "string",
      context: "url",
      description: "Address of the storage or message service in place of Google's, such as an emulator.",
      examples: ["http://localhost:4443"],
    },
    timeout: { type: ["string", "number"], format: "duration", default: "30s", description: "Time for each request." },
  },
};
