import { Unusable } from "../value/unusable.ts";

// The tables of a store, by versions. A released version is never changed: changes are another version, so that every database is migrated
// by the same steps.

/** The words in which SQLite and PostgreSQL differ. */
interface Dialect {
  readonly integer: string;
  /** A number that counts rows and is their key. */
  readonly counter: string;
  readonly bytes: string;
  /** Leaves room in a page for rows that are often updated. */
  readonly loose: string;
}

const sqliteWords: Dialect = { integer: "INTEGER", counter: "INTEGER PRIMARY KEY AUTOINCREMENT", bytes: "BLOB", loose: "" };

const postgresWords: Dialect = {
  integer: "bigint",
  counter: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  bytes: "bytea",
  loose: " WITH (fillfactor = 50)",
};

/** State, recorded runs and their windows, as version 0.1.0 has created them; existing tables stay. */
const firstSqlite = `
  CREATE TABLE IF NOT EXISTS pw_state (
    ns TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, expires_at REAL,
    PRIMARY KEY (ns, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS pw_state_expiry ON pw_state (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS pw_seen (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, ns TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, expires_at REAL,
    UNIQUE (ns, key, id)
  );
  CREATE INDEX IF NOT EXISTS pw_seen_age ON pw_seen (ns, key, seq) WHERE expires_at IS NULL;
  CREATE INDEX IF NOT EXISTS pw_seen_expiry ON pw_seen (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS pw_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, env TEXT NOT NULL, run_uuid TEXT NOT NULL, parent TEXT,
    config TEXT NOT NULL, interface TEXT NOT NULL, trigger TEXT NOT NULL, started REAL NOT NULL, ms INTEGER NOT NULL,
    status INTEGER NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS pw_history_order ON pw_history (org, env, seq);
  CREATE INDEX IF NOT EXISTS pw_history_run ON pw_history (run_uuid);
  CREATE INDEX IF NOT EXISTS pw_history_started ON pw_history (started);
  CREATE TABLE IF NOT EXISTS pw_capture (
    org TEXT NOT NULL, env TEXT NOT NULL, config TEXT NOT NULL, interface TEXT NOT NULL, bundle TEXT NOT NULL,
    started REAL NOT NULL, runs INTEGER NOT NULL, PRIMARY KEY (org, env, config, interface, bundle)
  ) WITHOUT ROWID;
`;

const firstPostgres = `
  CREATE TABLE IF NOT EXISTS pw_state (
    ns text NOT NULL, key text NOT NULL, value jsonb NOT NULL, version bigint NOT NULL, expires_at timestamptz,
    PRIMARY KEY (ns, key)
  ) WITH (fillfactor = 50);
  CREATE INDEX IF NOT EXISTS pw_state_expiry ON pw_state (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS pw_seen (
    ns text NOT NULL, key text NOT NULL, id text NOT NULL, added_at timestamptz NOT NULL, ord bigint NOT NULL, expires_at timestamptz,
    PRIMARY KEY (ns, key, id)
  );
  CREATE INDEX IF NOT EXISTS pw_seen_age ON pw_seen (ns, key, added_at, ord) WHERE expires_at IS NULL;
  CREATE INDEX IF NOT EXISTS pw_seen_expiry ON pw_seen (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS pw_history (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, org text NOT NULL, env text NOT NULL, run_uuid text NOT NULL, parent text,
    config text NOT NULL, interface text NOT NULL, trigger text NOT NULL, started double precision NOT NULL, ms double precision NOT NULL,
    status integer NOT NULL, record text NOT NULL
  );
  CREATE INDEX IF NOT EXISTS pw_history_order ON pw_history (org, env, seq);
  CREATE INDEX IF NOT EXISTS pw_history_run ON pw_history (run_uuid);
  CREATE INDEX IF NOT EXISTS pw_history_started ON pw_history (started);
  CREATE TABLE IF NOT EXISTS pw_capture (
    org text NOT NULL, env text NOT NULL, config text NOT NULL, interface text NOT NULL, bundle text NOT NULL,
    started double precision NOT NULL, runs bigint NOT NULL, PRIMARY KEY (org, env, config, interface, bundle)
  );
`;

