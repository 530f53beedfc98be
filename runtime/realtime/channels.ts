import type { Bus, Follower, Heard, Keep, Kept } from "../bus/bus.ts";
import { LocalBus } from "../bus/local-bus.ts";
import { busOf } from "../bus/open.ts";
import type { Host, Resource } from "../process/host.ts";
import { isObject, type Json } from "../value/json.ts";
import { branchesOf, mostBranches } from "./branches.ts";
import { History, type Message } from "./history.ts";
import { channelLevels, covers, isWildcard, type Levels, patternLevels } from "./names.ts";
import type { Member, PresenceEvent } from "./presence.ts";
import { Retained } from "./retained.ts";
import { Roll } from "./roll.ts";
import { defaultChannelLimits, historyDepth } from "./settings.ts";
import { Subscriptions } from "./subscriptions.ts";
import { textFrame } from "./text-frame.ts";

/** A listener of channels: a connection. Each message to it is a whole frame with JSON text, which all listeners share. */
export interface Listener {
  readonly push: (frame: Buffer) => void;
}

/** The reason why an operation was refused, in the words for clients. */
export type ChannelRefusal =
  | ("invalid_channel" | "invalid_frame" | "payload_too_large")
  | ("limit_subscriptions" | "limit_presence" | "limit_topics" | "limit_retained")
  /** Too many bytes wait for the other processes. */
  | "rate_limited";

/** Largest state of a member in bytes of JSON. choice: lists of members hold many of them. */
const maxState = 4_096;

/** Bytes that a frame counts beside its data, and that a look at a channel counts. */
const overhead = 128;
const lookBytes = 16;

const kind = "channel";

/** The names of a listener, and the branches of the patterns among them. */
interface Names {
  readonly names: Set<string>;
  branches: number;
}

export interface ChannelsOptions {
  /** The number of last messages that each channel keeps for later subscribers. */
  readonly history?: number;
  readonly limits?: Partial<typeof defaultChannelLimits>;
  /** The connection to other processes; by default there are no others. */
  readonly bus?: Bus;
}

/**
 * The channels of an organisation (spec/surfaces 3). A message goes by the bus to all processes, and reaches the current subscribers
 * everywhere in the order of the bus. Retained messages and the history are therefore the same in all processes.
 */
export class Channels implements Resource, Follower {
  readonly #subscriptions = new Subscriptions<Listener>();
  /** The names that each listener has subscribed to. */
  readonly #names = new Map<Listener, Names>();
  readonly #bus: Bus;
  readonly #roll: Roll<Listener>;
  readonly #retained: Retained;
  readonly #history: History;
  readonly #limits: typeof defaultChannelLimits;
  readonly #depth: number;

  constructor({ history = 0, limits = {}, bus = new LocalBus() }: ChannelsOptions = {}) {
    this.#bus = bus;
    this.#depth = history;
    this.#history = new History(history);
    this.#limits = { ...defaultChannelLimits, ...limits };
    this.#retained = new Retained(this.#limits);
    bus.follow(kind, this);
    this.#roll = new Roll(bus, (channel, events) => this.#tell(channel, events));
  }

  /** Resolves when this process has heard all messages that it has published so far; undefined when it has already. */
  settled(): Promise<void> | undefined {
    return this.#bus.settled();
  }

