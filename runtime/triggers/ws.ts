import type { Host, Resource } from "../process/host.ts";
import { type Channels, channelsOf } from "../realtime/channels.ts";
import { defaultChannelLimits } from "../realtime/settings.ts";
import type { Config, Interface, Target } from "../run/interface.ts";
import { refusals } from "../run/refusals.ts";
import { warnOfForgedTokens } from "./forged-tokens.ts";
import type { Credential } from "./http/credentials.ts";
import type { Upgrade } from "./http/upgrade-request.ts";
import type { Protocol, ProtocolOf, UpgradePoint } from "./protocol.ts";
import { speaksOurVersion, type WebSocket, WebSockets } from "./websocket.ts";
import { Bundles } from "./ws/bundles.ts";
import { Connection, type ConnectionWaits, closeCodes, usualWaits } from "./ws/connection.ts";
import { boundsPublic, forgedTokens, openChannels, verifying, type WsSettings, wsSettings } from "./ws/settings.ts";
import { isVerified } from "./ws/tokens.ts";
import { Visitor } from "./ws/visitor.ts";

/** Milliseconds between two checks of all connections. */
const tick = 1_000;

/** An interface, and the connections to it. */
interface SocketInterface {
  served: Target;
  readonly connections: Set<Connection>;
}

/** The WebSocket channels and the interfaces that text frames run (spec/surfaces 3), one for a process. */
export class WebSocketTrigger implements Protocol<Config, Target>, Resource {
  readonly #host: Host;
  readonly #channels: Channels;
  readonly #settings: WsSettings & { readonly problems: readonly string[] };
  readonly #waits: ConnectionWaits;
  /** The library gets the longest wait for a close frame; a connection with a shorter wait ends itself. */
  readonly #sockets = new WebSockets({
    maxBytes: defaultChannelLimits.messageBytes,
    closeTimeout: usualWaits.late,
    // Browsers close a connection for which they have offered names and got none; ours has no name of its own.
    protocol: ([first]) => first ?? false,
  });
  readonly #bundles = new Bundles();
  readonly #timer: NodeJS.Timeout;
  #places: ReadonlyMap<string, SocketInterface> = new Map();
  /** The number of connections that are open or being opened. */
  #count = 0;
  #isEnding = false;
  #ended: (() => void)[] = [];

  constructor(host: Host, waits: Partial<ConnectionWaits> = {}) {
    this.#host = host;
    this.#channels = channelsOf(host);
    this.#settings = wsSettings(host);
    this.#waits = { ...usualWaits, ...waits };
    this.#timer = setInterval(() => this.#tick(), Math.min(tick, this.#waits.ping, this.#waits.drain));
    this.#timer.unref();
  }

  async missing(configs: readonly Config[]): Promise<readonly string[]> {
    const all = placesOf(configs).map((place) => place.interface);
    const guards = all.filter(({ subscribe_authorizer }) => subscribe_authorizer !== undefined);
    const isOpened = all.some((target) => target.public === true && guards.some((guard) => guard !== target));
    return [...this.#settings.problems, ...(isOpened && !boundsPublic(this.#host) ? [openChannels] : [])];
  }

  serve(configs: readonly Config[]): void {
    const before = this.#places;
    const next = new Map<string, SocketInterface>();
    for (const target of placesOf(configs)) {
      const path = `/ws/${this.#host.organisation}/${this.#host.environment}/${target.interface.name}`;
      const connections = before.get(path)?.connections ?? new Set<Connection>();
      const place = before.get(path) ?? { served: target, connections };
      place.served = target;
      next.set(path, place);
    }
    this.#places = next;
    for (const [path, { connections }] of before) {
      const now = next.get(path)?.served.interface;
      for (const connection of connections) {
        if (now === undefined) connection.close(closeCodes.goingAway);
        else if (now.public !== true && connection.isAnonymous) connection.close(closeCodes.policyViolation);
      }
    }
    if (before.size === 0 && next.size > 0) this.#warn(configs);
  }

  at(path: string): UpgradePoint<Target> | undefined {
    if (this.#settings.maxConnections === 0) return undefined;
    const place = this.#places.get(plainPath(path) ?? "");
    return place === undefined ? undefined : { of: place.served, take: (upgrade) => this.#take(upgrade, place) };
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const { connections } of this.#places.values()) for (const connection of connections) connection.close(closeCodes.goingAway);
    if (this.#count > 0) await new Promise<void>((resolve) => this.#ended.push(resolve));
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { connections } of this.#places.values()) for (const connection of connections) connection.terminate();
  }

  /** Warns of weak settings. */
  #warn(configs: readonly Config[]): void {
    const all = placesOf(configs).map((place) => place.interface);
    const say = (msg: string, some: readonly Interface[]): void =>
      this.#host.log("warn", `ws: ${msg}`, { interfaces: some.map(({ name }) => name) });
    const guards = all.some(({ subscribe_authorizer }) => subscribe_authorizer !== undefined);
    const open = all.filter((each) => each.subscribe_authorizer === undefined && each.public !== true);
    const isBounded = boundsPublic(this.#host) || this.#settings.jwt !== undefined;
    if (guards && open.length > 0 && !isBounded) say(forgedTokens, open);
    const { jwt, maxConnections } = this.#settings;
    if (jwt === undefined && maxConnections > 0) warnOfForgedTokens(this.#host, "ws", configs, verifying);
  }

  #tick(): void {
    for (const { connections } of this.#places.values()) for (const connection of connections) connection.tick();
  }

  /** Takes a connection: the rights of its caller are checked first, and the handshake comes last. */
  #take(upgrade: Upgrade, place: SocketInterface): void {
    const { origins, jwt } = this.#settings;
    const { message, credential } = upgrade;
    const { origin } = message.headers;
    if (!speaksOurVersion(message)) upgrade.refuse(refusals.upgradeVersion);
    else if (origins !== undefined && origin !== undefined && !origins.has(origin)) upgrade.refuse(refusals.forbidden);
    else if (credential === undefined || !this.#mayEnter(credential, place)) upgrade.refuse(refusals.unauthorized);
    else if (this.#count >= this.#settings.maxConnections) upgrade.refuse(refusals.tooManyConnections);
    else if (credential.token === undefined || jwt === undefined) this.#open(upgrade, place, credential, false);
    else this.#verify(upgrade, place, credential, jwt);
  }

  #mayEnter({ hasKey, token }: Credential, { served }: SocketInterface): boolean {
    return hasKey || token !== undefined || served.interface.public === true;
  }

  /** Verifies the token of a caller. Meanwhile the connection counts as one of the open ones. */
  #verify(upgrade: Upgrade, place: SocketInterface, credential: Credential, jwt: string): void {
    this.#count += 1;
    const verdict = isVerified(this.#host, credential.token ?? "", jwt).catch(() => false);
    void verdict.then((isTrue) => {
      this.#count -= 1;
      if (!isTrue) upgrade.refuse(refusals.unauthorized);
      else if (this.#isEnding) upgrade.refuse(refusals.shuttingDown);
      // The interface was removed meanwhile, so that no code would check the connection.
      else if (!this.#isServed(place)) upgrade.refuse(refusals.notFound);
      else this.#open(upgrade, place, credential, true);
      this.#leave();
    });
  }

  #isServed(place: SocketInterface): boolean {
    for (const candidate of this.#places.values()) if (candidate === place) return true;
    return false;
  }

  #open(upgrade: Upgrade, place: SocketInterface, credential: Credential, verified: boolean): void {
    const { message, socket, head } = upgrade;
    const opened = (connection: WebSocket): void => this.#connect(connection, upgrade, place, credential, verified);
    this.#sockets.take(message, socket, head, opened, () => upgrade.refuse(refusals.badRequest));
  }

  #connect(socket: WebSocket, upgrade: Upgrade, place: SocketInterface, credential: Credential, verified: boolean): void {
    const host = this.#host;
    const meter = place.served.config.metrics?.(host);
    meter?.connected(1);
    this.#count += 1;
    const connection: Connection = new Connection({
      host,
      socket,
      stream: upgrade.socket,
      bundles: this.#bundles,
      visitor: new Visitor(host, place.served.interface, upgrade, credential, verified),
      channels: this.#channels,
      publicChannels: this.#settings.publicChannels,
      waits: this.#waits,
      served: () => place.served,
      dropped: () => meter?.dropped(),
      ended: () => {
        meter?.connected(-1);
        place.connections.delete(connection);
        this.#count -= 1;
        this.#leave();
      },
    });
    place.connections.add(connection);
  }

  #leave(): void {
    if (this.#count === 0) for (const tell of this.#ended.splice(0)) tell();
  }
}

/** Interfaces with a socket trigger. */
function placesOf(configs: readonly Config[]): readonly Target[] {
  return configs.flatMap((config) =>
    config.interfaces.flatMap((target) => (target.ws === undefined ? [] : [{ config, interface: target }])),
  );
}

/** A path without its escapes; undefined when they are malformed, or when an escaped slash stands in a segment. */
function plainPath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    const segments = path.split("/").map((segment) => decodeURIComponent(segment));
    // An escaped slash stays inside its segment, and no interface has a slash there.
    return segments.some((segment) => segment.includes("/")) ? undefined : segments.join("/");
  } catch {
    return undefined;
  }
}

/** The sockets of a process. */
export const webSockets: ProtocolOf<Config, Target> = (host) => host.resource("sockets", () => new WebSocketTrigger(host));
