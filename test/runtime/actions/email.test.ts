import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { SMTPServerOptions } from "smtp-server";
import { beforeAll, describe, expect, test } from "vitest";
import { type EmailArgs, email } from "#runtime/features/actions/email.ts";
import type { HostOptions, LogLevel } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import { certificate, privateKey } from "../../harness/certificate.ts";
import { smtpPeer } from "../../harness/peers/smtp-peer.ts";
import { act } from "../../harness/sockets.ts";
import { peer, peers, plain, usual } from "./mail-peers.ts";

beforeAll(() => setDefaultCACertificates([...getCACertificates(), certificate]));

const send = (args: EmailArgs, options?: HostOptions): Promise<Act> => act((made) => email(made, args), options);

/** The text of a failure. */
const errorOf = async (args: EmailArgs): Promise<string | undefined> => (await send(args)).error;

const headersOf = (source = ""): string => source.slice(0, source.indexOf("\r\n\r\n")).replace(/\r\n[ \t]+/g, " ");

describe("a mail", () => {
  test("arrives as it is written, its hidden copies unseen", async () => {
    const { port, mails } = await peer();
    const sent = await send({
      ...usual,
      smtp: plain(port),
      to: ["Ann Ö <ann@example.org>, ben@example.org"],
      cc: ["cid@example.org"],
      bcc: ["dot@example.org"],
      reply_to: ["desk@example.com"],
      subject: "Grüße",
      html: "<p>Hi</p>",
      headers: { "X-Order": 5, "X-None": null },
    });
    const receivers = ["ann@example.org", "ben@example.org", "cid@example.org", "dot@example.org"];
    expect(sent).toMatchObject({ state: "succeeded", data: { sent: 1, accepted: receivers, rejected: [] } });
    const [mail] = mails;
    expect(mail).toMatchObject({ from: "shop@example.com", to: receivers, secure: false, user: undefined });
    const headers = headersOf(mail?.source);
    expect(headers).toContain("From: Shop <shop@example.com>");
    expect(headers).toContain("Cc: cid@example.org");
    expect(headers).toContain("Reply-To: desk@example.com");
    expect(headers).toContain("Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=");
    expect(headers).toContain("X-Order: 5");
    expect(headers).toContain("Content-Type: multipart/alternative");
    expect(headers).not.toMatch(/^(?:X-None|X-Mailer|Bcc):/im);
    expect(mail?.source).not.toContain("dot@example.org");
    const { message_id } = sent.data as { message_id: string };
    expect(headers).toContain(`Message-ID: ${message_id}`);
    expect(message_id).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
  });

  test("carries attachments", async () => {
    const { port, mails } = await peer();
    const attachments = [
      { filename: "../../etc/a.csv", content: "a;b", content_type: "text/csv", encoding: "utf8" },
      { filename: "c.txt", content: "c", content_type: "text/plain; charset=us-ascii", encoding: "utf8" },
      { filename: "b.bin", content: Buffer.from([0, 255, 7]).toString("base64") },
    ];
    expect((await send({ ...usual, smtp: plain(port), attachments })).state).toBe("succeeded");
    const { source = "" } = mails[0] ?? {};
    expect(headersOf(source)).toContain("Content-Type: multipart/mixed");
    expect(source).toMatch(/Content-Type: text\/csv; charset=utf-8; name=a\.csv/);
    expect(source).toMatch(/Content-Type: application\/octet-stream; name=b\.bin/);
    expect(source).toMatch(/Content-Type: text\/plain; charset=us-ascii; name=c\.txt/);
    expect(source).toContain("AP8H");
    expect(source).not.toContain("etc");
  });

  test("has the same Message-ID when it is sent again, and another one in another row", async () => {
    const { port, mails } = await peer();
    const rows = [{}, {}];
    const first = await send({ ...usual, smtp: plain(port), rows });
    await send({ ...usual, smtp: plain(port), rows });
    expect(first.data).toEqual({ sent: 2, failed: [] });
    const ids = mails.map(({ source }) => /^Message-ID: (.*)$/m.exec(headersOf(source))?.[1]);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
  });

  test("uses a connection again", async () => {
    const { port, mails, connections } = await peer();
    const twice = await act(async (made) => {
      await email(made, { ...usual, smtp: plain(port) });
      return email(made, { ...usual, smtp: plain(port) });
    });
    expect([twice.state, mails.length, connections()]).toEqual(["succeeded", 2, 1]);
  });
});

