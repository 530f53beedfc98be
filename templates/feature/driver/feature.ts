import type { Json } from "../../../value/json.ts";
import type { DriverFeature } from "../../feature.ts";
import type { Connection, Driver } from "../database.ts";
import { connectionString, type Settings } from "./settings.ts";

/** Say which package talks to which servers. It is loaded when the first query asks for a connection. */
export const feature_name: Driver = {
  name: "feature_name",
  speaks: "postgres",
  identity: (settings) => JSON.stringify(settings),
  open: (settings) => new FeatureConnection(settings),
};

export const spec: DriverFeature = {
  summary: "Say which databases it is for.",
  schemes: ["feature-name"],
  driver: feature_name,
};

/** Answers a query with its text and its parameters. */
class FeatureConnection implements Connection {
  readonly #address: string;

  constructor(settings: Settings) {
    this.#address = connectionString(settings, ["feature-name://"]);
  }

  async query(text: string, params: readonly Json[] | undefined): Promise<Json[]> {
    return [{ address: this.#address, text, params: [...(params ?? [])] }];
  }

  async script(): Promise<void> {
    await this.ping();
  }

  async ping(): Promise<void> {
    if (this.#address === "") throw new Error("there is no address");
  }

  close(): void {
    // Nothing is open.
  }
}
