import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { hopsName } from "../outgoing/hops.ts";
import type { Host, Resource } from "../process/host.ts";
import { workerOf } from "../process/workers/crew.ts";
import { DurableRetained, hasDurableState } from "../realtime/durable-retained.ts";
import { background } from "../run/end/background.ts";
import type { Config, MqttMessage, MqttPublisher, Target } from "../run/interface.ts";
import { refusals } from "../run/refusals.ts";
import { stackOf } from "../value/thrown.ts";
import { warnOfForgedTokens } from "./forged-tokens.ts";
import type { Credentials } from "./http/credentials.ts";
import type { Upgrade } from "./http/upgrade-request.ts";
import { admit, mayAsk, permissionOf } from "./mqtt/access.ts";
import { areAllowing } from "./mqtt/authorize.ts";
import { Broker } from "./mqtt/broker.ts";
import { Connection, type Service } from "./mqtt/connection.ts";
import { durable, EarlierRetained } from "./mqtt/durable.ts";
import { limits } from "./mqtt/limits.ts";
import { propertiesOf } from "./mqtt/message.ts";
import { sparingly } from "./mqtt/notes.ts";
import { reasons } from "./mqtt/reasons.ts";
import type { Peer, Rules } from "./mqtt/rules.ts";
import type { SessionBroker } from "./mqtt/session-broker.ts";
import { type MqttSettings, settingsOf, verifying } from "./mqtt/settings.ts";
import { openShared } from "./mqtt/shared/open.ts";
import type { SharedBroker } from "./mqtt/shared/shared-broker.ts";
import { TcpServer } from "./mqtt/tcp.ts";
import { TriggerRuns } from "./mqtt/trigger-runs.ts";
import { TriggerTopics } from "./mqtt/trigger-topics.ts";
import type { Protocol, UpgradePoint } from "./protocol.ts";
import { speaksOurVersion, streamOf, type WebSocket, WebSockets } from "./websocket.ts";

/** Names of the sub-protocol for which clients ask, the current one first. */
const subprotocols = ["mqtt", "mqttv3.1"] as const;

/** Milliseconds that a shutdown waits for the store of sessions. */
const storedMs = 5_000;

/** The most connections whose clients have not identified themselves yet. */
const mostStrangers = 1_000;

/** The MQTT broker of a process (spec/surfaces 4): its clients connect by WebSocket and, where the operator wants it, by bare TCP. */
class MqttBroker implements Protocol<Config, Target>, MqttPublisher, Resource {
  readonly #host: Host;
  readonly #settings: MqttSettings;
  readonly #problems: readonly string[];
  readonly #broker: SessionBroker;
  /** The broker among other processes, or with durable sessions; absent where sessions end with this process. */
  readonly #shared: SharedBroker | undefined;
  /** The sessions of this process. */
  readonly #local: Broker;
  readonly #rules: Rules;
  readonly #runs: TriggerRuns;
  /**
   * The retained messages in the durable state; absent without one. Beside a shared broker it only holds messages that earlier versions
   * have retained.
   */
  readonly #durable: DurableRetained | undefined;
  /** Messages from the durable state that the bus has to keep from now on. */
  readonly #earlier: EarlierRetained;
  readonly #sockets: WebSockets;
  readonly #service: Service;
  readonly #connections = new Set<Connection>();
  /** The connections whose clients were admitted. */
  readonly #clients = new Set<Connection>();
  /** The streams of connections that are not closed yet. */
  readonly #streams = new Set<Duplex>();
  /** The paths of MQTT, as requests write them. */
  readonly #paths: ReadonlySet<string>;
  readonly #point: UpgradePoint<Target> = { take: (upgrade) => this.#take(upgrade) };
  #topics: TriggerTopics;
  #credentials: Credentials | undefined;
  #tcp: Promise<TcpServer | string> | undefined;
  #told: TcpServer | undefined;
  #isEnding = false;
  /** Called when the last socket is closed. */
  #emptied: (() => void)[] = [];

