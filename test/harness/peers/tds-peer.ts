import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * A peer that speaks enough of TDS 7.4 for our driver: prelogin, login, batches, `sp_executesql`, results, errors and attention. It
 * replaces SQL Server, which is not available here: the requests of our driver are real, and the answers follow [MS-TDS].
 */
export interface TdsPeer {
  readonly port: number;
  /** The received requests, without the batch of settings that the driver sends first. */
  readonly seen: TdsRequest[];
  /** User, decoded password and database of every login. */
  readonly logins: { readonly user: string; readonly password: string; readonly database: string }[];
  /** Texts of the first batch of each connection and of each session reset. */
  readonly sessions: string[];
  resets: number;
  attentions: number;
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

export interface TdsRequest {
  readonly sql: string;
  /** Declarations of the parameters, and their values: text, numbers, booleans, null. */
  readonly declared?: string;
  readonly values?: readonly unknown[];
}

/** A column in its wire format, and the bytes of its value in the only row. */
export interface Wire {
  readonly name: string;
  readonly info: Buffer;
  readonly value: Buffer;
}

export type Answer =
  | { readonly columns: readonly Wire[]; readonly rows?: number }
  | { readonly error: string; readonly number: number; readonly severity: number }
  /** Begins a transaction that stays open. */
  | { readonly begins: true }
  | { readonly never: true };

const ucs2 = (text: string): Buffer => Buffer.from(text, "utf16le");
const byteText = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), ucs2(text)]);
const shortText = (text: string): Buffer => Buffer.concat([u16(text.length), ucs2(text)]);
export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

/** Starts a peer that answers each request with `answers`; several answers are several results of one batch. */
export async function tdsPeer(answers: (asked: TdsRequest) => readonly Answer[]): Promise<TdsPeer> {
  const sockets = new Set<Socket>();
  const state = { seen: [] as TdsRequest[], logins: [] as TdsPeer["logins"][number][], sessions: [] as string[], resets: 0, attentions: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    let greeted = false;
    const reply = (...tokens: readonly Buffer[]): void => void (socket.destroyed || socket.write(packet(4, Buffer.concat(tokens))));
    socket.on(
      "data",
      messages((type, body, status) => {
        if (type === 0x12) return reply(prelogin());
        if (type === 0x10) {
          state.logins.push(login(body));
          return reply(loginAck(), done(0));
        }
        if (type === 0x06) {
          state.attentions += 1;
          return reply(done(0x20));
        }
        const asked = type === 0x01 ? { sql: body.subarray(body.readUInt32LE(0)).toString("utf16le") } : call(body);
        const resets = (status & resetConnection) !== 0;
        if (resets) state.resets += 1;
        if (!greeted || resets) {
          greeted = true;
          state.sessions.push(asked.sql);
          return reply(done(0));
        }
        state.seen.push(asked);
        const given = answers(asked);
        if (given.some((answer) => "never" in answer)) return;
        reply(...given.map((answer, i) => tokens(answer, i < given.length - 1, type === 0x03)));
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    cut,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  });
}

/** The bit of a packet header that resets the session before the request runs. */
const resetConnection = 8;

/** Joins packets to messages. Each packet has a header of eight bytes, and the last packet of a message is marked. */
function messages(each: (type: number, body: Buffer, status: number) => void): (chunk: Buffer) => void {
  let left = Buffer.alloc(0);
  let body = Buffer.alloc(0);
  return (chunk) => {
    left = Buffer.concat([left, chunk]);
    while (left.length >= 8 && left.length >= left.readUInt16BE(2)) {
      const length = left.readUInt16BE(2);
      const [type, status] = [left.readUInt8(0), left.readUInt8(1)];
      body = Buffer.concat([body, left.subarray(8, length)]);
      left = left.subarray(length);
      if ((status & 1) === 0) continue;
      const whole = body;
      body = Buffer.alloc(0);
      each(type, whole, status);
    }
  };
}

function packet(type: number, body: Buffer): Buffer {
  const header = Buffer.from([type, 1, 0, 0, 0, 0, 1, 0]);
  header.writeUInt16BE(8 + body.length, 2);
  return Buffer.concat([header, body]);
}

/** The prelogin answer: version 15, no encryption. */
function prelogin(): Buffer {
  const options = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff]);
  return Buffer.concat([options, Buffer.from([15, 0, 0, 0, 0, 0]), Buffer.from([2])]);
}

