import { maxDigits } from "./order.ts";

// Statements of the store in PostgreSQL. Parameters: $1 namespace, $2 key, then those named. A statement waits for the row that it writes,
// and then looks at the row as it is: what it reads and writes is one step. `clock_timestamp` is the time after that wait.

const live = "(expires_at IS NULL OR expires_at > clock_timestamp())";

/** $4: milliseconds, or null for ever. */
const expiry = "clock_timestamp() + $4::float8 * interval '1 millisecond'";

const insert = `INSERT INTO pw_state AS s (ns, key, value, version, expires_at) VALUES ($1, $2, $3::jsonb, 1, ${expiry})
  ON CONFLICT (ns, key) DO UPDATE SET value = EXCLUDED.value, expires_at = EXCLUDED.expires_at,
    version = CASE WHEN s.expires_at <= clock_timestamp() THEN 1 ELSE s.version + 1 END`;

export const get = `SELECT value, version FROM pw_state WHERE ns = $1 AND key = $2 AND ${live}`;

/** $3: the value. */
export const put = `${insert} RETURNING version`;

/** A row when there was nothing. */
export const putNew = `${insert} WHERE s.expires_at <= clock_timestamp() RETURNING version`;

/** $5: the version that it has. */
export const putVersion = `UPDATE pw_state SET value = $3::jsonb, expires_at = ${expiry}, version = version + 1
  WHERE ns = $1 AND key = $2 AND version = $5::bigint AND ${live} RETURNING version`;

const textOf = (value: string): string => `(${value} #>> '{}')`;

const isDecimal = (value: string): string =>
  `(${textOf(value)} ~ '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$' AND length(${textOf(value)}) <= ${maxDigits})`;

/** A row when it was moved: the order of runtime/state/order.ts, which in a collation of bytes is that of code points. */
export const advance = `${insert} WHERE s.expires_at <= clock_timestamp() OR CASE
    WHEN ${isDecimal("EXCLUDED.value")} AND ${isDecimal("s.value")}
    THEN ${textOf("EXCLUDED.value")}::numeric > ${textOf("s.value")}::numeric
    ELSE convert_to(coalesce(${textOf("EXCLUDED.value")}, ''), 'UTF8') > convert_to(coalesce(${textOf("s.value")}, ''), 'UTF8') END
  RETURNING value, version`;

export const forget = `DELETE FROM pw_state WHERE ns = $1 AND key = $2 AND ${live} RETURNING version`;

/**
 * $3: identities as a JSON list, $5: a mark or null. Gives those that are new. All callers lock identities in the same order, so none waits
 * in a circle.
 */
export const remember = `WITH given AS (
    SELECT id, min(ord) AS ord FROM jsonb_array_elements_text($3::jsonb) WITH ORDINALITY AS g (id, ord) GROUP BY id ORDER BY id
  ), fresh AS (
    INSERT INTO pw_seen AS s (ns, key, id, added_at, ord, expires_at, mark)
    SELECT $1, $2, id, statement_timestamp(), ord, ${expiry}, $5::text FROM given
    ON CONFLICT (ns, key, id) DO UPDATE SET added_at = EXCLUDED.added_at, ord = EXCLUDED.ord, expires_at = EXCLUDED.expires_at,
      mark = EXCLUDED.mark
    WHERE s.expires_at <= clock_timestamp() OR s.mark = EXCLUDED.mark RETURNING id
  ) SELECT jsonb_agg(id) AS fresh FROM fresh`;

/** How many identities will expire. */
export const expiring = `SELECT count(*)::int AS count FROM pw_seen WHERE ns = $1 AND key = $2 AND expires_at > clock_timestamp()`;

/** $3: how many identities stay. Rows that another caller is evicting are left to it. */
export const evict = `DELETE FROM pw_seen WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM pw_seen WHERE ns = $1 AND key = $2 AND expires_at IS NULL AND (added_at, ord) <= (
      SELECT added_at, ord FROM pw_seen WHERE ns = $1 AND key = $2 AND expires_at IS NULL
      ORDER BY added_at DESC, ord DESC OFFSET $3::bigint LIMIT 1
    ) FOR UPDATE SKIP LOCKED))`;

/** Rows that another statement is about to renew are left alone. */
export const sweep = `WITH old AS (
    DELETE FROM pw_state WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM pw_state WHERE expires_at <= clock_timestamp() LIMIT 10000 FOR UPDATE SKIP LOCKED))
  ) DELETE FROM pw_seen WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM pw_seen WHERE expires_at <= clock_timestamp() LIMIT 10000 FOR UPDATE SKIP LOCKED))`;
