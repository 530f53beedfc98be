import type { DriverFeature, JsonSchema, StoreFacts } from "#runtime/features/feature.ts";
import { type Definitions, duration, fixedWord, integer, map, type Properties, preset, record, text } from "./shapes.ts";

/** Drivers and stores of the language, by the words of `driver` and `kind`. */
export interface Stores {
  readonly drivers: Readonly<Record<string, DriverFeature>>;
  readonly secretStores: Readonly<Record<string, StoreFacts>>;
}

/** Where values are kept: databases and secrets (spec/language 1.4, 5.4.1). */
export function storeRecords({ drivers, secretStores }: Stores): Definitions {
  const settings: Properties = Object.assign({}, ...Object.values(drivers).map((driver) => driver.settings));
  return {
    Database: record(
      "Database",
      "A database and its pool of connections.",
      {
        driver: driverWord("Kind of database.", drivers),
        conn_string: text("Where the database is, as one URL."),
        user: text("User that connects."),
        pass: text("Password of the user."),
        host: text("Host that the database runs on."),
        port: integer("Port of the database; by default that of the driver.", 1, 65535),
        dbname: text("Name of the database."),
        params: map("Further parameters of the connection."),
        max_open_conns: preset(integer("Most connections open at once.", 1), 10),
        max_idle_conns: integer("Most connections kept open while idle; by default 2.", 0),
        conn_max_lifetime: duration("Age at which a connection is closed, for mongodb its idle time; by default never."),
        timeout: duration("Time for one statement.", "30s"),
        ...settings,
      },
      ["driver"],
    ),
    Secret: record(
      "Secret",
      "A secret and where it comes from.",
      {
        kind: fixedWord("Where the secret is kept.", Object.keys(secretStores)),
        format: fixedWord("How its text is read: as it is, as lines KEY=VALUE, or as JSON.", ["raw", "equal", "json"], "raw"),
        ...settingsOf(secretStores),
        ttl: duration("How long a fetched secret is used.", "5min"),
      },
      ["kind"],
    ),
  };
}

/** The word for a driver, wherever one is named. */
export const driverWord = (description: string, drivers: Stores["drivers"]): JsonSchema => fixedWord(description, Object.keys(drivers));

/** The settings of all stores: a key that several stores read stands once, with the description of each store. */
function settingsOf(stores: Stores["secretStores"]): Properties {
  const keys = new Map<string, { readonly schema: JsonSchema; readonly kindsByText: Map<string, readonly string[]> }>();
  for (const [kind, { schema }] of Object.entries(stores)) {
    for (const [key, setting] of Object.entries(schema.properties ?? {})) {
      const { schema: first, kindsByText: said } = keys.get(key) ?? { schema: setting, kindsByText: new Map<string, readonly string[]>() };
      const description = setting.description ?? "";
      keys.set(key, { schema: first, kindsByText: said.set(description, [...(said.get(description) ?? []), kind]) });
    }
  }
  return Object.fromEntries(
    [...keys].map(([key, { schema, kindsByText: said }]) => {
      const parts = [...said].map(([description, kinds]) => `${description.replace(/\.$/, "")} (${kinds.join(", ")})`);
      return [key, { ...schema, description: `${parts.join("; ")}.` }];
    }),
  );
}
