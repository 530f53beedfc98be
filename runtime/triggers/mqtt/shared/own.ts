import type { Session } from "../session.ts";
import type { Entry } from "./directory.ts";
import type { OpenedNotice } from "./notices.ts";
import type { SessionJournal } from "./session-journal.ts";

/** A session that this process has. */
export interface Own {
  readonly session: Session;
  /** By this name the session was opened last. */
  name: string;
  keptMs: number;
  /** The position at which this process got it; undefined until that is known. */
  epoch: number | undefined;
  /** Absent for a session that ends with its connection. */
  journal: SessionJournal | undefined;
}

/** The opening of a session, where it was heard. */
export type Placement = OpenedNotice & {
  /** Undefined until the bus has given it a place. */
  readonly epoch: number | undefined;
  readonly before: Entry | undefined;
};
