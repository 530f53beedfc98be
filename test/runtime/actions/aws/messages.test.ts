import { afterEach, describe, expect, test } from "vitest";
import type { AwsArgs } from "#runtime/features/actions/aws.ts";
import { closePeers, dataOf, errorOf, peer } from "./aws-run.ts";

afterEach(closePeers);

describe("messages", () => {
  test("go to a queue of the region, whatever host its URL names", async () => {
    const at = await peer();
    const queue_url = "https://evil.example/123/orders.fifo";
    const sent = await dataOf(at, {
      send_message: {
        queue_url,
        body: { id: 7, name: "ü" },
        delay: 5000,
        attributes: { kind: "order", n: 7, on: true },
        group_id: "g",
        deduplication_id: "d",
      },
    });
    expect(sent).toEqual({ message_id: "sqs-1", sequence_number: null });
    expect(at.seen[0]).toMatchObject({ service: "sqs", refusal: undefined, target: "/" });
    expect(JSON.parse(at.seen[0]?.body.toString() ?? "")).toEqual({
      ...{ QueueUrl: queue_url, MessageBody: '{"id":7,"name":"ü"}', DelaySeconds: 5, MessageGroupId: "g", MessageDeduplicationId: "d" },
      MessageAttributes: {
        kind: { DataType: "String", StringValue: "order" },
        n: { DataType: "Number", StringValue: "7" },
        on: { DataType: "String", StringValue: "true" },
      },
    });
  });

  test("that a queue does not have as they were sent fail", async () => {
    const at = await peer();
    at.answer = (_, response) => Boolean(response.end('{"MessageId":"a","MD5OfMessageBody":"b"}'));
    expect(await errorOf(at, { send_message: { queue_url: "https://q.example/1/a", body: "a" } })).toBe(
      "aws sqs: the queue has another message than was sent",
    );
  });

  test("go to a topic, a device or a phone", async () => {
    const at = await peer();
    const topic_arn = "arn:aws:sns:eu-central-1:1:orders";
    const sent = await dataOf(at, { publish: { topic_arn, message: "a&b=c", subject: "New", attributes: { kind: "x" } } });
    expect(sent).toEqual({ message_id: "sns-1", sequence_number: null });
    expect(Object.fromEntries(new URLSearchParams(at.seen[0]?.body.toString()))).toEqual({
      ...{ Action: "Publish", Version: "2010-03-31", TopicArn: topic_arn, Message: "a&b=c", Subject: "New" },
      "MessageAttributes.entry.1.Name": "kind",
      "MessageAttributes.entry.1.Value.DataType": "String",
      "MessageAttributes.entry.1.Value.StringValue": "x",
    });
    expect(at.seen[0]?.refusal).toBeUndefined();
    expect(await dataOf(at, { publish: { phone_number: "+491701234567", message: "hi" } })).toMatchObject({ message_id: "sns-1" });
  });

  test.each<[AwsArgs, string]>([
    [{ send_message: { queue_url: "orders", body: "a" } }, "field queue_url: not the URL of a queue"],
    [{ send_message: { queue_url: "https://q/1", body: null } }, "field body: expected a message, got none"],
    [{ send_message: { queue_url: "https://q/1", body: "\u0001" } }, "field body: a character that AWS does not take"],
    [{ send_message: { queue_url: "https://q/1", body: "\ud800" } }, "field body: a character that AWS does not take"],
    [
      { send_message: { queue_url: "https://q/1", body: "a".repeat(1_048_577) } },
      "aws sqs: the message with its attributes is larger than 1048576 bytes",
    ],
    [{ send_message: { queue_url: "https://q/1", body: "a", delay: 900_001 } }, "field delay: expected 0 to 15min"],
    [
      { send_message: { queue_url: "https://q/1", body: "a", attributes: { "a b": "c" } } },
      "field attributes: a name that AWS does not take",
    ],
    [{ send_message: { queue_url: "https://q/1", body: "a", attributes: { a: ["c"] } } }, "field attributes: expected text, got array"],
    [{ publish: { message: "a" } }, "aws sns: one of topic_arn, target_arn and phone_number is needed"],
    [
      { publish: { topic_arn: "arn:a", phone_number: "+4917012345", message: "a" } },
      "aws sns: one of topic_arn, target_arn and phone_number is needed",
    ],
    [{ publish: { topic_arn: "orders", message: "a" } }, "aws sns: not an ARN"],
    [{ publish: { phone_number: "0170", message: "a" } }, "aws sns: not a phone number in E.164, such as +491701234567"],
    [
      { publish: { topic_arn: "arn:a", message: "ü".repeat(131_073) } },
      "aws sns: the message with its attributes is larger than 262144 bytes",
    ],
    [{ publish: { topic_arn: "arn:a", message: "a", subject: "a\nb" } }, "field subject: expected 1 to 99 characters of ASCII"],
    [{}, "aws needs an operation"],
  ])("are refused before they are sent: %#", async (args, expected) => {
    const at = await peer();
    expect(await errorOf(at, args)).toBe(expected);
    expect(at.seen).toEqual([]);
  });
});
