import type { MessageBus } from "../bus/port.ts";
import type { Capture, Exchanges } from "../capture/port.ts";
import type { MeterOf } from "../metrics/meter.ts";
import type { NetworkPolicy } from "../network/gate.ts";
import type { LoggedRuns, Schedule } from "../plan/attempts.ts";
import type { InterfaceRecord } from "../plan/interface-record.ts";
import type { FallbackStrategy } from "../plan/response.ts";
import type { McpServerPlan } from "../plan/tools.ts";
import type { Touch } from "../plan/touch.ts";
import type { Host } from "../process/host.ts";
import type { StartField } from "../start/form.ts";
import type { TraceSpan } from "../tracing/tracer.ts";
import type { EndpointsOf } from "../triggers/endpoint.ts";
import type { ProtocolOf } from "../triggers/protocol.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { CountDetached, Durable } from "./caller.ts";
import type { RunRecord } from "./end/run-line.ts";
import type { Reply } from "./response.ts";
import type { Act, Run } from "./run.ts";

/** Records the runs of an interface. */
export type InterfaceCapture = Capture<Run, Config, Interface, Exchanges<Act, Run>>;

/** Writes a record to another place than the log. */
export type RecordTo = (run: Run, record: RunRecord) => void;

/** Throws `Failure` for an effect that an enforced manifest does not list (runtime/enforce). */
export type Permit = (run: Run, touch: Touch) => void;

/** An entry of `response.logs`. */
export interface RunRecords {
  readonly on: LoggedRuns;
  /** The place of the records; by default the log. */
  readonly to?: RecordTo;
}

/** The static part of `response` (spec/language 7.3). */
export interface ResponseSpec {
  readonly http_code_on_error?: number;
  readonly http_code_inherit_error?: readonly string[];
  readonly http_code_fallback?: number;
  readonly http_code_fallback_strategy?: FallbackStrategy;
}

/** Fields of an interface that were read when the process started. A switch that is not true removes the field from the interface. */
export interface StartedInterface {
  readonly show_error_detail?: Json;
  readonly public?: Json;
  readonly mcp?: Json;
  readonly response?: JsonObject;
  readonly schedule?: Schedule | undefined;
  readonly network?: NetworkPolicy | undefined;
  readonly capture?: InterfaceCapture | undefined;
}