function login(body: Buffer): TdsPeer["logins"][number] {
  const part = (at: number): Buffer => {
    const [offset, length] = [body.readUInt16LE(at), body.readUInt16LE(at + 2)];
    return body.subarray(offset, offset + 2 * length);
  };
  // The client swaps the halves of each byte of the password and then applies XOR with 0xa5.
  const hidden = Buffer.from(part(44).map((byte) => ((byte ^ 0xa5) >> 4) | (((byte ^ 0xa5) << 4) & 0xff)));
  return { user: part(40).toString("utf16le"), password: hidden.toString("utf16le"), database: part(68).toString("utf16le") };
}

function loginAck(): Buffer {
  const body = Buffer.concat([Buffer.from([1, 0x74, 0, 0, 4]), byteText("Peer"), Buffer.from([15, 0, 0, 0])]);
  return Buffer.concat([Buffer.from([0xad]), u16(body.length), body]);
}

const done = (status: number, token = 0xfd): Buffer => Buffer.concat([Buffer.from([token]), u16(status), u16(0), u64(0n)]);

function tokens(answer: Answer, more: boolean, inProcedure: boolean): Buffer {
  const status = more ? 1 : 0;
  const end = inProcedure ? Buffer.concat([done(status | 1, 0xff), done(status, 0xfe)]) : done(status);
  if ("error" in answer) return Buffer.concat([failure(answer), done(status | 2, inProcedure ? 0xfe : 0xfd)]);
  if ("begins" in answer) return Buffer.concat([begun(), end]);
  if (!("columns" in answer)) return end;
  const { columns, rows = 1 } = answer;
  const described = columns.map(({ name, info }) => Buffer.concat([u32(0), u16(0), info, byteText(name)]));
  const row = Buffer.concat([Buffer.from([0xd1]), ...columns.map(({ value }) => value)]);
  const head = columns.length === 0 ? [] : [Buffer.concat([Buffer.from([0x81]), u16(columns.length), ...described])];
  return Buffer.concat([...head, ...Array.from({ length: columns.length === 0 ? 0 : rows }, () => row), end]);
}

function failure({ error, number, severity }: { readonly error: string; readonly number: number; readonly severity: number }): Buffer {
  const body = Buffer.concat([u32(number), Buffer.from([1, severity]), shortText(error), byteText("peer"), byteText(""), u32(1)]);
  return Buffer.concat([Buffer.from([0xaa]), u16(body.length), body]);
}

/** The token ENVCHANGE 8: a transaction has begun; it carries the descriptor. */
function begun(): Buffer {
  const body = Buffer.concat([Buffer.from([8, 8]), u64(7n), Buffer.from([0])]);
  return Buffer.concat([Buffer.from([0xe3]), u16(body.length), body]);
}

/** A call of sp_executesql: the statement, the declarations, the values. */
function call(body: Buffer): TdsRequest {
  let at = body.readUInt32LE(0) + 6;
  const values: unknown[] = [];
  while (at < body.length) {
    at += 1 + 2 * body.readUInt8(at) + 1;
    const [value, next] = typed(body, at);
    values.push(value);
    at = next;
  }
  const [sql, declared, ...rest] = values;
  return { sql: String(sql), ...(declared === undefined ? {} : { declared: String(declared) }), values: rest };
}

function typed(body: Buffer, start: number): [unknown, number] {
  const type = body.readUInt8(start);
  if (type === 0xe7) return text(body, start + 8, body.readUInt16LE(start + 1) === 0xffff);
  const length = body.readUInt8(start + 2);
  const [from, to] = [start + 3, start + 3 + length];
  if (length === 0) return [null, to];
  if (type === 0x68) return [body.readUInt8(from) === 1, to];
  if (type === 0x6d) return [length === 4 ? body.readFloatLE(from) : body.readDoubleLE(from), to];
  return [length === 8 ? body.readBigInt64LE(from) : body.readIntLE(from, length), to];
}

function text(body: Buffer, at: number, isLong: boolean): [string | null, number] {
  if (!isLong) {
    const length = body.readUInt16LE(at);
    return length === 0xffff ? [null, at + 2] : [body.toString("utf16le", at + 2, at + 2 + length), at + 2 + length];
  }
  if (body.readBigUInt64LE(at) === 0xffff_ffff_ffff_ffffn) return [null, at + 8];
  const chunks: Buffer[] = [];
  let from = at + 8;
  for (let length = body.readUInt32LE(from); length > 0; length = body.readUInt32LE(from)) {
    chunks.push(body.subarray(from + 4, from + 4 + length));
    from += 4 + length;
  }
  return [Buffer.concat(chunks).toString("utf16le"), from + 4];
}
