import { afterEach, describe, expect, test } from "vitest";
import { connectionsPerServer } from "#runtime/features/actions/email/mailer.ts";
import { smtpPeer } from "../harness/peers/smtp-peer.ts";
import { until } from "../harness/until.ts";
import { serviceOf, ways } from "./service.ts";

// A run whose caller has gone sends no further mail.

const open: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe.each(ways)("%s", (_, way) => {
  test("mails of a run that is cancelled stop, and what comes behind them does not begin", async () => {
    const held: (() => void)[] = [];
    // The first mails are held until the caller has gone.
    const peer = await smtpPeer({ onMailFrom: (_address, _session, done) => void held.push(() => done()) });
    open.push(peer);
    const text = `
name: mails
interfaces:
  t:
    method: POST
    actions:
      - name: Mail
        email: { smtp: { server: 127.0.0.1, port: a|env::PORT|, tls: false }, from: shop@example.com, subject: Hi, text: "a|body::text|", rows: a|body::rows| }
      - { name: Again, email: { smtp: { server: 127.0.0.1, port: a|env::PORT|, tls: false }, from: shop@example.com, to: last@example.org, subject: Hi, text: Hi } }
`;
    const service = await serviceOf(text, { ...way, env: { PORT: String(peer.port) } });
    open.unshift(service);
    const caller = new AbortController();
    const rows = Array.from({ length: 40 }, (_each, i) => ({ to: `c${i}@example.org` }));
    const asked = service.ask("/t", { text: "Hi", rows }, { signal: caller.signal }).catch(() => "gone");
    // A connection that is open already may still begin its mail after the cancel, so all of them have begun one before it.
    await until(() => expect(held.length).toBe(connectionsPerServer));
    caller.abort();
    expect(await asked).toBe("gone");
    await until(() => expect(service.log.join("\n")).toContain("client went away"));
    const begun = held.length;
    for (const go of held) go();
    // The service has ended when its last run has.
    open.splice(open.indexOf(service), 1);
    await service.close();
    expect(held.length).toBe(begun);
    expect(peer.mails.length).toBeLessThanOrEqual(begun);
    expect(begun).toBeLessThan(rows.length);
    expect(peer.mails.flatMap(({ to }) => to)).not.toContain("last@example.org");
  });
});
