import type { Bus } from "../../../bus/bus.ts";
import type { Delivery } from "../message.ts";
import type { Session } from "../session.ts";
import type { Directory } from "./directory.ts";
import type { Speaker } from "./speaker.ts";

/** Tells other processes about the shared subscriptions of this one, if there may be other processes. */
export class Sharing {
  readonly #bus: Bus;
  readonly #speaker: Speaker;
  readonly #directory: Directory;

  constructor(bus: Bus, speaker: Speaker, directory: Directory) {
    this.#bus = bus;
    this.#speaker = speaker;
    this.#directory = directory;
  }

  /** Announces the shared subscriptions of a session that was opened under this name. */
  tell({ key, filters, journal }: Session, name: string): void {
    const texts = [...filters.values()].flatMap(({ filter: { group, text } }) => (group === undefined ? [] : [text]));
    if (this.#bus.alone || (texts.length === 0 && this.#directory.groups.textsOf(key).length === 0)) return;
    void this.#speaker.tell({ t: "shares", key, name, isDurable: journal !== undefined, texts });
  }

  /**
   * Handles that the client of a session has disconnected: other members with connected clients get its messages that are not acknowledged.
   */
  leave(session: Session): void {
    const { groups } = this.#directory;
    for (const text of groups.textsOf(session.key)) if (groups.hasOther(text, session.key)) this.giveBack(session.takeShared("open", text));
  }

  /** Publishes messages of shared subscriptions again, so that another member is chosen for each. */
  giveBack(shared: readonly Delivery[]): void {
    if (this.#bus.alone) return;
    for (const { message, share } of shared)
      if (share !== undefined) void this.#speaker.tell({ t: "message", message: { ...message, retain: false }, share });
  }
}
