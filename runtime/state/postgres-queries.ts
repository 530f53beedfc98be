import { maxDigits } from "./order.ts";

// Statements of the store in PostgreSQL. Parameters: $1 namespace, $2 key, then those that each comment names. A statement locks the row
// that it writes, and then sees the current row: its reading and writing are one step. `clock_timestamp` is the time after the wait for
// that lock.

const live = "(expires_at IS NULL OR expires_at > clock_timestamp())";

/** $4: milliseconds, or null for no end. */
const expiry = "clock_timestamp() + $4::float8 * interval '1 millisecond'";

const insert = `INSERT INTO pw_state AS s (ns, key, value, version, expires_at) VALUES ($1, $2, $3::jsonb, 1, ${expiry})
  ON CONFLICT (ns, key) DO UPDATE SET value = EXCLUDED.value, expires_at = EXCLUDED.expires_at,
    version = CASE WHEN s.expires_at <= clock_timestamp() THEN 1 ELSE s.version + 1 END`;

export const get = `SELECT value, version FROM pw_state WHERE ns = $1 AND key = $2 AND ${live}`;

/** $3: the value. */
export const put = `${insert} RETURNING version`;

/** Gives a row when no value existed. */
export const putNew = `${insert} WHERE s.expires_at <= clock_timestamp() RETURNING version`;

/** $5: the expected version. */
export const putVersion = `UPDATE pw_state SET value = $3::jsonb, expires_at = ${expiry}, version = version + 1
  WHERE ns = $1 AND key = $2 AND version = $5::bigint AND ${live} RETURNING version`;

const textOf = (value: string): string => `(${value} #>> '{}')`;

const isDecimal = (value: string): string =>
  `(${textOf(value)} ~ '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$' AND length(${textOf(value)}) <= ${maxDigits})`;

/**
 * Gives a row when the value was replaced. The order is that of runtime/state/order.ts; a collation of bytes has the order of code points.
 */
export const advance = `${insert} WHERE s.expires_at <= clock_timestamp() OR CASE
    WHEN ${isDecimal("EXCLUDED.value")} AND ${isDecimal("s.value")}
    THEN ${textOf("EXCLUDED.value")}::numeric > ${textOf("s.value")}::numeric
    ELSE convert_to(coalesce(${textOf("EXCLUDED.value")}, ''), 'UTF8') > convert_to(coalesce(${textOf("s.value")}, ''), 'UTF8') END
  RETURNING value, version`;

export const forget = `DELETE FROM pw_state WHERE ns = $1 AND key = $2 AND ${live} RETURNING version`;

/**
 * $3: identities as a JSON list, $5: a mark or null. Gives the new ones. All callers lock identities in the same order, so that no deadlock
 * occurs.
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

/** The number of identities that have not expired and will expire. */
export const expiring = `SELECT count(*)::int AS count FROM pw_seen WHERE ns = $1 AND key = $2 AND expires_at > clock_timestamp()`;

/** $3: the number of identities that stay. Rows that another caller is evicting are skipped. */
export const evict = `DELETE FROM pw_seen WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM pw_seen WHERE ns = $1 AND key = $2 AND expires_at IS NULL AND (added_at, ord) <= (
      SELECT added_at, ord FROM pw_seen WHERE ns = $1 AND key = $2 AND expires_at IS NULL
      ORDER BY added_at DESC, ord DESC OFFSET $3::bigint LIMIT 1
    ) FOR UPDATE SKIP LOCKED))`;

/** Rows that another statement is about to renew are skipped. */
export const sweep = `WITH old AS (
    DELETE FROM pw_state WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM pw_state WHERE expires_at <= clock_timestamp() LIMIT 10000 FOR UPDATE SKIP LOCKED))
  ) DELETE FROM pw_seen WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM pw_seen WHERE expires_at <= clock_timestamp() LIMIT 10000 FOR UPDATE SKIP LOCKED))`;
