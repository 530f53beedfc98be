import type { Bus } from "../../../bus/bus.ts";
import type { Delivery } from "../message.ts";
import type { Session } from "../session.ts";
import type { Directory } from "./directory.ts";
import type { Speaker } from "./speaker.ts";

/** Tells the other processes of the shared subscriptions of this one, where there may be others. */
export class Sharing {
  readonly #bus: Bus;
  readonly #speaker: Speaker;
  readonly #directory: Directory;

  constructor(bus: Bus, speaker: Speaker, directory: Directory) {
    this.#bus = bus;
    this.#speaker = speaker;
    this.#directory = directory;
  }

  /** Says which shared subscriptions a session has, that was opened by this name. */
  tell({ key, filters, journal }: Session, name: string): void {
    const texts = [...filters.values()].flatMap(({ filter: { group, text } }) => (group === undefined ? [] : [text]));
    if (this.#bus.alone || (texts.length === 0 && this.#directory.groups.textsOf(key).length === 0)) return;
    void this.#speaker.tell({ t: "shares", key, name, isDurable: journal !== undefined, texts });
  }

  /** The client of a session has gone: other members whose clients are there get what it has not acknowledged. */
  leave(session: Session): void {
    const { groups } = this.#directory;
    for (const text of groups.textsOf(session.key)) if (groups.hasOther(text, session.key)) this.giveBack(session.takeShared("open", text));
  }

  /** Gives messages of shared subscriptions to whoever is chosen now. */
  giveBack(shared: readonly Delivery[]): void {
    if (this.#bus.alone) return;
    for (const { message, share } of shared)
      if (share !== undefined) void this.#speaker.tell({ t: "message", message: { ...message, retain: false }, share });
  }
}
