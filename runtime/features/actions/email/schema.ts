import type { JsonSchema } from "../../feature.ts";

const text = (description: string): JsonSchema => ({ type: "string", description });

/** The compiler gives these names to the types of a configuration, as it does for those of its own records. */
const addresses = (description: string): JsonSchema => ({
  anyOf: [
    { type: "string", context: "mail", description: "Addresses, separated by commas." },
    { type: "array", items: { ...text("One address."), context: "mail_item" }, description: "Addresses, one each." },
  ],
  description,
});

const smtp: JsonSchema = {
  title: "Smtp",
  description: "Server that takes the mail.",
  type: "object",
  required: ["server"],
  additionalProperties: false,
  properties: {
    server: text("Host."),
    port: { type: "integer", minimum: 1, maximum: 65535, default: 587, description: "Port. 465 speaks TLS from the start." },
    user: text("User; without one there is no login."),
    pass: text("Password."),
    tls: {
      type: "boolean",
      default: true,
      description: "Send only over TLS. If false, a login is refused, except to this machine.",
    },
  },
};

const attachment: JsonSchema = {
  title: "EmailAttachment",
  description: "An attachment.",
  type: "object",
  required: ["filename", "content"],
  additionalProperties: false,
  properties: {
    filename: text("Name of the file; folders before it are dropped."),
    content: text("Content."),
    content_type: {
      type: "string",
      default: "application/octet-stream",
      description: "Content type; a text in `utf8` that names no charset gets `charset=utf-8`.",
    },
    encoding: {
      type: "string",
      enum: ["base64", "utf8"],
      context: "static",
      default: "base64",
      description: "How the content is written.",
    },
  },
};

/** Addresses in a record that is written; any other member of it, and records that data give, are looked at when they are sent. */
const row: JsonSchema = {
  additionalProperties: true,
  properties: Object.fromEntries(
    ["from", "to", "cc", "bcc", "reply_to"].map((name) => {
      const description = `Field \`${name}\` of the mail of this record.`;
      return [name, { context: "mail", items: { context: "mail_item" }, description }] as const;
    }),
  ),
};

/** Fields of an `email` block (spec/surfaces 15). */
export const schema: JsonSchema = {
  type: "object",
  whole: true,
  additionalProperties: false,
  properties: {
    smtp,
    aws_ses: { type: "boolean", default: false, context: "static", description: "Send through Amazon SES, in place of a server." },
    credential: {
      type: "string",
      context: "static",
      description: "Entry of global.aws_credentials for SES; without it the only one, or the usual sources of AWS.",
    },
    from: { ...text("Sender: one address, with or without a name."), context: "mail" },
    to: addresses("Receivers."),
    cc: addresses("Receivers of a copy."),
    bcc: addresses("Receivers of a hidden copy."),
    reply_to: addresses("Where answers go."),
    subject: text("Subject."),
    text: text("Body as text."),
    html: text("Body as HTML; with `text`, the program of the reader chooses."),
    attachments: { type: "array", items: attachment, description: "Attachments." },
    headers: { type: "object", description: "Further headers; those of the other fields and of the content are refused." },
    rows: { items: row, description: "A list of maps: one mail for each, whose fields win over those beside it." },
  },
};
