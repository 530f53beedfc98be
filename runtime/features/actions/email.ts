import type { SendMailOptions } from "nodemailer";
import { atOpenAddress } from "../../outgoing/open-server.ts";
import { touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { memberAt } from "../../shapes/edit.ts";
import { any, array, byType, isNever, number, object, oneOf, type Shape, string, union } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import { header } from "../../value/holes.ts";
import { isObject, type Json, type JsonObject, own, put, typeOf } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Action } from "../feature.ts";
import { asksOfCredential } from "./aws/asks.ts";
import { type CredentialArgs, credentialSchema } from "./aws/schema.ts";
import { connectionsPerServer, deliver, type SmtpArgs, serverOf } from "./email/mailer.ts";
import { askAddresses, headersOf, type Message, mailOf, messageFields } from "./email/message.ts";
import { schema } from "./email/schema.ts";
import { ses } from "./email/ses.ts";

/** An `email` block after evaluation. A key that is absent was not written; null is a marker that gave nothing. */
export interface EmailArgs {
  readonly smtp?: SmtpArgs | null;
  readonly aws_ses?: boolean;
  /** The settings of the credential, for SES. */
  readonly credential?: CredentialArgs | null;
  readonly from?: string | null;
  readonly to?: readonly (string | null)[] | string | null;
  readonly cc?: readonly (string | null)[] | string | null;
  readonly bcc?: readonly (string | null)[] | string | null;
  readonly reply_to?: readonly (string | null)[] | string | null;
  readonly subject?: string | null;
  readonly text?: string | null;
  readonly html?: string | null;
  readonly attachments?: Json;
  readonly headers?: JsonObject | null;
  readonly rows?: Json;
  /** Set by the compiler where the server comes from data: then its address is checked. */
  readonly from_data?: readonly "server"[];
}

/** Hands one mail over: `{message_id, accepted, rejected}`. */
type Deliver = (mail: SendMailOptions) => Promise<JsonObject>;

/**
 * Sends a mail by SMTP or SES; the data is `{sent: 1, message_id, accepted, rejected}` with the addresses that the server took and those
 * that it refused. With `rows` one mail for each: `{sent, failed: [{index, error}]}`, and the action fails when one of them failed.
 */
export async function email(act: Act, args: EmailArgs): Promise<Json> {
  const by = args.aws_ses === true ? ses(act, args.credential ?? {}) : await smtp(act, args);
  const message = fieldsOf(args as JsonObject);
  return args.rows === undefined ? { sent: 1, ...(await send(act, by, message, 0)) } : sendRows(act, by, message, args.rows);
}

async function smtp(act: Act, args: EmailArgs): Promise<Deliver> {
  if (args.smtp === undefined || args.smtp === null) throw new Failure("evaluation", "email needs smtp");
  const declared = serverOf(args.smtp);
  touches(act.run, { kind: "mail_servers", name: declared.host });
  const server = args.from_data === undefined ? declared : await atOpenAddress("email", declared, act.run.host);
  return (mail) => deliver(act, server, mail);
}

/** The fields of a mail that are set. */
function fieldsOf(args: JsonObject): Message {
  const message: Message = {};
  for (const name of messageFields) {
    const value = own(args, name) ?? null;
    if (value !== null) put(message, name, value);
  }
  return message;
}

async function send(act: Act, by: Deliver, message: Message, row: number): Promise<JsonObject> {
  const { default: parse } = await import("nodemailer/lib/addressparser");
  return by(mailOf(act, message, row, (list) => parse(list, { flatten: true })));
}

/** Sends one mail for each row, as many at once as there are connections. A row that fails does not hold up the others. */
async function sendRows(act: Act, by: Deliver, message: Message, rows: Json): Promise<Json> {
  if (rows !== null && !Array.isArray(rows)) throw new Failure("evaluation", `field rows: expected array, got ${typeOf(rows)}`);
  const failures = new Map<number, Failure>();
  const queue = (rows ?? []).entries();
  const work = async (): Promise<void> => {
    for (const [index, row] of queue) {
      const failure = await sendRow(act, by, message, row, index);
      if (failure !== undefined) failures.set(index, failure);
      if (act.cancellation.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: connectionsPerServer }, work));
  if (act.cancellation.aborted) throw new Failure("transport", "email: cancelled", { upstream: 502 });
  return summary((rows ?? []).length, failures);
}

async function sendRow(act: Act, by: Deliver, message: Message, row: Json, index: number): Promise<Failure | undefined> {
  if (!isObject(row)) return new Failure("evaluation", `row: expected object, got ${typeOf(row)}`);
  try {
    await send(act, by, { ...message, ...fieldsOf(row) }, index);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
}

function summary(count: number, failures: ReadonlyMap<number, Failure>): Json {
  const inOrder = [...failures].toSorted(([a], [b]) => a - b);
  const data: Json = { sent: count - inOrder.length, failed: inOrder.map(([index, { message }]) => ({ index, error: message })) };
  const [first] = inOrder;
  if (first === undefined) return data;
  const [index, { kind, message, details }] = first;
  const { upstream } = details;
  throw new Failure(kind, `email: ${inOrder.length} of ${count} not sent; row ${index}: ${message}`, {
    data,
    ...(upstream === undefined ? {} : { upstream }),
    // A retry would send all rows again, so the failure is final when a mail was sent, or may have been sent.
    ...(inOrder.length < count || inOrder.some(([, { details }]) => details.final === true) ? { final: true } : {}),
  });
}

function shape(args: Shape): Shape {
  const one = object({ sent: oneOf("number", [1]), message_id: string, accepted: array(string), rejected: array(string) });
  const each = object({ sent: number, failed: array(object({ index: number, error: string })) });
  return byType(args, (given) => {
    if (given.type !== "object") return any;
    const rows = memberAt(given, "rows");
    return rows.optional !== true ? each : isNever(rows.shape) ? one : union(one, each);
  });
}

export const spec: Action<EmailArgs> = {
  summary: "Send mail by SMTP or Amazon SES.",
  schema,
  bounds: "25 MiB of bodies and attachments, and 1000 receivers, of each mail; 50 receivers by SES",
  effect: "network",
  addresses: { server: ["smtp", "server"] },
  reveals: { mail: [["subject"], ["text"], ["html"], ["attachments"], ["headers"], ["rows"]] },
  secret: ["smtp", "credential"],
  credentials: { aws: credentialSchema },
  asks: {
    credential: asksOfCredential,
    smtp: { server: (value: Json) => serverOf({ server: text(value) }) },
    from: (value: Json) => askAddresses(value, "from"),
    to: (value: Json) => askAddresses(value, "to"),
    cc: (value: Json) => askAddresses(value, "cc"),
    bcc: (value: Json) => askAddresses(value, "bcc"),
    reply_to: (value: Json) => askAddresses(value, "reply_to"),
    subject: (value: Json) => header(value, "subject"),
    headers: headersOf,
  },
  run: email,
  shape,
  failure: () => any,
};