test("a server that has been restarted is connected again", async () => {
  const first = await smtpPeer();
  const { port } = first;
  const twice = await act(async (made) => {
    await email(made, { ...usual, smtp: plain(port) });
    await first.close();
    peers.push(await smtpPeer({}, port));
    return email(made, { ...usual, smtp: plain(port) });
  });
  expect([twice.state, twice.error]).toEqual(["succeeded", undefined]);
});

describe("hostile data", () => {
  test.each<[string, Partial<EmailArgs>, string]>([
    ["a subject with a header", { subject: "Hi\r\nBcc: eve@example.net" }, "header subject: invalid character"],
    ["a subject with a bare line feed", { subject: "Hi\nX: y" }, "header subject: invalid character"],
    ["a receiver with a header", { to: ["ann@example.org\r\nBcc: eve@example.net"] }, "header to: invalid character"],
    ["a receiver with a command", { to: ["<ann@example.org>\r\nRCPT TO:<eve@example.net>"] }, "header to: invalid character"],
    ["a name with a header", { from: "A\nBcc: eve@example.net <a@example.com>" }, "header from: invalid character"],
    ["an answer address", { reply_to: ["a@example.com\0"] }, "header reply_to: invalid character"],
    ["a header of one's own", { headers: { "X-A": "b\r\nBcc: eve@example.net" } }, "header X-A: invalid character"],
    ["a name of a header", { headers: { "X: y\r\nBcc": "eve@example.net" } }, "header name: invalid character"],
    ["a header that is a field", { headers: { BCC: "eve@example.net" } }, "field headers: 'BCC' cannot be set"],
    ["no address", { to: ["ann"] }, "field to: 'ann' is not an address"],
    ["an address with a command", { to: ["ann@example.org> NOTIFY=NEVER <x"] }, "field to: 'x' is not an address"],
    ["two senders", { from: "a@example.com, b@example.com" }, "email has more than one sender (from)"],
    ["no sender", { from: null }, "email needs a sender (from)"],
    ["no receiver", { to: null }, "email needs a receiver (to, cc or bcc)"],
    ["a crowd", { to: [Array.from({ length: 1001 }, (_, i) => `u${i}@example.org`).join()] }, "email has more than 1000 receivers"],
    ["an endless subject", { subject: "é".repeat(65_537) }, "field subject: too long"],
    ["a word that no line holds", { headers: { "X-A": `a ${"b".repeat(900)}` } }, "field headers: a word has 900 characters or more"],
    ["a subject of one word", { subject: "a".repeat(999) }, "field subject: a word has 900 characters or more"],
    ["many long headers", { headers: { "X-A": "a".repeat(40_000), "X-B": "b".repeat(40_000) } }, "field headers: too long"],
    ["endless receivers", { to: ["a,".repeat(40_000)] }, "field to: too long"],
    ["a file name", { attachments: [{ filename: "a\r\nb", content: "" }] }, "header filename: invalid character"],
    [
      "a content type",
      { attachments: [{ filename: "a", content: "", content_type: "a/b\r\nX: y" }] },
      "field content_type: not a content type",
    ],
    ["content", { attachments: [{ filename: "a", content: "a*bc" }] }, "field content: not Base64"],
    ["a file to read", { attachments: [{ filename: "a", path: "/etc/passwd" }] }, "field attachments: content is unset"],
    ["too much", { text: "x".repeat(26_214_401) }, "email exceeds 26214400 bytes"],
  ])("%s", async (_, args, expected) => {
    const { port, mails } = await peer();
    const failed = await send({ ...usual, smtp: plain(port), ...args });
    expect([failed.state, failed.error]).toEqual(["failed", expected]);
    expect(mails).toEqual([]);
  });

  test("a text is only a text, also when it looks like the end of a mail", async () => {
    const { port, mails } = await peer();
    const text = "a\r\n.\r\nMAIL FROM:<eve@example.net>\r\n..b";
    expect((await send({ ...usual, smtp: plain(port), text })).state).toBe("succeeded");
    expect(mails).toHaveLength(1);
    expect(mails[0]?.source).toContain("\r\n.\r\nMAIL FROM:<eve@example.net>\r\n..b");
  });

  test.each([["a b"], ["smtp://x"], ["a@b"], [""], ["h\r\nx"]])("no host: %j", async (server) => {
    expect(await errorOf({ ...usual, smtp: { server } })).toBe("field server: not a host");
  });
});

