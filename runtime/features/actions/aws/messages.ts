import { createHash } from "node:crypto";
import { encodeForm } from "../../../formats/form.ts";
import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { type Json, type JsonObject, own, put, typeOf } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";
import { accountOf } from "./account.ts";
import { jsonObject, textAt, unreadable, xmlRoot } from "./answers.ts";
import { callService } from "./call.ts";
import type { Caller } from "./objects.ts";
import { endpointOf } from "./region.ts";

interface MessageArgs {
  readonly attributes?: Readonly<Record<string, Json>> | null;
  readonly group_id?: string | null;
  readonly deduplication_id?: string | null;
}

export interface QueueArgs extends MessageArgs {
  readonly queue_url: string | null;
  readonly body: Json;
  readonly delay?: number | null;
}

interface Receivers {
  readonly topic_arn?: string | null;
  readonly target_arn?: string | null;
  readonly phone_number?: string | null;
}

export interface PublishArgs extends MessageArgs, Receivers {
  readonly message: Json;
  readonly subject?: string | null;
}

/** The most bytes of a message with its attributes: AWS has raised those of SQS in 2025. */
const largest = { sqs: 1_048_576, sns: 262_144 } as const;
const limit = 65_536;
const longestDelay = 900_000;
const mostAttributes = 10;

const bad = (field: string, reason: string): Failure => new Failure("evaluation", `field ${field}: ${reason}`);

/** Sends a message to a queue: `{message_id, sequence_number}`; only a FIFO numbers its messages. */
export async function sendMessage(act: Act, caller: Caller, args: QueueArgs): Promise<Json> {
  const [queue_url, delay] = [queueOf(args.queue_url), checkedDelay(args.delay ?? null)];
  const message = messageOf("body", args.body);
  const attributes = attributesOf(args);
  checkSize("sqs", message, attributes);
  touches(act.run, { kind: "topics", name: queue_url });
  const body = JSON.stringify({
    ...{ QueueUrl: queue_url, MessageBody: message },
    ...(delay === null ? {} : { DelaySeconds: Math.round(delay / 1000) }),
    ...(attributes.length === 0 ? {} : { MessageAttributes: byName(attributes) }),
    ...(args.group_id ? { MessageGroupId: args.group_id } : {}),
    ...(args.deduplication_id ? { MessageDeduplicationId: args.deduplication_id } : {}),
  });
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.SendMessage" };
  const answer = jsonObject(await post(act, caller, "sqs", { headers, body }), "sqs");
  const [id, digest] = [own(answer, "MessageId"), own(answer, "MD5OfMessageBody")];
  if (typeof id !== "string") throw unreadable("sqs", "a message id");
  if (typeof digest === "string" && digest !== createHash("md5").update(message).digest("hex"))
    throw new Failure("transport", "aws sqs: the queue has another message than was sent", { upstream: 502 });
  return { message_id: id, sequence_number: textAt(answer, "SequenceNumber") ?? null };
}

export function queueOf(queue_url: string | null): string {
  if (queue_url === null || !/^https?:\/\/[\x21-\x7e]{1,1000}$/.test(queue_url)) throw bad("queue_url", "not the URL of a queue");
  return queue_url;
}

export function checkedDelay(delay: number | null): number | null {
  if (delay !== null && (delay < 0 || delay > longestDelay)) throw bad("delay", "expected 0 to 15min");
  return delay;
}

/** Publishes a message to a topic, a device or a phone: `{message_id, sequence_number}`. */
export async function publish(act: Act, caller: Caller, args: PublishArgs): Promise<Json> {
  const [name, target] = targetOf(args);
  const message = messageOf("message", args.message);
  const subject = subjectOf(args.subject ?? null);
  const attributes = attributesOf(args);
  checkSize("sns", message, attributes);
  touches(act.run, { kind: "topics", name: target });
  const fields: JsonObject = { Action: "Publish", Version: "2010-03-31", [name]: target, Message: message };
  if (subject !== null) fields.Subject = subject;
  if (args.group_id) fields.MessageGroupId = args.group_id;
  if (args.deduplication_id) fields.MessageDeduplicationId = args.deduplication_id;
  for (const [i, [key, { DataType, StringValue }]] of attributes.entries()) {
    const entry = `MessageAttributes.entry.${i + 1}`;
    Object.assign(fields, { [`${entry}.Name`]: key, [`${entry}.Value.DataType`]: DataType, [`${entry}.Value.StringValue`]: StringValue });
  }
  const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
  const bytes = await post(act, caller, "sns", { headers, body: encodeForm(fields) });
  const root = await xmlRoot(bytes, "PublishResponse", "sns", act);
  const id = textAt(root, "PublishResult", "MessageId");
  if (id === undefined) throw unreadable("sns", "a message id");
  return { message_id: id, sequence_number: textAt(root, "PublishResult", "SequenceNumber") ?? null };
}

