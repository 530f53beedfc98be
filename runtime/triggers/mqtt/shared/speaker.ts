import type { Bus, Keep } from "../../../bus/bus.ts";
import type { Clock } from "../stored-message.ts";
import { encode, keepOf, kind, type Notice, type Published } from "./notices.ts";
import { Outlet } from "./outlet.ts";

/** Sends notices to all processes, including this one; the bus keeps the notices that later processes need. */
export class Speaker {
  readonly #outlet: Outlet;
  readonly #clock: Clock;

  constructor(bus: Bus, clock: Clock) {
    this.#outlet = new Outlet(bus);
    this.#clock = clock;
  }

  /** True while so much waits that publishers should wait. */
  get isFull(): boolean {
    return this.#outlet.isFull;
  }

  /** Sends a notice; a promise while it waits. */
  tell(notice: Notice): Promise<void> | undefined {
    const keep = keepsOf(notice);
    return this.#outlet.send({ kind, body: encode(notice, this.#clock), ...(keep.length === 0 ? {} : { keep }) });
  }
}

function keepsOf(notice: Notice): readonly Keep[] {
  if (notice.t === "message") return keepsOfMessage(notice);
  if (notice.t === "given") return [];
  const session = keepOf.session(notice);
  const shares = keepOf.shares(notice);
  if (notice.t === "shares") {
    if (notice.texts.length === 0) return [{ key: shares, drops: true }];
    return [{ key: shares, ...(notice.isDurable ? { outlives: true } : { owned: true }) }];
  }
  const will = keepOf.will(notice.name);
  if (notice.t === "end")
    return [
      { key: session, drops: true },
      { key: shares, drops: true },
      { key: will, drops: true },
    ];
  const isDurable = notice.t === "left" || notice.keptMs > 0;
  return [
    { key: session, ...(isDurable ? { outlives: true } : { owned: true }) },
    ...(notice.will === undefined ? [] : [{ key: will, outlives: true }]),
    ...(notice.will === undefined && notice.t === "left" ? [{ key: will, drops: true }] : []),
  ];
}

function keepsOfMessage({ message: { topic, payload, retain }, will }: Published): readonly Keep[] {
  const retained = keepOf.retained(topic);
  return [
    ...(retain ? [payload.length === 0 ? { key: retained, drops: true } : { key: retained }] : []),
    ...(will === undefined ? [] : [{ key: keepOf.will(will), drops: true }]),
  ];
}
