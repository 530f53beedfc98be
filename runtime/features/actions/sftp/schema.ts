import type { JsonSchema } from "../../feature.ts";

/** The operations on files of the other machine. */
const operations = ["list", "get", "put", "delete", "rename", "mkdir"] as const;
export type Operation = (typeof operations)[number];

/** How the content of a file is written: as UTF-8, or as base64. */
const encodings = ["text", "base64"] as const;
export type Encoding = (typeof encodings)[number];

/** Orders of a list; a hyphen in front turns one round. */
const orders = ["name", "size", "modified", "-name", "-size", "-modified"] as const;
export type Order = (typeof orders)[number];

const text = (description: string): JsonSchema => ({ type: "string", description });

/** A marker with text around it is one level of the path. */
const path = (description: string): JsonSchema => ({ type: "string", context: "file_path", description });

/** Fields of an `sftp` block (spec/surfaces 15). */
export const schema: JsonSchema = {
  type: "object",
  keepsKeys: true,
  required: ["host", "user", "operation", "path"],
  additionalProperties: false,
  properties: {
    host: text("Host."),
    port: { type: "integer", minimum: 1, maximum: 65535, default: 22, description: "Port." },
    user: text("User."),
    password: text("Password."),
    private_key: text("Private key in the form of OpenSSH or PEM; it is offered before the password."),
    private_key_passphrase: text("Passphrase of the key."),
    host_key: text(
      "Fingerprint of a key of the host, as `ssh-keygen -lf` shows it: `SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8`. Any other host is refused.",
    ),
    accept_any_host_key: {
      type: "boolean",
      default: false,
      description: "Do not verify the host: any machine that answers gets the password and the files.",
    },
    timeout: {
      type: ["string", "number"],
      format: "duration",
      default: "30s",
      description: "Time to connect, and longest silence of the server.",
    },
    operation: { type: "string", enum: operations, context: "static", description: "The operation on files." },
    path: path("Path on the other machine. A marker with text around it is one level of it."),
    to: path("New path of a `rename`. A file that is there already is not replaced."),
    content: text("Content of a `put`."),
    encoding: {
      type: "string",
      enum: encodings,
      context: "static",
      default: "text",
      description: "How the content of a `get` or a `put` is written.",
    },
    glob: text("Names of a `list`: `*` stands for any characters, `?` for one."),
    sort: {
      type: "string",
      enum: orders,
      context: "static",
      default: "name",
      description: "Order of a `list`; with a hyphen the greatest or newest first.",
    },
    limit: { type: "integer", minimum: 1, description: "Most entries of a `list`, counted after sorting." },
  },
};
