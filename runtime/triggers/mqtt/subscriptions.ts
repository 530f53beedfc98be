import { branchesOf, mostBranches } from "../../realtime/branches.ts";
import type { TopicFilter } from "./topics.ts";

/** The options of a client for one filter (MQTT 3.8.3). */
export interface Subscription {
  readonly qos: 0 | 1 | 2;
  /** True when the client does not get its own messages. */
  readonly noLocal: boolean;
  /** True when the retain flag stays as it was published. */
  readonly retainAsPublished: boolean;
  /** The identifier that the client has given the subscription. */
  readonly identifier?: number;
}

/** A subscription for which a client asks, with the decision about it. */
export interface SubscriptionRequest {
  readonly filter: TopicFilter;
  readonly subscription: Subscription;
  /** Retain handling: 0 always, 1 only a new subscription, 2 never (MQTT 5, 3.8.3.1). */
  readonly replays: number;
  /** True when the client may have the subscription; undefined when this was not decided. */
  readonly isAllowed: boolean | undefined;
}

/** A subscription that matches a topic, with its owner. */
export interface Receiver<Owner> {
  readonly owner: Owner;
  readonly subscription: Subscription;
  /** The filter of the shared subscription. */
  readonly share?: string;
}

/** The part of the tree below the same levels. Most levels have one part only, so that an empty part is absent. */
interface Level<Owner> {
  below: Map<string, Level<Owner>> | undefined;
  owners: Map<Owner, Subscription> | undefined;
  /** Members of shared subscriptions by the text of their filter, the next receiver first. */
  groups: Map<string, Map<Owner, Subscription>> | undefined;
}

const level = <Owner>(): Level<Owner> => ({ below: undefined, owners: undefined, groups: undefined });

/**
 * All subscriptions, as a tree of the levels of their filters: the time to route a message depends on the levels of its topic, not on the
 * number of subscriptions.
 */
export class Subscriptions<Owner> {
  readonly #root = level<Owner>();
  #filters = 0;
  #branches = 0;

  /** The number of subscriptions. */
  get size(): number {
    return this.#filters;
  }

  /** True when the tree may grow by this filter. */
  hasRoom(filter: TopicFilter): boolean {
    return this.#branches + branchesOf(filter) <= mostBranches.all;
  }

  /** Adds a subscription; it replaces an earlier one of the same owner and filter. */
  set(filter: TopicFilter, owner: Owner, subscription: Subscription): void {
    let at = this.#root;
    for (const name of filter.levels) at = next(at, name);
    const owners = filter.group === undefined ? ownersOf(at) : members(at, filter.text);
    if (!owners.has(owner)) this.#count(1, filter);
    owners.set(owner, subscription);
  }

  /** Removes a subscription, and levels that are empty then. */
  delete(filter: TopicFilter, owner: Owner): void {
    const path: { readonly around: Level<Owner>; readonly name: string }[] = [];
    let at = this.#root;
    for (const name of filter.levels) {
      const below = at.below?.get(name);
      if (below === undefined) return;
      path.push({ around: at, name });
      at = below;
    }
    const owners = filter.group === undefined ? at.owners : at.groups?.get(filter.text);
    if (owners?.delete(owner)) this.#count(-1, filter);
    if (filter.group !== undefined && owners?.size === 0) at.groups?.delete(filter.text);
    prune(at);
    for (const { around, name } of path.toReversed()) {
      const below = around.below?.get(name);
      if (below?.below !== undefined || below?.owners !== undefined || below?.groups !== undefined) return;
      around.below?.delete(name);
      prune(around);
    }
  }

  #count(sign: 1 | -1, filter: TopicFilter): void {
    this.#filters += sign;
    this.#branches += sign * branchesOf(filter);
  }

  /**
   * Finds all receivers whose filters match the topic, each subscription separately. A shared group has one receiver: the member that was
   * unused for longest, among those for which `isThere` gives true, if there are any.
   */
  *find(topic: readonly string[], isThere: (owner: Owner) => boolean): Generator<Receiver<Owner>> {
    const levels: Level<Owner>[] = [];
    addMatching(this.#root, topic, 0, levels);
    for (const { owners, groups } of levels) {
      for (const [owner, subscription] of owners ?? []) yield { owner, subscription };
      for (const [text, group] of groups ?? []) yield* turn(text, group, isThere);
    }
  }

  /** Finds the receiver of a group. */
  *inGroup({ text, levels }: TopicFilter, isThere: (owner: Owner) => boolean): Generator<Receiver<Owner>> {
    let at: Level<Owner> | undefined = this.#root;
    for (const name of levels) at = at?.below?.get(name);
    const group = at?.groups?.get(text);
    if (group !== undefined) yield* turn(text, group, isThere);
  }
}

function* turn<Owner>(text: string, group: Map<Owner, Subscription>, isThere: (owner: Owner) => boolean): Generator<Receiver<Owner>> {
  const [first] = group;
  const member = [...group].find(([owner]) => isThere(owner)) ?? first;
  if (member === undefined) return;
  const [owner, subscription] = member;
  // A member that has been chosen goes to the end.
  group.delete(owner);
  group.set(owner, subscription);
  yield { owner, subscription, share: text };
}

/** Adds the levels at which matching filters end. A generator for each level would take far longer. */
function addMatching<Owner>(at: Level<Owner>, topic: readonly string[], depth: number, found: Level<Owner>[]): void {
  // Topics of the server are found only by their name, not by a wildcard [MQTT-4.7.2-1].
  const isOpen = depth > 0 || topic[0]?.startsWith("$") !== true;
  const rest = isOpen ? at.below?.get("#") : undefined;
  if (rest !== undefined) found.push(rest);
  const name = topic[depth];
  if (name === undefined) {
    found.push(at);
    return;
  }
  const same = at.below?.get(name);
  if (same !== undefined) addMatching(same, topic, depth + 1, found);
  const any = isOpen ? at.below?.get("+") : undefined;
  if (any !== undefined) addMatching(any, topic, depth + 1, found);
}

function next<Owner>(at: Level<Owner>, name: string): Level<Owner> {
  const child = at.below?.get(name) ?? level<Owner>();
  at.below = (at.below ?? new Map()).set(name, child);
  return child;
}

function ownersOf<Owner>(at: Level<Owner>): Map<Owner, Subscription> {
  at.owners ??= new Map();
  return at.owners;
}

function members<Owner>(at: Level<Owner>, group: string): Map<Owner, Subscription> {
  const subscribers = at.groups?.get(group) ?? new Map<Owner, Subscription>();
  at.groups = (at.groups ?? new Map()).set(group, subscribers);
  return subscribers;
}

/** Forgets the parts of a level that are empty. */
function prune<Owner>(at: Level<Owner>): void {
  if (at.below?.size === 0) at.below = undefined;
  if (at.owners?.size === 0) at.owners = undefined;
  if (at.groups?.size === 0) at.groups = undefined;
}
