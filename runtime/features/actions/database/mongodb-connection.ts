import type { Duplex, Transform, TransformCallback } from "node:stream";

/** The messages of a connection, which are cut by the size that each begins with. */
interface Messages extends Transform {
  readonly bufferPool: { getInt32: () => number | null };
}

/** The driver's class of connections, which its types leave out. */
type ConnectionClass = new (socket: Duplex, options: object) => { readonly messageStream: Messages };

/** Bytes of the header of a message, and those that a message may have (`maxMessageSizeBytes` of the server). */
const [least, most] = [16, 48_000_000];

/**
 * Connections that refuse a message of an impossible size. The driver would cut empty messages for ever where it reads a size of 0, and
 * gather up to 2 GiB where another protocol is spoken.
 */
export async function checkedConnections(): Promise<ConnectionClass> {
  // @ts-expect-error The package has no types for this file.
  const { Connection }: { readonly Connection: ConnectionClass } = await import("mongodb/lib/cmap/connection.js");
  return class extends Connection {
    constructor(socket: Duplex, options: object) {
      super(socket, options);
      checkSizes(this.messageStream);
    }
  };
}

function checkSizes(messages: Messages): void {
  const { bufferPool } = messages;
  const sizeOf = bufferPool.getInt32.bind(bufferPool);
  const transform = messages._transform.bind(messages);
  bufferPool.getInt32 = () => {
    const size = sizeOf();
    if (size !== null && (size < least || size > most))
      throw new Error(`the server sent a message of ${size} bytes, which is none of MongoDB`);
    return size;
  };
  messages._transform = (chunk: unknown, encoding: BufferEncoding, done: TransformCallback) => {
    try {
      transform(chunk, encoding, done);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
}
