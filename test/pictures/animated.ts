// An animated WebP of still ones: the container alone is made here, the pictures stay as the browser has encoded them.

/** A WebP of one picture, and the milliseconds for which it is shown. */
export interface Frame {
  readonly webp: Buffer;
  readonly ms: number;
}

/** Pictures of one size, one after the other, for ever. */
export function animated(frames: readonly Frame[], { width, height }: { readonly width: number; readonly height: number }): Buffer {
  const size = [...three(width - 1), ...three(height - 1)];
  const hasAnimation = 0x02;
  const head = chunk("VP8X", Buffer.from([hasAnimation, 0, 0, 0, ...size]));
  const forEver = chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0]));
  const shown = frames.map(({ webp, ms }) =>
    chunk("ANMF", Buffer.concat([Buffer.from([...three(0), ...three(0), ...size, ...three(ms), 0]), pictureIn(webp)])),
  );
  const parts = Buffer.concat([Buffer.from("WEBP"), head, forEver, ...shown]);
  return Buffer.concat([Buffer.from("RIFF"), four(parts.length), parts]);
}

const three = (value: number): readonly number[] => [value & 255, (value >> 8) & 255, (value >> 16) & 255];

function four(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const chunk = (name: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(name), four(data.length), data, Buffer.alloc(data.length % 2)]);

/** The chunk with the picture itself, without the header of its file. */
function pictureIn(webp: Buffer): Buffer {
  for (let at = 12; at < webp.length; ) {
    const length = 8 + webp.readUInt32LE(at + 4);
    if (/^VP8[ L]$/.test(webp.toString("latin1", at, at + 4))) return webp.subarray(at, at + length + (length % 2));
    at += length + (length % 2);
  }
  throw new Error("this is no picture in WebP");
}
