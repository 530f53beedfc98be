import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** One mail as a server has received it. */
export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly user: string | undefined;
  /** Headers and body as they came over the wire. */
  readonly source: string;
}

export interface SmtpPeer {
  readonly port: number;
  readonly mails: Received[];
  /** Number of connections so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** A mail server on this machine that keeps the mails it receives. */
export async function smtpPeer(options: SMTPServerOptions = {}, at = 0): Promise<SmtpPeer> {
  const mails: Received[] = [];
  let made = 0;
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideSTARTTLS: true,
    closeTimeout: 50,
    onConnect: (_, done) => {
      made += 1;
      done();
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user === undefined ? undefined : String(session.user),
          source: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
    ...options,
  });
  // Some tests end the connection on purpose, so that errors are ignored.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, connections: () => made, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
