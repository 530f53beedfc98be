/** The text of a frame as a server of WebSocket sends it (RFC 6455, 5.2). */
export function textIn(frame: Buffer): string {
  const length = frame[1] ?? 0;
  return frame.toString("utf8", length < 126 ? 2 : length === 126 ? 4 : 10);
}
