import { drivers } from "#generated/features.ts";
import type { DriverFeature } from "#runtime/features/feature.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { DatabasePlan } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, get, type MapNode, type Node, textOf } from "../1-read/document.ts";
import type { ResolvedDatabase } from "../3-resolve/resolved.ts";
import { databases as codes } from "../diagnostics/codes/databases.ts";
import type { Credentials } from "./credentials.ts";
import { lower } from "./lower/values.ts";
import { configRoots, type Lowering, readingOnly } from "./markers/scope.ts";

/** Drivers by name. */
export const table: Readonly<Record<string, DriverFeature>> = drivers;

/** The dialect of SQL that a driver speaks, or `documents`. Undefined for an unknown driver, which was already reported. */
export const spokenBy = (driver: string): Dialect | "documents" | undefined =>
  Object.hasOwn(table, driver) ? table[driver]?.driver.speaks : undefined;

/** The parts of a config for an action that queries a database. */
export interface DatabaseSurroundings {
  readonly databases: Databases;
}

/** The parts of its config and interface that any source may use. */
export interface SourceSurroundings extends DatabaseSurroundings {
  /** `global.aws_credentials` and its like. */
  readonly credentials: Credentials;
  /** `expect_status` of the interface's `defaults`, then `global.http`. */
  readonly httpDefaults: readonly Node[];
  /** True when the configuration has `expose_metrics: true`. */
  readonly exposesMetrics: boolean;
  /** The type of each metric of the interface, by its name; filled while lowering. Each interface has its own map. */
  readonly metrics: Map<string, string>;
}

/** The databases of a config: those of `global.databases`, and one for each action with a connection of its own. */
export class Databases {
  readonly #declared: ReadonlyMap<string, string | undefined>;
  readonly #cx: Lowering;
  readonly #plans: DatabasePlan[] = [];

  constructor(declared: readonly ResolvedDatabase[], cx: Lowering) {
    this.#declared = new Map(declared.map(({ name, driver }) => [name, driver]));
    this.#cx = readingOnly(configRoots, cx);
    for (const { name, driver, node, span } of declared) {
      const speaks = spokenBy(driver ?? "");
      if (driver !== undefined && speaks !== undefined)
        this.#plans.push({ name, driver, speaks, ...this.#settings(node, driver), at: span });
    }
  }

  get plans(): readonly DatabasePlan[] {
    return this.#plans;
  }

  /** The names of the declared databases. */
  get names(): readonly string[] {
    return [...this.#declared.keys()];
  }

  has(name: string): boolean {
    return this.#declared.has(name);
  }

  /** The driver of a declared database. Undefined also when the `driver` was removed because of a mistake. */
  driverOf(name: string): string | undefined {
    return this.#declared.get(name);
  }

  /** Adds the connection of an action, and gives its name. Actions with the same driver and address share one. */
  own(action: string, driver: string, speaks: DatabasePlan["speaks"], { conn_string }: { readonly conn_string: Entry }): string {
    const { settings, ...rest } = this.#settings({ kind: "map", span: conn_string.value.span, entries: [conn_string] }, driver);
    const key = meaningOf({ driver, settings });
    const same = this.#plans.find((plan) => meaningOf(plan) === key);
    if (same !== undefined) return same.name;
    const isTaken = (name: string): boolean => this.has(name) || this.#plans.some((plan) => plan.name === name);
    let name = action;
    for (let i = 2; isTaken(name); i++) name = `${action} ${i}`;
    this.#plans.push({ name, driver, speaks, settings, ...rest, at: conn_string.keySpan });
    return name;
  }

  /** The settings of a database, and the secrets that must be fetched for them. */
  #settings(node: Node, driver: string): Pick<DatabasePlan, "settings" | "secrets"> {
    const address = get(node, "conn_string");
    if (address !== undefined && !isOfDriver(textOf(address)?.trim() ?? "", driver))
      this.#cx.report(codes.otherAddress(driver, table[driver]?.schemes[0] ?? driver), address.span);
    const record: MapNode = { kind: "map", span: node.span, entries: entriesOf(node).filter(({ key }) => key !== "driver") };
    const inner: Lowering = { ...this.#cx, scope: { ...this.#cx.scope, secrets: new Map() } };
    const settings = lower(record, this.#cx.definitions.Database ?? {}, inner);
    const secrets = [...inner.scope.secrets.keys()].sort();
    return { settings, ...(secrets.length === 0 ? {} : { secrets }) };
  }
}

/** False when the written part of an address shows that it belongs to another kind of server. */
function isOfDriver(address: string, driver: string): boolean {
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme !== undefined) return table[driver]?.schemes.includes(scheme) === true;
  // SQLite takes the name of a file, SQL Server pairs, and PostgreSQL the folder of a socket.
  return address === "" || address.includes("|") || ["sqlite", "mssql"].includes(driver) || /^(?:socket:|\/)/.test(address);
}

/** A text that is equal for two declarations of the same database, because places in the file are left out. */
const meaningOf = ({ driver, settings }: Pick<DatabasePlan, "driver" | "settings">): string =>
  JSON.stringify({ driver, settings }, (key, value: unknown) => (key === "at" && typeof value === "object" ? undefined : value));
