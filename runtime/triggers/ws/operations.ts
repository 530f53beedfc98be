import { setImmediate } from "node:timers/promises";
import { TokenBucket } from "../../network/token-bucket.ts";
import type { ChannelRefusal, Channels, Listener } from "../../realtime/channels.ts";
import { channelLevels, patternLevels } from "../../realtime/names.ts";
import { sliceMs } from "../../threads/slices.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import type { Operation } from "./frames.ts";
import type { Right, Rights } from "./rights.ts";

/** The most channels to which one connection may publish in a second (spec/surfaces 3); a change of its presence counts as well. */
const publishRate = 1_000;

/** Bytes of older messages, and of lists of members, that count as one published channel. */
const bytesOfOne = 8_192;

/**
 * The most channels of one frame for which authorizers are asked at the same time, and in all: a connection may have no more, and publish
 * to no more in a second.
 */
const askedAtOnce = 10;
const mostAsked = 1_000;

/** The reason why an operation was refused. */
export type OperationRefusal = ChannelRefusal | "forbidden" | "rate_limited";

/** The answer to an operation: its reply, if a part of it was done, and an error for each refused channel. */
export interface OperationOutcome {
  readonly reply?: JsonObject;
  readonly errors: readonly { readonly channel: string; readonly code: OperationRefusal }[];
  /** Sends further messages after the reply. */
  readonly after?: () => void;
}

export interface OperationsOptions {
  readonly channels: Channels;
  readonly listener: Listener;
  readonly rights: Rights;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** True when the connection has ended: no operation may begin for it. */
  readonly isClosed: () => boolean;
}

type Decision = { readonly channel: string; readonly code: OperationRefusal | undefined };

