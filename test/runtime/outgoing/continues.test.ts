import { Socket } from "node:net";
import { expect, test } from "vitest";
import { Continues } from "#runtime/outgoing/continues.ts";

// The bytes of `100 Continue` before an answer, in pieces of every size (RFC 9110, 15.2).

/** All that is read of a socket to which these pieces come. */
function read(pieces: readonly string[]): string {
  const left = pieces.map((piece) => Buffer.from(piece, "latin1"));
  const socket = new Socket();
  socket.read = () => left.shift() ?? null;
  const continues = new Continues();
  continues.watch(socket);
  continues.begin();
  let text = "";
  while (left.length > 0) text += (socket.read() as Buffer | null)?.toString("latin1") ?? "";
  return text;
}

const continued = "HTTP/1.1 100 Continue\r\n\r\n";
const answer = "HTTP/1.1 200 OK\r\ncontent-length: 26\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n";
const places = (text: string): number[] => Array.from({ length: text.length + 1 }, (_, i) => i);

test.each([
  ["none", answer, answer],
  ["one", continued + answer, answer],
  ["two", continued + continued + answer, answer],
  ["one with lines, of HTTP/1.0", `HTTP/1.0 100\r\na: b\r\nc: d\r\n\r\n${answer}`, answer],
  ["another interim answer", `HTTP/1.1 103 Early Hints\r\n\r\n${answer}`, `HTTP/1.1 103 Early Hints\r\n\r\n${answer}`],
  ["a status that begins like it", "HTTP/1.1 10", ""],
  ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "SSH-2.0-OpenSSH_9.6\r\n"],
])("%s", (_, bytes, expected) => {
  for (const one of places(bytes))
    for (const other of places(bytes).slice(one))
      expect(read([bytes.slice(0, one), bytes.slice(one, other), bytes.slice(other)])).toBe(expected);
  expect(read([...bytes])).toBe(expected);
});

test("a head that has no end is handed on", () => {
  const bytes = `HTTP/1.1 100 Continue\r\na: ${"b".repeat(20_000)}`;
  expect(read(bytes.match(/.{1,1000}/gs) ?? [])).toBe(bytes);
});