  /**
   * Sends data to all listeners of the channel. `retain` keeps them for later listeners; null removes the kept message. `text` is the JSON
   * text of the data, so that a caller with many channels writes it once.
   */
  publish(channel: string, data: Json, retain: boolean, text: string = JSON.stringify(data)): ChannelRefusal | undefined {
    const levels = channelLevels(channel);
    if (levels === undefined) return "invalid_channel";
    // Only the channels themselves may announce who is present.
    if (isObject(data) && Object.hasOwn(data, "$presence")) return "invalid_frame";
    if (Buffer.byteLength(text) > this.#limits.messageBytes) return "payload_too_large";
    if (retain && data !== null && !this.#retained.hasRoom(channel, text)) return "limit_retained";
    const keep: readonly Keep[] = [
      ...(retain ? [{ key: channel, ...(data === null ? { drops: true } : {}) }] : []),
      ...(this.#depth === 0 ? [] : [{ key: channel, depth: this.#depth }]),
    ];
    const body = `[${JSON.stringify(channel)},${text}]`;
    return this.#bus.publish({ kind, body, ...(keep.length === 0 ? {} : { keep }) }) ? undefined : "rate_limited";
  }

  hear({ body, keep = [], position, when }: Heard): void {
    const { channel, data } = read(body);
    const message: Message = { number: position, data };
    for (const { depth, drops } of keep) {
      if (depth === undefined && drops) this.#retained.delete(channel);
      else if (depth === undefined) this.#retained.set(channel, message);
      // The history has the order of the bus, in which an early message has no place yet.
      else if (when !== "early") this.#history.add(channel, message);
    }
    const levels = channelLevels(channel);
    if (when !== "late" && levels !== undefined) this.#send(channel, levels, data);
  }

  restore(kept: readonly Kept[]): void {
    this.#retained.clear();
    this.#history.clear();
    for (const { body, keep, position } of kept) {
      const { channel, data } = read(body);
      if (keep.depth === undefined) this.#retained.set(channel, { number: position, data });
      else this.#history.add(channel, { number: position, data });
    }
  }

  /** Subscribes to a channel or a pattern. A second subscription to the same name changes nothing. */
  subscribe(listener: Listener, name: string): ChannelRefusal | undefined {
    const levels = patternLevels(name);
    if (levels === undefined) return "invalid_channel";
    const own = this.#names.get(listener) ?? { names: new Set<string>(), branches: 0 };
    if (own.names.has(name)) return undefined;
    const branches = isWildcard(name) ? branchesOf({ text: name, levels }) : 0;
    if (own.names.size >= this.#limits.subscriptions || own.branches + branches > mostBranches.client) return "limit_subscriptions";
    const isNew = !this.#subscriptions.has(name, levels);
    if (isNew && (this.#subscriptions.size >= this.#limits.topics || !this.#subscriptions.hasRoom(name, levels))) return "limit_topics";
    this.#names.set(listener, { names: own.names.add(name), branches: own.branches + branches });
    this.#subscriptions.add(name, levels, listener);
    return undefined;
  }

  /** Ends a subscription; false when there was none. */
  unsubscribe(listener: Listener, name: string): boolean {
    const own = this.#names.get(listener);
    const levels = patternLevels(name);
    if (own === undefined || levels === undefined || !own.names.delete(name)) return false;
    if (isWildcard(name)) own.branches -= branchesOf({ text: name, levels });
    if (own.names.size === 0) this.#names.delete(listener);
    this.#subscriptions.remove(name, levels, listener);
    return true;
  }

  /**
   * Sends the messages that a new subscription has missed: the last messages of a channel, oldest first, then the retained message, unless
   * it was among them. A pattern has no history; it gets the retained messages of the channels that it matches.
   */
  replay(listener: Listener, name: string, count: number): void {
    for (const { channel, data, mark } of this.#missed(name, count)) listener.push(frameOf(channel, data, mark));
  }

  /** The approximate bytes that `replay` sends or reads. */
  replayBytes(name: string, count: number): number {
    let bytes = isWildcard(name) ? this.#retained.size * lookBytes : 0;
    for (const { channel, data } of this.#missed(name, count)) bytes += channel.length + data.length + overhead;
    return bytes;
  }

  *#missed(name: string, count: number): Generator<Missed> {
    if (isWildcard(name)) {
      const pattern = patternLevels(name);
      if (pattern === undefined) return;
      for (const [channel, { data }] of this.#retained.entries()) {
        const levels = channelLevels(channel);
        if (levels !== undefined && covers(pattern, levels)) yield { channel, data, mark: "ap_retained" };
      }
      return;
    }
    const messages = this.#history.last(name, count);
    for (const { data } of messages) yield { channel: name, data, mark: "ap_history" };
    const message = this.#retained.get(name);
    const isReplayed = messages.some(({ number }) => number === message?.number);
    if (message !== undefined && !isReplayed) yield { channel: name, data: message.data, mark: "ap_retained" };
  }

  enter(listener: Listener, channel: string, member: Member): ChannelRefusal | undefined {
    if (channelLevels(channel) === undefined) return "invalid_channel";
    if (Buffer.byteLength(JSON.stringify(member.state)) > maxState) return "payload_too_large";
    const isNew = !this.#roll.isIn(channel, listener);
    if (isNew && this.#roll.countOf(listener) >= this.#limits.presence) return "limit_presence";
    return this.#roll.enter(channel, listener, member) ? undefined : "rate_limited";
  }

  leave(listener: Listener, channel: string): ChannelRefusal | undefined {
    if (channelLevels(channel) === undefined) return "invalid_channel";
    this.#roll.leave(channel, listener);
    return undefined;
  }

  /** The clients that are present in a channel, by id; undefined when the name is no channel. */
  members(channel: string): readonly Member[] | undefined {
    return channelLevels(channel) === undefined ? undefined : this.#roll.members(channel);
  }

  /** Removes a listener: it gets no further message, and leaves all channels. */
  forget(listener: Listener): void {
    for (const name of [...(this.#names.get(listener)?.names ?? [])]) this.unsubscribe(listener, name);
    for (const channel of this.#roll.channelsOf(listener)) this.leave(listener, channel);
  }

  close(): void {
    this.#retained.clear();
  }

  #tell(channel: string, events: readonly PresenceEvent[]): void {
    const levels = channelLevels(channel);
    if (levels === undefined) return;
    for (const { action, id, state } of events) this.#send(channel, levels, JSON.stringify({ $presence: { action, id, state } }));
  }

  #send(channel: string, levels: Levels, data: string): void {
    const listeners = this.#subscriptions.listeners(channel, levels);
    if (listeners.size === 0) return;
    const frame = frameOf(channel, data);
    for (const listener of listeners) listener.push(frame);
  }
}

/** A message from before a subscription. `data` is JSON text. */
interface Missed {
  readonly channel: string;
  readonly data: string;
  readonly mark: "ap_history" | "ap_retained";
}

/** A message as listeners get it, encoded once for all of them. `data` is JSON text. */
function frameOf(channel: string, data: string, mark?: Missed["mark"]): Buffer {
  return textFrame(`{"ap_channel":${JSON.stringify(channel)},"data":${data}${mark === undefined ? "" : `,"${mark}":true`}}`);
}

/** Reads a message of a channel from the bus: its name, and the JSON text of its data as it was published. */
function read(body: string): { readonly channel: string; readonly data: string } {
  const [name = '""'] = /(?<=^\[)"(?:[^"\\]|\\.)*"/.exec(body) ?? [];
  return { channel: JSON.parse(name) as string, data: body.slice(name.length + 2, -1) };
}

/** The channels of a process, made at their first use. */
export const channelsOf = (host: Host): Channels =>
  host.resource("channels", () => new Channels({ history: historyDepth(host), bus: busOf(host) }));
