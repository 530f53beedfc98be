import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { certificate, privateKey } from "../harness/certificate.ts";
import { type SmtpPeer, smtpPeer } from "../harness/peers/smtp-peer.ts";
import { packFolder, packTexts } from "./packs.ts";
import { ask, expectPromised, gated, passed, untested } from "./played/calls.ts";
import { plays, refused, type Step } from "./played/play.ts";
import { type Service, serving, type Way, ways } from "./played/serving.ts";

// Both ways of the README of send-email-smtp-and-resend: to a real mail server with STARTTLS and a login, and to a scripted API.

const pack = "send-email-smtp-and-resend";
const mail = { to: "ann@example.com", subject: 'Welcome "Ann"\\ ü', html: '<h1>Hi!</h1>\n<p class="x">a|env::PATH|</p>' };
const required = "to, subject, and html are required";
const bad: readonly Json[] = [{}, { ...mail, to: "" }, { ...mail, subject: null }, { to: mail.to, subject: mail.subject }, [mail], "mail"];

const RESEND_API_KEY = "re_canary_6c5b4a";
const resent = (does: string, body: Json, more: Partial<Step> = {}): Step => ({
  does,
  method: "POST",
  path: "/email/resend",
  body,
  ...more,
});
const effects = (body: object = mail) => [
  {
    to: "POST api.resend.com/emails",
    headers: { authorization: `Bearer ${RESEND_API_KEY}`, "content-type": "application/json" },
    body: { from: "Acme <hello@acme.com>", ...body, to: [mail.to] },
  },
];
const id = "4ef9a417-02e9-4d39-ad75-9611e0fcc33c";

plays(
  {
    ...{ pack, title: `${pack}: Resend`, variables: { RESEND_API_KEY, RESEND_FROM: "Acme <hello@acme.com>" } },
    services: [{ method: "POST", path: "/emails", body: { id } }],
  },
  [
    resent("sends", mail, {
      effects: effects(),
      gives: {
        Validate: passed,
        SendResend: { data: { status: 200, headers: expect.any(Object), body: { id } }, ...passed },
        Result: untested({ id, status: "sent", provider: "resend" }),
      },
    }),
    ...bad.map((body) =>
      resent(`refuses ${JSON.stringify(body).slice(0, 40)}`, body, {
        status: 400,
        gives: { Validate: refused(body, required), SendResend: gated("Validate"), Result: gated("SendResend") },
      }),
    ),
    resent("answers 502 when Resend refuses", mail, {
      ...{ status: 502, effects: effects() },
      services: [{ method: "POST", path: "/emails", status: 422, body: { name: "validation_error" } }],
      gives: {
        Validate: passed,
        SendResend: refused(
          { status: 422, headers: expect.any(Object), body: { name: "validation_error" } },
          "http status 422 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 422]",
        ),
        Result: gated("SendResend"),
      },
    }),
    resent("answers 502 to another success", mail, {
      ...{ status: 502, effects: effects() },
      services: [{ method: "POST", path: "/emails", status: 202, body: {} }],
      gives: {
        Validate: passed,
        SendResend: refused({ status: 202, headers: expect.any(Object), body: {} }, "Resend rejected the email"),
        Result: gated("SendResend"),
      },
    }),
  ],
);

describe.skipIf(packFolder(pack) === undefined)(`${pack}: SMTP`, () => {
  const login = { user: "acme", pass: "canary-mail-3f2e1d" };
  const shown: Record<Way, string[]> = { compiled: [], interpreted: [] };

  describe.each(ways)("%s", (way) => {
    let peer: SmtpPeer;
    let service: Service;
    beforeAll(async () => {
      setDefaultCACertificates([...getCACertificates(), certificate]);
      peer = await smtpPeer({
        ...{ hideSTARTTLS: false, authOptional: false, key: privateKey, cert: certificate },
        onAuth: ({ username, password }, _, done) =>
          username === login.user && password === login.pass ? done(null, { user: username }) : done(new Error("535 no")),
        onRcptTo: ({ address }, _, done) => done(address.startsWith("nobody@") ? new Error("550 no such user") : null),
      });
      // The README says where the port is edited.
      const texts = packTexts(pack).map(({ file, text }) => ({ file, text: text.replace("port: 587", `port: ${peer.port}`) }));
      const variables = { SMTP_HOST: "localhost", SMTP_USER: login.user, SMTP_PASS: login.pass, SMTP_FROM: "Acme <hello@acme.com>" };
      service = await serving(texts, way, { variables });
    });
    afterAll(async () => {
      await service?.close();
      await peer?.close();
    });
    const send = (body: Json) => ask(service.url, { method: "POST", path: "/email/smtp", body });
    const show = (text: string): void => void shown[way].push(text.replace(/"time\.ms":\d+|<[0-9a-f]{40}@/g, "…"));

    test("sends, encrypted and logged in", async () => {
      const got = await send(mail);
      const sent = { sent: 1, message_id: expect.stringMatching(/^<\S+@acme\.com>$/), accepted: [mail.to], rejected: [] };
      const { html: _, ...rest } = mail;
      expectPromised(
        { gives: { Validate: passed, SendSmtp: untested(sent), Result: untested({ ...rest, status: "sent", provider: "smtp" }) } },
        got,
      );
      expect(peer.mails).toMatchObject([{ from: "hello@acme.com", to: [mail.to], secure: true, user: "acme" }]);
      const [{ source = "" } = {}] = peer.mails;
      expect(source).toContain("From: Acme <hello@acme.com>");
      expect(source).toContain("<h1>Hi!</h1>");
      expect(source).toContain("a|env::PATH|");
    });

    test.each(bad)("refuses %j", async (body) => {
      const got = await send(body);
      expectPromised(
        { status: 400, gives: { Validate: refused(body, required), SendSmtp: gated("Validate"), Result: gated("SendSmtp") } },
        got,
      );
      show(got.text);
    });

    test.each([
      ["a receiver that the server refuses", { ...mail, to: "nobody@example.com" }],
      ["a receiver that is none", { ...mail, to: "not an address" }],
      ["a header in the subject is none in the mail", { ...mail, subject: "x\r\nBcc: eve@example.com" }],
      ["a receiver with a command in it", { ...mail, to: "ann@example.com>\r\nRCPT TO:<eve@example.com" }],
    ])("%s", async (_, body) => {
      const before = peer.mails.length;
      const got = await send(body);
      show(got.text);
      for (const { to, source } of peer.mails.slice(before)) {
        expect(to).not.toContain("eve@example.com");
        expect(source).not.toMatch(/^Bcc: eve/im);
      }
      if (peer.mails.length === before)
        expect([got.status, JSON.parse(got.text).data.Result]).toEqual([502, { ...gated("SendSmtp"), "time.ms": 0 }]);
    });

    test("no password is in the log", () => {
      expect(service.log.join("\n")).not.toMatch(/canary|critical/);
    });
  });

  test("both ways did the same", () => {
    expect(shown.compiled).toHaveLength(bad.length + 4);
    expect(shown.interpreted).toEqual(shown.compiled);
  });
});