/** The fields of a configuration that were read at the start. `settings` are those of actions, by their places in the YAML. */
export interface StartedConfig {
  readonly metrics?: Json;
  readonly docs?: boolean;
  readonly on_error?: JsonObject;
  readonly mcp_servers?: readonly JsonObject[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The export of a module for each interface; triggers bind it, tests call it. */
export interface Interface extends InterfaceRecord {
  readonly http?: { readonly method: string; readonly route: string };
  /** Settings of further triggers, by their names. */
  readonly triggers?: Readonly<Record<string, (cx: Run) => Json>>;
  /** The network policy: who may reach the interface (spec/surfaces 9). */
  readonly network?: NetworkPolicy;
  /** Refuses effects of the interface that an enforced manifest does not list. */
  readonly permit?: Permit;
  /** Records the runs of the interface. */
  readonly capture?: InterfaceCapture;
  /** Keeps the runs of the interface in the store while they go on. */
  readonly durable?: Durable<Run>;
  readonly silence?: true;
  readonly show_error_detail?: true;
  readonly response?: ResponseSpec;
  /** Looks at each answer of a run, and changes nothing: `dev` compares it with `produces.schema`. */
  readonly checks?: (answer: Reply, run: Run) => void;
  /** `response.logs`: which runs are recorded in the log. */
  readonly logs?: readonly RunRecords[];
  /** Reads the fields whose values come from the environment; the result replaces the fields of the interface. */
  readonly start?: (cx: Run, field: StartField) => StartedInterface;
  /** Fetches the secrets and state values that are read outside of actions: by parameters, gates, the assert and the response. */
  readonly load?: (cx: Run) => Promise<unknown> | undefined;
  /** Fetches the state values that are read when all actions have settled: by the assert, the response and the log. */
  readonly last?: (cx: Run) => Promise<void>;
  /**
   * Starts every action of the run in order; the run itself waits for them. This is a method, so that a module may declare a narrower type
   * of `Run`.
   */
  run(cx: Run): void;
}

/** A backend that `database` actions talk to; see runtime/features/actions/database.ts. */
export interface Database {
  readonly name: string;
  readonly driver: string;
}

/** The interface that is run after a failed run of the config (spec/language 7.8). */
export interface ErrorHandler {
  readonly interface: string;
  /** Statuses that count as failure; by default all except 2xx. */
  readonly status?: readonly number[];
  /** The most handlers that start in a minute; 12 by default. */
  readonly max_per_minute?: number;
}

/**
 * Runs an interface as a tool of an agent, inside the run of the action: with the caller's headers and address, one hop deeper, and
 * cancelled together with the action. Gives the answer of the run. `span` is that of the call, where the run is traced.
 */
export type InterfaceCalls = (act: Act, target: Interface, args: JsonObject, span: TraceSpan | undefined) => Promise<Reply>;

/** Runs the schedules of a config. */
export interface Scheduler {
  /** True when each worker starts it; otherwise one worker does. */
  readonly isShared?: true;
  /** Lists the reasons why the schedules cannot be started. */
  readonly missing: () => Promise<readonly string[]>;
  readonly start: () => void;
  /** Starts no further run; runs under way go on. */
  readonly stop: () => void;
}

/** Makes the part that runs the interfaces of a configuration that have this trigger. */
export type Trigger = (host: Host, config: Config) => Scheduler;

/** A message that an action publishes by MQTT. */
export interface MqttMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  /** The number of runs that have led to this message, each by a message to the next. */
  readonly hops: number;
  /** True for a message that is delivered and runs no interface. */
  readonly isQuiet?: boolean;
}

/** Takes a message of an action. Gives the reason when it was not delivered, else undefined. */
export interface MqttPublisher {
  readonly publish: (message: MqttMessage) => string | undefined;
}

/** An interface together with its config: what a trigger runs. */
export interface Target {
  readonly config: Config;
  readonly interface: Interface;
}

/** The export of a module for its config: one object, listed by the entry. */
export interface Config {
  readonly name: string;
  /** `global.variables`: evaluated once per run, on first use (spec/language 1.4). */
  readonly variables?: Readonly<Record<string, (cx: Run) => Json>>;
  readonly interfaces: readonly Interface[];
  /** Refuses effects of the configuration itself that an enforced manifest does not list: addresses of databases, stores of secrets. */
  readonly permit?: Permit;
  /** Reads the fields whose values come from the environment; the result replaces the fields of the config. */
  readonly start?: (cx: Run, field: StartField) => StartedConfig;
  /** The places of the fields that are read at the start, by their paths; the link adds them. */
  readonly places?: Readonly<Record<string, string>>;
  /** Settings of actions that were read at the start, by their places. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** True when the API document lists the interfaces; present only when the environment decides this. */
  readonly docs?: boolean;
  /**
   * The description of the config in the API document, empty for none; the link sets it where the environment decides which configs are in
   * the document.
   */
  readonly documented?: string;
  readonly on_error?: ErrorHandler;
  /** `expose_metrics: true`: counts the runs of the config (spec/surfaces 16). */
  readonly metrics?: MeterOf;
  /** Runs the schedules of the interfaces, if there are any. */
  readonly schedules?: (host: Host, config: Config) => Scheduler;
  /** Counts early answered runs together with other processes; present when an interface answers early. */
  readonly detached?: CountDetached;
  /** Further triggers of the interfaces: each is started once for the configuration. */
  readonly triggers?: readonly Trigger[];
  readonly mcp_servers?: readonly McpServerPlan[];
  /** Endpoints whose requests belong to no single interface. */
  readonly endpoints?: readonly EndpointsOf<Config>[];
  /** The protocols of connections that stay open; present when an interface has such a trigger. */
  readonly protocols?: readonly ProtocolOf<Config, Target>[];
  /** Runs interfaces as tools; present when an agent may call some. */
  readonly calls?: InterfaceCalls;
  /** Makes the channels of the process; present when an interface or an action uses channels. */
  readonly channels?: (host: Host) => unknown;
  /** The bus between the processes of a service; present when there are channels or MQTT. */
  readonly bus?: MessageBus;
  /** The MQTT broker, which is one of the protocols; present when an interface or an action needs it. */
  readonly mqtt?: (host: Host) => MqttPublisher;
  readonly needs: { readonly env: readonly string[]; readonly vars: readonly string[]; readonly secrets: readonly string[] };
  /** Names of `global.secrets`: any other secret is a managed variable. */
  readonly secrets?: readonly string[];
  /** Databases, each with a function that opens a connection and asks one question; `/readyz` calls it. */
  readonly databases?: readonly { readonly name: string; readonly ping: (cx: Run) => Promise<void> }[];
  /** The places of the actions in the YAML: a text that runtime/run/action-place.ts reads and the link adds. */
  readonly action_places?: string;
  /** Asks the store of the durable state one question; present when the config reads or writes state. */
  readonly store?: (host: Host) => Promise<void>;
}