/** Durable runs. Times are Unix milliseconds; `due` is the end of the lease while a node holds the run. */
const runs = ({ integer, counter, bytes, loose }: Dialect): string => `
  CREATE TABLE pw_runs (
    number ${counter}, id text NOT NULL UNIQUE, config text NOT NULL, interface text NOT NULL, bundle text NOT NULL, plan text NOT NULL,
    status text NOT NULL, epoch ${integer} NOT NULL, node text, due ${integer} NOT NULL, input text, seed text NOT NULL,
    bytes ${integer} NOT NULL, created ${integer} NOT NULL, ended ${integer}, result text,
    CONSTRAINT pw_runs_bytes CHECK (bytes <= 67108864)
  )${loose};
  CREATE INDEX pw_runs_due ON pw_runs (plan, due, number) WHERE ended IS NULL;
  CREATE INDEX pw_runs_of ON pw_runs (config, interface, due) WHERE ended IS NULL;
  CREATE INDEX pw_runs_held ON pw_runs (node) WHERE node IS NOT NULL;
  CREATE INDEX pw_runs_ended ON pw_runs (ended) WHERE ended IS NOT NULL;
  CREATE TABLE pw_run_outputs (
    number ${counter}, run ${integer} NOT NULL REFERENCES pw_runs (number) ON DELETE CASCADE, path text NOT NULL, output text,
    UNIQUE (run, path)
  );
  CREATE TABLE pw_run_blobs (
    run ${integer} NOT NULL REFERENCES pw_runs (number) ON DELETE CASCADE, path text NOT NULL, body ${bytes} NOT NULL,
    PRIMARY KEY (run, path)
  );
  CREATE TABLE pw_run_waits (
    number ${counter}, token_hash text NOT NULL UNIQUE, run ${integer} NOT NULL REFERENCES pw_runs (number) ON DELETE CASCADE,
    path text NOT NULL, until ${integer} NOT NULL, payload text
  );
  CREATE INDEX pw_run_waits_run ON pw_run_waits (run);
  CREATE TABLE pw_run_keys (
    config text NOT NULL, interface text NOT NULL, key text NOT NULL, run text NOT NULL, until ${integer} NOT NULL,
    PRIMARY KEY (config, interface, key)
  );
  CREATE INDEX pw_run_keys_until ON pw_run_keys (until);
  CREATE TABLE pw_nodes (node text PRIMARY KEY, session text NOT NULL);
`;

/** The coordination of nodes: taken times of schedules, exclusive rights, and counts of rate limits. Times are Unix milliseconds. */
const coordination = ({ integer, loose }: Dialect, counts: string): string => `
  CREATE TABLE pw_ticks (
    schedule text NOT NULL, slot ${integer} NOT NULL, node text NOT NULL, until ${integer} NOT NULL, PRIMARY KEY (schedule, slot)
  );
  CREATE INDEX pw_ticks_until ON pw_ticks (until);
  CREATE TABLE pw_leases (
    name text PRIMARY KEY, node text NOT NULL, epoch ${integer} NOT NULL, until ${integer} NOT NULL
  )${loose};
  CREATE TABLE pw_rates (
    name text PRIMARY KEY, slot ${integer} NOT NULL, counts ${counts} NOT NULL, until ${integer} NOT NULL
  )${loose};
  CREATE INDEX pw_rates_until ON pw_rates (until);
`;

/**
 * Messages between nodes: the log of the last minute, and messages that are kept for nodes that start later. Log and nodes are lost when
 * the server crashes (`UNLOGGED`); positions then continue beyond all used ones.
 */
