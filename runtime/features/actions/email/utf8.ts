import type { SendMailOptions } from "nodemailer";
import type { Options } from "nodemailer/lib/smtp-connection";

/** True for a mail with an address whose local part is beyond ASCII. A domain is no reason: it is sent in its ASCII form. */
export const needsUtf8 = ({ from, to, cc, bcc }: SendMailOptions): boolean =>
  [from, to, cc, bcc].flat().some((box) => typeof box === "object" && "address" in box && /\P{ASCII}[^@]*@/u.test(box.address ?? ""));

/**
 * Asks a server on a connection of its own whether it offers SMTPUTF8 (RFC 6531, 3.1). The mailer sends such addresses to any server.
 * Neither a login nor a mail is sent: our own form of login is only the step at which the mailer tells the offers of the server.
 */
export async function offersUtf8(options: Options, signal: AbortSignal): Promise<boolean> {
  const { default: SMTPConnection } = await import("nodemailer/lib/smtp-connection");
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const connection = new SMTPConnection({
    ...options,
    customAuth: {
      ASK: ({ extensions, resolve: over }) => {
        resolve(extensions.includes("SMTPUTF8"));
        over();
      },
    },
  });
  const lost = (): void => reject(new Error("connection closed"));
  const cancel = (): void => connection.close();
  signal.addEventListener("abort", cancel);
  connection.on("error", reject);
  connection.on("end", lost);
  connection.connect(() => {
    connection.login({ type: "CUSTOM", method: "ASK", credentials: { user: "", pass: "" } }, () => connection.quit());
  });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