/** The operations of one connection on channels. */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #bucket: TokenBucket;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket(publishRate, options.now());
  }

  /**
   * Does an operation. Rights are checked first; the allowed parts are then done at once, so that no message comes between a subscription
   * and the messages that it has missed.
   */
  async do(operation: Operation): Promise<OperationOutcome> {
    const { channels, listener } = this.#options;
    switch (operation.op) {
      case "subscribe":
        return this.#subscribe(operation.channels, operation.history);
      case "unsubscribe":
        return { reply: { ap_unsubscribed: operation.channels.filter((name) => channels.unsubscribe(listener, name)) }, errors: [] };
      case "publish":
        return this.#publish(operation);
      case "presence_enter":
        return this.#enter(operation);
      case "presence_leave":
        return outcome(operation.channel, channels.leave(listener, operation.channel), {
          ap_presence_left: { channel: operation.channel },
        });
      case "presence_get":
        return this.#members(operation.channel);
      case "ping":
        return { reply: { ap_pong: operation.of }, errors: [] };
    }
  }

  async #subscribe(names: readonly string[], history: number): Promise<OperationOutcome> {
    const { channels, listener } = this.#options;
    const decided = await this.#decide("subscribe", names, (name) => patternLevels(name) !== undefined, "limit_subscriptions");
    // The answer includes messages that this client has published before.
    await channels.settled();
    if (this.#options.isClosed()) return { errors: [] };
    const done = decided.map(({ channel, code }) => ({ channel, code: code ?? this.#grant(channel, history) }));
    const granted = grantedOf(done);
    return {
      ...repliedIf(granted.length > 0 || names.length === 0, { ap_subscribed: granted }),
      errors: refusedOf(done),
      after: () => {
        for (const name of granted) channels.replay(listener, name, history);
      },
    };
  }

  /** Charges for the messages that a subscription has missed, before they are sent, because a few bytes can ask for all kept messages. */
  #grant(channel: string, history: number): OperationRefusal | undefined {
    const { channels, listener, now } = this.#options;
    if (this.#bucket.owes(now())) return "rate_limited";
    const refusal = channels.subscribe(listener, channel);
    if (refusal === undefined) this.#bucket.charge(now(), channels.replayBytes(channel, history) / bytesOfOne);
    return refusal;
  }

  async #publish({ channels: names, data, retain }: Extract<Operation, { op: "publish" }>): Promise<OperationOutcome> {
    const { channels, now } = this.#options;
    const decided = await this.#decide("publish", names, (name) => channelLevels(name) !== undefined, "rate_limited");
    const text = JSON.stringify(data);
    const done: Decision[] = [];
    let until = now() + sliceMs;
    for (const { channel, code } of decided) {
      if (this.#options.isClosed()) return { errors: [] };
      done.push({ channel, code: code ?? (this.#bucket.take(now()) ? channels.publish(channel, data, retain, text) : "rate_limited") });
      if (now() < until) continue;
      await setImmediate();
      until = now() + sliceMs;
    }
    const published = grantedOf(done);
    return { ...repliedIf(published.length > 0, { ap_published: published, delivered: published.length }), errors: refusedOf(done) };
  }

  async #enter({ channel, id, state }: { readonly channel: string; readonly id: string; readonly state: Json }): Promise<OperationOutcome> {
    const { channels, listener, now } = this.#options;
    const refusal = await this.#refusal("presence", channel, true);
    if (this.#options.isClosed()) return { errors: [] };
    // Changes of presence are published, too.
    const code = refusal ?? (this.#bucket.take(now()) ? channels.enter(listener, channel, { id, state }) : ("rate_limited" as const));
    return outcome(channel, code, { ap_presence_entered: { channel, id } });
  }

  async #members(channel: string): Promise<OperationOutcome> {
    const { channels, now } = this.#options;
    const refusal = (await this.#refusal("presence", channel, false)) ?? (this.#bucket.owes(now()) ? "rate_limited" : undefined);
    if (refusal !== undefined) return outcome(channel, refusal, {});
    await channels.settled();
    const members = (channels.members(channel) ?? []).map(({ id, state }) => ({ id, state }));
    return outcome(channel, undefined, { ap_presence: { channel, members } });
  }

  /** Charges for the bytes of an answer with data of other clients. */
  answered({ op }: Operation, bytes: number): void {
    if (op === "presence_get") this.#bucket.charge(this.#options.now(), bytes / bytesOfOne);
  }

  async #refusal(right: Right, channel: string, enters: boolean): Promise<OperationRefusal | undefined> {
    if (channelLevels(channel) === undefined) return "invalid_channel";
    return (await this.#options.rights.has(right, channel, enters)) ? undefined : "forbidden";
  }

  /**
   * Decides each channel separately, in the given order. `beyond` is the reason for channels beyond the bound, for which no authorizer is
   * asked.
   */
  async #decide(
    right: Right,
    names: readonly string[],
    isName: (name: string) => boolean,
    beyond: OperationRefusal,
  ): Promise<readonly Decision[]> {
    const channels = names.slice(0, mostAsked);
    const decided: Decision[] = [];
    for (let i = 0; i < channels.length && !this.#options.isClosed(); i += askedAtOnce) {
      const some = channels.slice(i, i + askedAtOnce).map(async (channel): Promise<Decision> => {
        if (!isName(channel)) return { channel, code: "invalid_channel" };
        return { channel, code: (await this.#options.rights.has(right, channel)) ? undefined : "forbidden" };
      });
      decided.push(...(await Promise.all(some)));
    }
    return [...decided, ...names.slice(mostAsked).map((channel) => ({ channel, code: beyond }))];
  }
}

const grantedOf = (done: readonly Decision[]): string[] => done.filter(({ code }) => code === undefined).map(({ channel }) => channel);

const refusedOf = (done: readonly Decision[]): OperationOutcome["errors"] =>
  done.flatMap(({ channel, code }) => (code === undefined ? [] : [{ channel, code }]));

const repliedIf = (isDone: boolean, reply: JsonObject): Pick<OperationOutcome, "reply"> => (isDone ? { reply } : {});

const outcome = (channel: string, code: OperationRefusal | undefined, reply: JsonObject): OperationOutcome =>
  code === undefined ? { reply, errors: [] } : { errors: [{ channel, code }] };