const bus = `
  CREATE UNLOGGED TABLE pw_bus_log (
    channel text NOT NULL, position bigint NOT NULL, source text NOT NULL, number bigint NOT NULL, kind text NOT NULL, body text NOT NULL,
    keep text, PRIMARY KEY (channel, position)
  );
  CREATE UNLOGGED TABLE pw_bus_nodes (
    channel text NOT NULL, source text NOT NULL, lock bigint NOT NULL, pid integer NOT NULL, PRIMARY KEY (channel, source)
  );
  CREATE TABLE pw_bus_rings (
    channel text NOT NULL, kind text NOT NULL, key text NOT NULL, position bigint NOT NULL, depth integer NOT NULL, source text NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX pw_bus_rings_order ON pw_bus_rings (channel, position);
`;

/** Messages of the bus that are kept: the last one of each key. */
const messages = ({ integer, loose }: Dialect): string => `
  CREATE TABLE pw_bus_kept (
    channel text NOT NULL, id text NOT NULL, kind text NOT NULL, key text NOT NULL, position ${integer} NOT NULL, owner text NOT NULL,
    outlives ${integer} NOT NULL, body text NOT NULL, PRIMARY KEY (channel, id)
  )${loose};
`;

/**
 * Sessions of MQTT: the subscriptions of each, and the messages that wait for its client (`inbound` 0) or to be released by it (1). A
 * session has its state at a position of the bus: the later one of its own position and its owner's.
 */
const mqtt = ({ integer, loose }: Dialect): string => `
  CREATE TABLE pw_mqtt_sessions (
    id text PRIMARY KEY, name text NOT NULL, owner text NOT NULL, epoch ${integer} NOT NULL, position ${integer} NOT NULL, filters text NOT NULL
  )${loose};
  CREATE INDEX pw_mqtt_sessions_owner ON pw_mqtt_sessions (owner);
  CREATE TABLE pw_mqtt_messages (
    session text NOT NULL REFERENCES pw_mqtt_sessions (id) ON DELETE CASCADE, inbound ${integer} NOT NULL, place ${integer} NOT NULL,
    exchange ${integer}, received ${integer} NOT NULL, body text NOT NULL, PRIMARY KEY (session, inbound, place)
  )${loose};
  CREATE TABLE pw_mqtt_owners (owner text PRIMARY KEY, position ${integer} NOT NULL)${loose};
`;

/**
 * Counts of nodes, which other nodes add up. The rows are few, and written twice a second: an index by time would cost more than it saves.
 */
const tallies = ({ integer, loose }: Dialect): string => `
  CREATE TABLE pw_tallies (
    name text NOT NULL, node text NOT NULL, count ${integer} NOT NULL, until ${integer} NOT NULL, PRIMARY KEY (name, node)
  )${loose};
`;

/** A mark of the work that has added an identity: when this work is repeated, the identity is new to it once more. */
const marks = "ALTER TABLE pw_seen ADD COLUMN mark text;";

/**
 * A run has the organisation and the environment of its process. A run from before this version has an empty scope, and gets that of the
 * first process that claims it.
 */
const scopes = `
  ALTER TABLE pw_runs ADD COLUMN scope text NOT NULL DEFAULT '';
  CREATE INDEX pw_runs_next ON pw_runs (scope, plan, due, number) WHERE ended IS NULL;
  DROP INDEX pw_runs_due;
`;

/** The steps from an empty database to the newest version, whose number is the number of steps. */
export const sqliteSteps: readonly string[] = [
  firstSqlite,
  runs(sqliteWords),
  coordination(sqliteWords, "text"),
  messages(sqliteWords),
  mqtt(sqliteWords),
  tallies(sqliteWords),
  marks,
  scopes,
];
export const postgresSteps: readonly string[] = [
  firstPostgres,
  runs(postgresWords),
  coordination(postgresWords, "bigint[]"),
  messages(postgresWords) + bus,
  mqtt(postgresWords),
  tallies(postgresWords),
  marks,
  scopes,
];

/** Refuses a database that a newer pipewright has changed: this version could write wrong data there. */
export function refuseNewer(found: number, known: number): void {
  if (found > known)
    throw new Unusable(
      `the tables of the store have version ${found}, and this pipewright knows ${known}: a newer one has changed them, run that or a later one`,
    );
}
