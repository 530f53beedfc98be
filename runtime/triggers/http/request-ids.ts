/** The number of ids that are made at once. */
const batch = 512;

const length = 36;

/** The positions of the pairs of digits in a UUID, between its dashes. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

const digits = Buffer.from("0123456789abcdef");

/**
 * Makes the ids of requests (spec/surfaces 0): each is new, whatever id its caller has sent. Many ids are cut out of one text, which costs
 * a fraction of `randomUUID`; an id is copied only when it is sent.
 */
export class RequestIds {
  readonly #bytes: (length: number) => Buffer;
  #made = "";
  #next = 0;

  constructor(bytes: (length: number) => Buffer) {
    this.#bytes = bytes;
  }

  next(): string {
    if (this.#next === this.#made.length) {
      this.#made = uuids(this.#bytes(16 * batch));
      this.#next = 0;
    }
    this.#next += length;
    return this.#made.slice(this.#next - length, this.#next);
  }
}

/** The UUIDs of 16 bytes each, one after another without separators. */
function uuids(bytes: Buffer): string {
  const text = Buffer.alloc(batch * length, "-");
  for (let i = 0; i < batch; i++) write(text, i * length, bytes.subarray(i * 16, i * 16 + 16));
  return text.toString("latin1");
}

function write(text: Buffer, start: number, id: Buffer): void {
  // Version 4, variant of RFC 9562.
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x40;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  for (let i = 0; i < 16; i++) {
    const byte = id[i] ?? 0;
    const place = start + (places[i] ?? 0);
    text[place] = digits[byte >> 4] ?? 0;
    text[place + 1] = digits[byte & 15] ?? 0;
  }
}