  constructor(host: Host) {
    const problems: string[] = [];
    this.#host = host;
    this.#earlier = new EarlierRetained(host);
    this.#settings = settingsOf(host, problems);
    this.#problems = problems;
    const prefixed = `/${encodeURIComponent(host.organisation)}/${host.environment}/mqtt`;
    this.#paths = new Set(this.#settings.maxConnections === 0 ? [] : ["/mqtt", prefixed]);
    this.#rules = this.#decisions();
    this.#shared = openShared(
      host,
      { permission: (kind, topic) => permissionOf({ kind, scope: "" }, topic, this.#topics, host), accepted: this.#rules.accepted },
      problems,
    );
    this.#local = this.#shared?.local ?? new Broker(host.monotonic);
    this.#broker = this.#shared ?? this.#local;
    this.#runs = new TriggerRuns(host);
    const messages = this.#shared === undefined ? durable(this.#local.retained, host) : this.#earlier;
    this.#durable = hasDurableState(host) ? new DurableRetained(host, messages, "mqtt") : undefined;
    this.#topics = new TriggerTopics([], host.environment);
    this.#sockets = new WebSockets({
      maxBytes: limits.packet,
      closeTimeout: 5_000,
      protocol: (names) => subprotocols.find((name) => names.has(name)) ?? false,
    });
    this.#service = {
      broker: this.#broker,
      rules: this.#rules,
      isFull: () => this.#isEnding || this.#clients.size >= this.#settings.maxConnections,
      entered: (connection) => this.#clients.add(connection),
      left: (connection) => {
        this.#connections.delete(connection);
        this.#clients.delete(connection);
      },
    };
  }

  async missing(): Promise<readonly string[]> {
    const { bind } = this.#settings;
    const needsStore = this.#shared === undefined && (workerOf(this.#host)?.count ?? 1) > 1;
    const unmet = [
      ...this.#problems,
      ...(needsStore
        ? [
            "--workers: sessions of MQTT are shared by a store: set PIPEWRIGHT_DATABASE_URL to sqlite:FILE, or to postgres://… for many nodes",
          ]
        : []),
    ];
    if (unmet.length > 0) return unmet;
    await this.#durable?.load();
    if (bind === undefined || this.#settings.maxConnections === 0) return [];
    this.#tcp ??= TcpServer.at(bind, (socket) => this.#connect(socket, peerOfTcp(socket.remoteAddress)));
    const listening = await this.#tcp;
    return typeof listening === "string" ? [`PIPEWRIGHT_MQTT_BIND: ${listening}`] : [];
  }

  /**
   * Serves these configs from now on. Clients of removed interfaces stay connected, since they may use other topics; when no config needs
   * MQTT, all are disconnected.
   */
  serve(configs: readonly Config[], credentials: Credentials): void {
    this.#topics = new TriggerTopics(configs, this.#host.environment);
    this.#local.requireRecheck();
    if (this.#credentials === undefined && this.#settings.maxConnections > 0) warnOfForgedTokens(this.#host, "mqtt", configs, verifying);
    this.#credentials = credentials;
    this.#earlier.move((message) => this.#shared?.retainEarlier(message));
    const clients = { name: "pipewright_mqtt_connections", help: "Clients of the MQTT broker.", value: () => this.#clients.size };
    for (const { metrics } of configs) metrics?.(this.#host).gauge(clients);
    if (configs.every(({ mqtt }) => mqtt === undefined)) void this.#stop();
    else void this.#tcp?.then((listening) => this.#tell(listening));
  }

  at(path: string): UpgradePoint<Target> | undefined {
    return this.#paths.has(path) ? this.#point : undefined;
  }

  publish({ topic, payload, qos, retain, hops, isQuiet = false }: MqttMessage): string | undefined {
    // The message carries the number of hops, so that a service that answers it continues the count. The payload is exactly that of the
    // action.
    const message = { topic, payload, qos, retain, ...propertiesOf({ userProperties: { [hopsName]: String(hops) } }) };
    if (this.#shared?.isFull) return "too much waits for the other processes";
    let problem: string | undefined;
    void this.#broker.publish(message, {
      accepted: () => {
        const trigger = this.#topics.at(topic);
        if (trigger !== undefined && !isQuiet) this.#runs.ofAction(trigger, message, hops);
      },
      done: (outcome) => {
        if (outcome === "too many topics") problem = "there are too many topics";
      },
    });
    if (retain) this.#keep();
    return problem;
  }

  /** Makes a shutdown wait until retained messages are written, because a run may retain one after all clients have disconnected. */
  #keep(): void {
    if (this.#durable === undefined || this.#shared !== undefined) return;
    const leave = background(this.#host).hold();
    void this.#durable.flush().then(leave); // `flush` never rejects
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#shared?.willEnd();
    await this.#stop();
    await this.#durable?.flush();
    // The shutdown does not wait for a store that does not answer.
    await Promise.race([this.#shared?.stored(), pause(storedMs, undefined, { ref: false })]);
  }

  async close(): Promise<void> {
    await this.end();
    this.#durable?.stop();
    if (this.#shared === undefined) this.#local.close();
    else await this.#shared.close();
  }

  /** Logs once the address at which clients connect without WebSocket. */
  #tell(listening: TcpServer | string): void {
    if (typeof listening === "string" || this.#told === listening) return;
    this.#told = listening;
    this.#host.log("info", "mqtt", { url: listening.url });
  }

  /** Takes a connection of WebSocket, whose client must ask for the sub-protocol [MQTT-6.0.0-3, -4]. */
  #take(upgrade: Upgrade): void {
    const { message, socket, head, credential, params, caller } = upgrade;
    const names = (message.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
    if (credential === undefined) upgrade.refuse(refusals.unauthorized);
    else if (!speaksOurVersion(message)) upgrade.refuse(refusals.upgradeRequired);
    else if (!subprotocols.some((name) => names.includes(name))) upgrade.refuse(refusals.badRequest);
    else {
      const opened = (connection: WebSocket): void => this.#connect(streamOf(connection), { ...caller, credential, params });
      this.#sockets.take(message, socket, head, opened, () => upgrade.refuse(refusals.badRequest));
    }
  }

  #connect(stream: Duplex, peer: Peer): void {
    this.#streams.add(stream);
    stream.once("close", () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) for (const tell of this.#emptied.splice(0)) tell();
    });
    // A client costs memory before it has identified itself, so that their number is bounded.
    if (this.#connections.size - this.#clients.size >= mostStrangers) stream.destroy();
    else this.#connections.add(new Connection(stream, peer, this.#service));
  }

  /** Ends all connections, and accepts none over TCP; resolves when their sockets are closed. */
  async #stop(): Promise<void> {
    const tcp = this.#tcp;
    this.#tcp = undefined;
    const listening = await tcp;
    if (listening instanceof TcpServer) listening.close();
    for (const connection of this.#connections) connection.shutDown();
    if (this.#streams.size > 0) await new Promise<void>((resolve) => this.#emptied.push(resolve));
  }

  #decisions(): Rules {
    const host = this.#host;
    return {
      admit: (connect, peer) => {
        const credentials = this.#credentials;
        // The process already listens while its needs are checked.
        if (credentials === undefined) return reasons.serverBusy;
        return admit(connect, peer, { host, credentials, topics: this.#topics });
      },
      mayPublish: (caller, topic) => permissionOf(caller, topic, this.#topics, host),
      maySubscribe: (caller, filter, peer) => {
        if (!mayAsk(caller, filter, this.#topics)) return false;
        const guards = this.#topics.guarding(filter);
        return guards.length === 0 || areAllowing(guards, filter, caller, peer, host);
      },
      isDurable: (topic) => this.#topics.at(topic)?.interface.durable !== undefined,
      accepted: (message, from, isDuplicate) => {
        const trigger = this.#topics.at(message.topic);
        return trigger === undefined ? undefined : this.#runs.ofClient(trigger, message, from, isDuplicate);
      },
      note: sparingly(host),
      bug: (error) => {
        host.log("critical", "unexpected error in an MQTT connection", { stack: stackOf(error) });
      },
      uuid: host.uuid,
      now: host.monotonic,
    };
  }
}

const peerOfTcp = (address: string | undefined): Peer => ({ headers: {}, peer: address, credential: { hasKey: false }, params: {} });

/** The broker of a host, made at its first use. */
export const mqttBroker = (host: Host): Protocol<Config, Target> & MqttPublisher => host.resource("mqtt", () => new MqttBroker(host));
