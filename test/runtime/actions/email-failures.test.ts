import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, test } from "vitest";
import { type EmailArgs, email } from "#runtime/features/actions/email.ts";
import { retry } from "#runtime/run/around/retry.ts";
import type { Act } from "#runtime/run/run.ts";
import { smtpPeer } from "../../harness/peers/smtp-peer.ts";
import { act } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { peer, peers, plain, usual } from "./mail-peers.ts";

const send = (args: EmailArgs): Promise<Act> => act((made) => email(made, args));

const refusing = (responseCode: number): SMTPServerOptions => ({
  onRcptTo: ({ address }, _, done) =>
    address.startsWith("no") ? done(Object.assign(new Error("no such user here"), { responseCode })) : done(),
});

/** A server that takes each mail and closes the connection in place of a reply. */
async function droppingPeer(): Promise<{ readonly port: number; readonly taken: () => number }> {
  let taken = 0;
  const server = createServer((socket) => {
    let isText = false;
    socket.on("error", () => undefined).write("220 drop\r\n");
    createInterface(socket).on("line", (line) => {
      if (isText && line === ".") {
        taken += 1;
        socket.destroy();
      }
      if (isText) return;
      isText = line === "DATA";
      socket.write(isText ? "354 go\r\n" : "250 ok\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  peers.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  return { port: (server.address() as AddressInfo).port, taken: () => taken };
}

describe("failures", () => {
  test("some receivers are refused: the others get it", async () => {
    const { port, mails } = await peer(refusing(550));
    const args = { ...usual, smtp: plain(port), to: ["ann@example.org", "no@example.org"] };
    const sent = await act((made) => email(made, args));
    expect(sent.data).toMatchObject({ sent: 1, accepted: ["ann@example.org"], rejected: ["no@example.org"] });
    expect(mails[0]?.to).toEqual(["ann@example.org"]);
  });

  /** How often it is tried under `retry`, and what is said in the end. */
  async function tried(args: EmailArgs): Promise<readonly [number, string | undefined]> {
    let tries = 0;
    const attempt = (made: Act): ReturnType<typeof email> => {
      tries += 1;
      return email(made, args);
    };
    const failed = await act(retry({ attempts: 3, delay: 1, jitter: "none", on: ["any"] })(attempt));
    return [tries, failed.error];
  }

  test("what is refused for good is not sent again", async () => {
    const { port } = await peer(refusing(550));
    expect(await tried({ ...usual, smtp: plain(port), to: ["no@example.org"] })).toEqual([1, "email: 550 no such user here"]);
  });

  test("what is refused for now is", async () => {
    const { port } = await peer(refusing(450));
    expect(await tried({ ...usual, smtp: plain(port), to: ["no@example.org"] })).toEqual([3, "email: 450 no such user here"]);
  });

  test("a server that is away is asked again", async () => {
    const { port, close } = await smtpPeer();
    await close();
    const [tries, error] = await tried({ ...usual, smtp: plain(port) });
    expect([tries, error]).toEqual([3, `email: connect failed: connect ECONNREFUSED 127.0.0.1:${port}`]);
  });

  test("a mail that the server may have taken is not sent again", async () => {
    const { port, taken } = await droppingPeer();
    const [tries, error] = await tried({ ...usual, smtp: plain(port) });
    expect([tries, error, taken()]).toEqual([1, "email: connection lost: Connection closed unexpectedly", 1]);
  });

  test("rows are not sent again when one of them went out, and are when none did", async () => {
    const { port, mails } = await peer();
    const rows = [{}, { to: "none" }];
    expect((await tried({ ...usual, smtp: plain(port), rows }))[0]).toBe(1);
    expect(mails).toHaveLength(1);
    expect((await tried({ ...usual, smtp: plain(port), rows: rows.slice(1) }))[0]).toBe(3);
  });

  test("a server that says nothing ends with the action", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const failed = await act(
      (made) => email(made, { ...usual, smtp: plain(port) }),
      {},
      (run) => void until(() => expect(sockets).toHaveLength(1)).then(() => run.cancel("gone")),
    );
    expect(failed.error).toBe("email: cancelled");
    const closed = sockets.map(
      (socket) => new Promise((resolve) => (socket.destroyed ? resolve(true) : socket.on("close", resolve).resume())),
    );
    await Promise.all(closed);
    expect(sockets).toHaveLength(1);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("an address whose local part is beyond ASCII", () => {
  const to = ["björn@example.org"];

  test("fails before the envelope where the server does not offer SMTPUTF8", async () => {
    const seen: string[] = [];
    const { port, mails } = await peer({
      hideSMTPUTF8: true,
      onMailFrom: ({ address }, _, done) => {
        seen.push(address);
        done();
      },
    });
    for (const more of [{ to }, { from: "björn@example.com" }, { bcc: to }]) {
      const error = "email: the server does not offer SMTPUTF8, which a letter beyond ASCII before the '@' of an address needs";
      expect(await send({ ...usual, smtp: plain(port), ...more })).toMatchObject({ state: "failed", error });
    }
    expect([seen, mails]).toEqual([[], []]);
  });

  test("goes out with SMTPUTF8 where the server offers it", async () => {
    const parameters: unknown[] = [];
    const { port, mails } = await peer({
      onMailFrom: ({ args }, _, done) => {
        parameters.push(args);
        done();
      },
    });
    expect(await send({ ...usual, smtp: plain(port), to })).toMatchObject({ data: { accepted: to } });
    expect(parameters).toEqual([expect.objectContaining({ SMTPUTF8: true })]);
    expect(mails[0]?.to).toEqual(to);
  });

  test("a domain is sent in its ASCII form", async () => {
    const { port, mails, connections } = await peer({ hideSMTPUTF8: true });
    expect(await send({ ...usual, smtp: plain(port), to: ["ann@bücher.example"] })).toMatchObject({ state: "succeeded" });
    // The server of these tests shows the domain of the envelope in letters again.
    expect(mails[0]?.source).toContain("To: ann@xn--bcher-kva.example");
    expect(connections()).toBe(1);
  });
});
