import type { SMTPServerOptions } from "smtp-server";
import { afterEach } from "vitest";
import type { SmtpArgs } from "#runtime/features/actions/email/mailer.ts";
import type { EmailArgs } from "#runtime/features/actions/email.ts";
import { type SmtpPeer, smtpPeer } from "../../harness/peers/smtp-peer.ts";

/** Servers that end with the test. */
export const peers: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((each) => each.close()));
});

/** A server of mails that ends with the test. */
export async function peer(options?: SMTPServerOptions): Promise<SmtpPeer> {
  const made = await smtpPeer(options);
  peers.push(made);
  return made;
}

/** The settings of a server without TLS on this machine. */
export const plain = (port: number): SmtpArgs => ({ server: "127.0.0.1", port, tls: false });

/** The fields that most tests have. */
export const usual: EmailArgs = { from: "Shop <shop@example.com>", to: ["ann@example.org"], subject: "Hello", text: "Hi" };
