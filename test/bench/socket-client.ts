import { connect, type Socket } from "node:net";

// A WebSocket client that costs little: bare sockets, frames of text that are made once, and no more of the protocol than the servers of
// the benchmark use.

export interface Client {
  readonly send: (frame: Buffer) => void;
  /** Takes each text that comes. */
  onText: (text: Buffer) => void;
  readonly close: () => void;
}

/** A frame of text below 126 bytes with a mask of zeros, which leaves the text as it is. */
export function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new Error("a frame of the benchmark has at most 125 bytes");
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

/** A text that has come whole, and where the next frame begins; undefined while some of it is missing. */
export function textAt(bytes: Buffer, at: number): { readonly text: Buffer; readonly next: number; readonly opcode: number } | undefined {
  if (bytes.length < at + 2) return undefined;
  const short = (bytes[at + 1] ?? 0) & 127;
  if (short === 127) throw new Error("the server has sent a frame of over 64 KiB");
  const start = short === 126 ? at + 4 : at + 2;
  if (bytes.length < start) return undefined;
  const next = start + (short === 126 ? bytes.readUInt16BE(at + 2) : short);
  return bytes.length < next ? undefined : { text: bytes.subarray(start, next), next, opcode: (bytes[at] ?? 0) & 15 };
}

/** Opens a connection. `failed` hears of one that ends before it is closed. */
export function openSocket({ hostname, port, host }: URL, path: string, failed: (error: Error) => void): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let rest: Buffer = Buffer.alloc(0);
    let isOpen = false;
    let isClosed = false;
    const client: Client = {
      send: (frame) => void socket.write(frame),
      onText: () => undefined,
      close: () => {
        isClosed = true;
        socket.destroy();
      },
    };
    const fail = (error: Error): void => {
      if (isClosed) return;
      client.close();
      (isOpen ? failed : reject)(error);
    };
    socket.on("error", fail);
    socket.on("close", () => fail(new Error(`${path}: the server has hung up`)));
    socket.on("connect", () => socket.write(upgrade(host, path)));
    socket.on("data", (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (!isOpen) {
        const end = rest.indexOf("\r\n\r\n");
        if (end < 0) return;
        const head = rest.toString("latin1", 0, end);
        if (!head.startsWith("HTTP/1.1 101 ")) return fail(new Error(`${path}: ${head}`));
        rest = rest.subarray(end + 4);
        isOpen = true;
        resolve(client);
      }
      let at = 0;
      for (let frame = textAt(rest, 0); frame !== undefined; frame = textAt(rest, at)) {
        if (frame.opcode === 1) client.onText(frame.text);
        else if (frame.opcode === 8) return fail(new Error(`${path}: the server has closed with ${frame.text.toString("latin1")}`));
        at = frame.next;
      }
      rest = rest.subarray(at);
    });
  });
}

const upgrade = (host: string, path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
  "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