describe("rows", () => {
  test("send one mail each, whose fields win; one that fails keeps no other back", async () => {
    const { port, mails } = await peer();
    const rows = [{ to: "a@example.org" }, "b", { to: "c@example.org", subject: "For c", bcc: null }, { to: "d\n" }];
    const failed = await send({ ...usual, smtp: plain(port), rows });
    expect(failed.data).toEqual({
      sent: 2,
      failed: [
        { index: 1, error: "row: expected object, got string" },
        { index: 3, error: "header to: invalid character" },
      ],
    });
    expect(failed.error).toBe("email: 2 of 4 not sent; row 1: row: expected object, got string");
    expect(mails.map(({ to }) => to[0]).sort()).toEqual(["a@example.org", "c@example.org"]);
    expect(headersOf(mails.find(({ to }) => to[0]?.startsWith("c"))?.source)).toContain("Subject: For c");
  });

  test("may be none", async () => {
    for (const rows of [[], null]) expect((await send({ ...usual, smtp: plain(1), rows })).data).toEqual({ sent: 0, failed: [] });
    expect(await errorOf({ ...usual, smtp: plain(1), rows: 5 })).toBe("field rows: expected array, got number");
  });
});

const secrets = { user: "shop", pass: "very-secret-1" };
const tls: SMTPServerOptions = { key: privateKey, cert: certificate, hideSTARTTLS: false };
const login: SMTPServerOptions = {
  onAuth: ({ username, password }, _, done) =>
    username === secrets.user && password === secrets.pass ? done(null, { user: username }) : done(new Error(`no ${password}`)),
};

describe("TLS and logins", () => {
  test("STARTTLS, then a login", async () => {
    const { port, mails } = await peer({ ...tls, ...login, authOptional: false });
    expect((await send({ ...usual, smtp: { server: "localhost", port, ...secrets } })).error).toBeUndefined();
    expect(mails[0]).toMatchObject({ secure: true, user: "shop" });
  });

  test("a server without STARTTLS is not spoken to in plain text", async () => {
    const { port, mails } = await peer(login);
    const failed = await send({ ...usual, smtp: { server: "127.0.0.1", port, ...secrets, tls: true } });
    expect(failed.error).toMatch(/^email: connect failed: /);
    expect(mails).toEqual([]);
  });

  test("a certificate that nobody vouches for is refused", async () => {
    // The server brings one of its own.
    const { port, mails } = await peer({ hideSTARTTLS: false });
    expect(await errorOf({ ...usual, smtp: { server: "localhost", port } })).toMatch(
      /^email: connect failed: .*(?:certificate|self.signed)/i,
    );
    expect(mails).toEqual([]);
  });

  test("a login in plain text stays on this machine", async () => {
    const { port, mails } = await peer({ ...login, allowInsecureAuth: true });
    expect((await send({ ...usual, smtp: { ...secrets, server: "127.0.0.1", port, tls: false } })).state).toBe("succeeded");
    expect(mails[0]?.user).toBe("shop");
    expect(await errorOf({ ...usual, smtp: { ...secrets, server: "mail.example", port, tls: false } })).toBe("email: a login needs tls");
    expect(await errorOf({ ...usual, smtp: { user: "a\r\nb", server: "127.0.0.1", port } })).toBe("header user: invalid character");
  });

  test("a wrong password fails, and nobody hears it", async () => {
    const { port } = await peer({ ...tls, ...login });
    const lines: string[] = [];
    const log = (level: LogLevel, msg: string, fields?: object): void => void lines.push(JSON.stringify([level, msg, fields]));
    const failed = await send({ ...usual, smtp: { server: "localhost", port, user: "shop", pass: "wrong-secret-2" } }, { log });
    expect(failed.error).toBe("email: the server refused the login");
    expect(JSON.stringify([failed.error, failed.data, lines])).not.toContain("wrong-secret");
    expect(lines).toHaveLength(1);
  });
});
