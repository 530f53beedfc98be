import type { Session } from "../session.ts";
import type { Entry } from "./directory.ts";
import type { OpenedNotice } from "./notices.ts";
import type { SessionJournal } from "./session-journal.ts";

/** A session that this process has. */
export interface Own {
  readonly session: Session;
  /** The name under which the session was last opened. */
  name: string;
  keptMs: number;
  /** The position at which this process got it; undefined until the position is known. */
  epoch: number | undefined;
  /** The journal of a durable session; absent for a session that ends with its connection. */
  journal: SessionJournal | undefined;
}

/** The opening of a session, as this process has heard it. */
export type Placement = OpenedNotice & {
  /** The position of the opening; undefined until the bus has placed it. */
  readonly epoch: number | undefined;
  readonly before: Entry | undefined;
};
