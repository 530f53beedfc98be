import type { Host, Resource } from "../process/host.ts";

/** The use of a store by a part of a process, until the part releases it. */
export interface Use<S> {
  readonly store: S;
  /** Releases the store; the last release closes it. */
  readonly release: () => void | Promise<void>;
}

interface Shared {
  readonly store: Resource;
  users: number;
}

/**
 * The stores of a process by their addresses: state, recorded runs and durable runs share one connection, or one pool, for each address. A
 * store is opened by its first user, and closed after the last release, so that last writes are still stored.
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
    // The name holds the address and the kind of the store, so that each user knows the type.
    return { store: shared.store as S, release };
  }

  /** The users close their stores by `release`. */
  close(): void {}
}

/** Uses the store of this name, which is opened if no other part has it open. Throws the errors of `open`. */
export const useStore = <S extends Resource>(host: Pick<Host, "resource">, name: string, open: () => S): Use<S> =>
  host.resource("stores", () => new Stores()).use(name, open);
