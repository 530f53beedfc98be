import { afterEach, describe, expect, test } from "vitest";
import { type EmailArgs, email } from "#runtime/features/actions/email.ts";
import { retry } from "#runtime/run/around/retry.ts";
import type { AwsPeer } from "../../harness/peers/aws-peer.ts";
import { act } from "../../harness/sockets.ts";
import { clock, closePeers, credentialOf, peer } from "./aws/aws-run.ts";

afterEach(closePeers);

const mail = { from: "Shop <shop@example.com>", to: "Ann <ann@example.org>, bob@bücher.example", subject: "Grüße", text: "Hallo" };
const sent = (at: AwsPeer, args: EmailArgs) =>
  act((made) => email(made, { aws_ses: true, credential: credentialOf(at), ...args }), { clock });

interface Body {
  readonly Destination: unknown;
  readonly Content: { readonly Raw: { readonly Data: string } };
}

const bodiesOf = ({ seen }: AwsPeer) =>
  seen.map(({ body }) => {
    const { Destination, Content }: Body = JSON.parse(body.toString());
    return { Destination, mime: Buffer.from(Content.Raw.Data, "base64").toString() };
  });

describe("a mail by SES", () => {
  test.each([
    [400, "MessageRejected", 1],
    [400, "TooManyRequestsException", 3],
    [503, "ServiceUnavailable", 3],
  ])("status %i %s: %i tries", async (status, type, tries) => {
    const at = await peer();
    at.answer = (_, response) => {
      response.writeHead(status, { "x-amzn-errortype": type }).end("{}");
      return true;
    };
    const attempt = retry({ attempts: 3, delay: 0, jitter: "none", on: ["any"] });
    const failed = await act(
      attempt((made) => email(made, { aws_ses: true, credential: credentialOf(at), ...mail })),
      { clock },
    );
    expect([failed.state, at.seen.length]).toEqual(["failed", tries]);
  });

  test("is the MIME that a server of SMTP gets, without its hidden copies", async () => {
    const at = await peer();
    const made = await sent(at, {
      ...{ ...mail, cc: "c@example.org", bcc: "hidden@example.org", html: "<b>Hallo</b>" },
      attachments: [{ filename: "a.txt", content: "Zm9v", content_type: "text/plain" }],
    });
    expect(made.error).toBeUndefined();
    expect(made.data).toEqual({
      ...{ sent: 1, message_id: "ses-1", rejected: [] },
      accepted: ["ann@example.org", "bob@bücher.example", "c@example.org", "hidden@example.org"],
    });
    expect(at.seen[0]).toMatchObject({ method: "POST", target: "/v2/email/outbound-emails", service: "ses", refusal: undefined });
    const [body] = bodiesOf(at);
    expect(body?.Destination).toEqual({
      ToAddresses: ["ann@example.org", "bob@xn--bcher-kva.example"],
      CcAddresses: ["c@example.org"],
      BccAddresses: ["hidden@example.org"],
    });
    expect(body?.mime).not.toMatch(/hidden@|^bcc:/im);
    expect(body?.mime).toMatch(/^From: Shop <shop@example\.com>\r\n/m);
    expect(body?.mime).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(body?.mime).toContain("Content-Disposition: attachment; filename=a.txt");
    expect(body?.mime).toMatch(/^Message-ID: <[0-9a-f]{40}@example\.com>\r$/m);
  });

  test("has no half of a line break, which some servers take for a whole one, as it has none by SMTP", async () => {
    const at = await peer();
    await sent(at, { ...mail, text: "a\r.\rMAIL FROM:<eve@example.net>\r\n", html: "<b>ö\r.\r" });
    const [body] = bodiesOf(at);
    expect(body?.mime).not.toMatch(/\r(?!\n)/);
    expect(body?.mime).toContain("a\r\n.\r\nMAIL FROM:<eve@example.net>\r\n");
  });

  test("goes out for each row, and one that SES refuses keeps no other back", async () => {
    const at = await peer();
    at.answer = ({ body }, response) => {
      const isRefused = Buffer.from(JSON.parse(body.toString()).Content.Raw.Data, "base64").toString().includes("bad@example.org");
      if (isRefused) response.writeHead(400, { "x-amzn-errortype": "MessageRejected" }).end('{"message":"Email address is not verified."}');
      return isRefused;
    };
    const made = await sent(at, { ...mail, rows: [{ to: "a@example.org" }, { to: "bad@example.org" }, { to: "c@example.org" }] });
    expect(made.error).toBe("email: 1 of 3 not sent; row 1: aws ses: 400 MessageRejected: Email address is not verified.");
    expect(made.data).toEqual({
      sent: 2,
      failed: [{ index: 1, error: "aws ses: 400 MessageRejected: Email address is not verified." }],
    });
    expect(at.seen).toHaveLength(3);
  });

  test.each<[string, Partial<EmailArgs>, string]>([
    ["a line break", { subject: "a\r\nBcc: eve@example.net" }, "header subject: invalid character"],
    ["no address", { to: "ann" }, "field to: 'ann' is not an address"],
    [
      "too many receivers",
      { to: Array.from({ length: 51 }, (_, i) => `a${i}@example.org`) },
      "email has more than 50 receivers, which SES takes",
    ],
  ])("is not sent with %s", async (_, args, expected) => {
    const at = await peer();
    expect((await sent(at, { ...mail, ...args })).error).toBe(expected);
    expect(at.seen).toEqual([]);
  });

  test("that gets no id was not taken", async () => {
    const at = await peer();
    at.answer = (_, response) => Boolean(response.end("{}"));
    expect((await sent(at, mail)).error).toBe("aws ses: the answer is not a message id");
  });
});
