import type { SessionStore } from "../../../store/mqtt-sessions.ts";
import type { Directory } from "./directory.ts";
import type { Journals } from "./journals.ts";

/** The stored sessions of a process, and the list of sessions that all processes share. */
export interface Keeping {
  readonly store: SessionStore;
  readonly directory: Pick<Directory, "sessions">;
  readonly journals: Pick<Journals, "idOf" | "sweep">;
}

/**
 * Removes the stored data of an ended process, once its heir has its sessions. A row that no directory knows is removed, too: PostgreSQL
 * has crashed before the opening of the session was on its disk, or the process has ended before it could store the end of the session. If
 * the removal fails, useless rows stay.
 */
export async function forget(source: string, { store, directory, journals }: Keeping): Promise<void> {
  try {
    const rows = await store.left(source);
    if (rows.length > 0) {
      const ids = new Set(directory.sessions().map(({ key }) => journals.idOf(key)));
      await journals.sweep(rows.filter(({ id }) => !ids.has(id)));
    }
    await store.forget(source);
  } catch {
    // The store is away, which is logged elsewhere.
  }
}
