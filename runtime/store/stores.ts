import type { Host, Resource } from "../process/host.ts";

/** A part of a process that uses a store, until it lets go of it. */
export interface Use<S> {
  readonly store: S;
  /** The last one that lets go closes the store. */
  readonly release: () => void | Promise<void>;
}

interface Shared {
  readonly store: Resource;
  users: number;
}

/**
 * The stores of a process by their addresses: state, recorded runs and durable runs share one connection, or one pool, an address. A store
 * is opened by its first user, and closed when the last has let go, so that what is written at the end is still written.
 */
class Stores implements Resource {
  readonly #stores = new Map<string, Shared>();

  use<S extends Resource>(name: string, open: () => S): Use<S> {
    const shared = this.#stores.get(name) ?? { store: open(), users: 0 };
    this.#stores.set(name, shared);
    shared.users += 1;
    let isOver = false;
    const release = (): void | Promise<void> => {
      if (isOver) return undefined;
      isOver = true;
      shared.users -= 1;
      if (shared.users > 0) return undefined;
      this.#stores.delete(name);
      return shared.store.close();
    };
    // A name holds the address and the kind of the store: whoever uses it knows its type.
    return { store: shared.store as S, release };
  }

  /** The users close what they use. */
  close(): void {}
}

/** Uses the store of this name, which is opened when nobody has it open. Throws what `open` throws. */
export const useStore = <S extends Resource>(host: Pick<Host, "resource">, name: string, open: () => S): Use<S> =>
  host.resource("stores", () => new Stores()).use(name, open);