export function subjectOf(subject: string | null): string | null {
  if (subject !== null && !/^[\x20-\x7e]{1,99}$/.test(subject)) throw bad("subject", "expected 1 to 99 characters of ASCII");
  return subject;
}

/** The one receiver that is set, with its name in the API. */
export function targetOf({ topic_arn = null, target_arn = null, phone_number = null }: Receivers): readonly [string, string] {
  const all = [
    ["TopicArn", topic_arn],
    ["TargetArn", target_arn],
    ["PhoneNumber", phone_number],
  ] as const;
  const [first, second] = all.filter(([, value]) => value !== null && value !== "");
  if (first === undefined || second !== undefined)
    throw new Failure("evaluation", "aws sns: one of topic_arn, target_arn and phone_number is needed");
  const [name, value] = first;
  const isValid = name === "PhoneNumber" ? /^\+\d{6,15}$/.test(value ?? "") : /^arn:[\x21-\x7e]{1,1000}$/.test(value ?? "");
  if (!isValid)
    throw new Failure("evaluation", `aws sns: not ${name === "PhoneNumber" ? "a phone number in E.164, such as +491701234567" : "an ARN"}`);
  return [name, value ?? ""];
}

/** A text as it is, anything else as compact JSON. AWS takes what XML can hold. */
function messageOf(field: string, value: Json): string {
  const message = text(value);
  if (message === "") throw bad(field, "expected a message, got none");
  if (!/^[\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u.test(message)) throw bad(field, "a character that AWS does not take");
  return message;
}

interface Attribute {
  readonly DataType: "String" | "Number";
  readonly StringValue: string;
}

function attributesOf({ attributes }: MessageArgs): readonly (readonly [string, Attribute])[] {
  const entries = Object.entries(attributes ?? {}).filter(([, value]) => value !== null);
  if (entries.length > mostAttributes) throw bad("attributes", `more than ${mostAttributes}`);
  return entries.map(([name, value]) => {
    if (!/^(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,256}$/.test(name) || name.endsWith(".") || /^(?:aws|amazon)\./i.test(name))
      throw bad("attributes", "a name that AWS does not take");
    if (typeof value === "object") throw bad("attributes", `expected text, got ${typeOf(value)}`);
    const StringValue = messageOf("attributes", typeof value === "boolean" ? String(value) : value);
    return [name, { DataType: typeof value === "number" ? "Number" : "String", StringValue }];
  });
}

function byName(attributes: readonly (readonly [string, Attribute])[]): JsonObject {
  const out: JsonObject = {};
  for (const [name, attribute] of attributes) put(out, name, { ...attribute });
  return out;
}

function checkSize(service: keyof typeof largest, message: string, attributes: readonly (readonly [string, Attribute])[]): void {
  const sizes = attributes.flatMap(([name, { DataType, StringValue }]) => [name, DataType, StringValue]);
  const size = [message, ...sizes].reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  if (size > largest[service])
    throw new Failure("evaluation", `aws ${service}: the message with its attributes is larger than ${largest[service]} bytes`);
}

/** Posts to the service of the region. A queue is named in the body, so that a URL out of data chooses no host. */
async function post(
  act: Act,
  { credential, timeout }: Caller,
  service: keyof typeof largest,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Promise<Buffer> {
  const account = await accountOf(act.run, credential);
  const { protocol, host, pathname: path } = endpointOf(act.run, service, account.region, account.endpoint);
  const call = { ...message, service, method: "POST", protocol, host, clock: host, path, query: {}, timeout, limit } as const;
  return (await callService(act, account, call)).bytes;
}
