/** Lengths from which a frame needs two, or eight, further bytes for its length. */
const [inTwoBytes, inEightBytes] = [126, 65_536];

/**
 * A text as a server of WebSocket sends it (RFC 6455, 5.2): whole and without a mask, so that its bytes are the same for all receivers.
 * Head and text are one buffer, which the system takes in one write.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const start = length < inTwoBytes ? 2 : length < inEightBytes ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = 0x81;
  if (start === 2) frame[1] = length;
  else if (start === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, start);
  return frame;
}
