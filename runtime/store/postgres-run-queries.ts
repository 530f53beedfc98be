import { listedColumns } from "./run-rows.ts";

// Statements of durable runs in PostgreSQL. A statement of its own locks the row of a run before other statements read the parts of this
// run, because each statement sees only the changes that are committed when it begins.

/** The clock of the database. It stands still during a statement, so that an index can be used. */
const now = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

const isOpenWait = "NOT EXISTS (SELECT 1 FROM pw_run_outputs o WHERE o.run = w.run AND o.path = w.path)";

/** Names of plans, $1 as a JSON list, each with the scope $2 and with the empty scope of runs from before scopes existed. */
const plans = "(SELECT DISTINCT plan FROM jsonb_array_elements_text($1::jsonb) AS p (plan)) AS p, (VALUES ($2::text), ('')) AS s (scope)";

/** True for runs of this scope, and for runs that were stored before runs had one. */
const isOf = (scope: string): string => `scope IN (${scope}, '')`;

export const queries = {
  /** Lets callers that count the same runs take turns. $1: the key of these runs. */
  turns: "SELECT pg_advisory_xact_lock(hashtext('pipewright'), hashtext($1))",
  /**
   * $1 id, $2 config, $3 interface, $4 bundle, $5 plan, $6 epoch, $7 node, $8 lease, $9 time, $10 input, $11 seed, $12 bytes, $13 body,
   * $14 key, $15 quota, $16 scope.
   */
  create: `WITH there AS (SELECT 1 FROM pw_runs WHERE id = $1
  ), known AS (SELECT run FROM pw_run_keys WHERE config = $2 AND interface = $3 AND key = $14::text AND until > ${now}
  ), filled AS (SELECT 1 WHERE $15::bigint <= (SELECT count(*) FROM pw_runs WHERE node IS NOT NULL AND config = $2 AND interface = $3 AND ${isOf("$16")})
    + (SELECT count(*) FROM pw_runs WHERE ended IS NULL AND node IS NULL AND config = $2 AND interface = $3 AND due <= ${now} AND ${isOf("$16")})
  ), named AS (
    INSERT INTO pw_run_keys AS k (config, interface, key, run, until) SELECT $2, $3, $14::text, $1, ${now} + 86400000
    WHERE $14::text IS NOT NULL AND NOT EXISTS (SELECT FROM there) AND NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM filled)
    ON CONFLICT (config, interface, key) DO UPDATE SET run = CASE WHEN k.until <= ${now} THEN EXCLUDED.run ELSE k.run END,
      until = CASE WHEN k.until <= ${now} THEN EXCLUDED.until ELSE k.until END RETURNING run
  ), fresh AS (
    INSERT INTO pw_runs (id, config, interface, bundle, plan, status, epoch, node, due, input, seed, bytes, created, scope)
    SELECT $1, $2, $3, $4, $5, 'open', $6::bigint, $7::text, CASE WHEN $8::bigint IS NULL THEN coalesce($9::bigint, ${now}) ELSE ${now} + $8::bigint END,
      $10::text, $11, $12::bigint, ${now}, $16
    WHERE NOT EXISTS (SELECT FROM there) AND NOT EXISTS (SELECT FROM filled) AND ($14::text IS NULL OR EXISTS (SELECT FROM named WHERE run = $1))
    ON CONFLICT (id) DO NOTHING RETURNING number
  ), body AS (INSERT INTO pw_run_blobs (run, path, body) SELECT number, '', decode($13::text, 'base64') FROM fresh WHERE $13::text IS NOT NULL
  ) SELECT EXISTS (SELECT FROM there) OR EXISTS (SELECT FROM fresh) AS created, EXISTS (SELECT FROM filled) AS filled, EXISTS (SELECT FROM known) AS known,
    coalesce((SELECT run FROM named), (SELECT run FROM known)) AS first`,
  /** $3 limit, $4 node, $5 lease. Rows that another node is claiming are skipped. */
  claim: `WITH due AS (
    SELECT r.number, r.due FROM ${plans}, LATERAL (
      SELECT number, due FROM pw_runs WHERE pw_runs.scope = s.scope AND pw_runs.plan = p.plan AND ended IS NULL AND due <= ${now}
      ORDER BY due, number LIMIT $3::bigint FOR UPDATE SKIP LOCKED) AS r
    ORDER BY r.due, r.number LIMIT $3::bigint
  ), taken AS (
    UPDATE pw_runs AS r SET status = 'open', node = $4, due = ${now} + $5::bigint, epoch = epoch + 1, scope = $2 FROM due WHERE r.number = due.number
    RETURNING r.*, due.due AS was, ${now} AS now
  ) SELECT id, config, interface, bundle, plan, input, seed, epoch, created, now, number,
    (SELECT encode(body, 'base64') FROM pw_run_blobs b WHERE b.run = taken.number AND b.path = '') AS body FROM taken ORDER BY was, number`,
  /** $1: numbers of runs as a JSON list. */
  outputs: `SELECT o.run, o.path, o.output, encode(b.body, 'base64') AS body FROM pw_run_outputs o
    LEFT JOIN pw_run_blobs b ON b.run = o.run AND b.path = o.path
    WHERE o.run IN (SELECT value::bigint FROM jsonb_array_elements_text($1::jsonb)) ORDER BY o.number`,
  outputsOf: `SELECT o.path, o.output, encode(b.body, 'base64') AS body FROM pw_run_outputs o JOIN pw_runs r ON r.number = o.run
    LEFT JOIN pw_run_blobs b ON b.run = o.run AND b.path = o.path WHERE r.id = $1 AND ${isOf("$2")} ORDER BY o.number`,
  openWaits: `SELECT w.run, w.path, w.token_hash, w.until, w.payload FROM pw_run_waits w
    WHERE w.run IN (SELECT value::bigint FROM jsonb_array_elements_text($1::jsonb)) AND ${isOpenWait} ORDER BY w.number`,
  /** $1 lease, $2 runs as a JSON list, $3 node. */
  renew: `WITH mine AS (
    SELECT r.number, r.id FROM pw_runs r JOIN jsonb_to_recordset($2::jsonb) AS h (id text, epoch bigint) ON r.id = h.id AND r.epoch = h.epoch
    WHERE r.node = $3 ORDER BY r.id FOR UPDATE OF r
  ), renewed AS (UPDATE pw_runs AS r SET due = ${now} + $1::bigint FROM mine WHERE r.number = mine.number) SELECT id FROM mine`,
  /** $1 id, $2 epoch, $3 plan, $4 outputs as a JSON list. A row when the epoch is the last one. */
  progress: `WITH points AS (
    SELECT path, output, body, bytes, ord FROM ROWS FROM (
      jsonb_to_recordset($4::jsonb) AS (path text, output text, body text, bytes bigint)) WITH ORDINALITY AS p (path, output, body, bytes, ord)
  ), run AS (
    UPDATE pw_runs AS r SET plan = coalesce($3::text, plan), bytes = bytes + coalesce((SELECT sum(p.bytes)::bigint FROM points p
      WHERE NOT EXISTS (SELECT 1 FROM pw_run_outputs o WHERE o.run = r.number AND o.path = p.path)), 0)
    WHERE id = $1 AND epoch = $2::bigint AND ended IS NULL RETURNING number
  ), fresh AS (
    INSERT INTO pw_run_outputs (run, path, output) SELECT run.number, path, output FROM run, points ORDER BY ord
    ON CONFLICT (run, path) DO NOTHING RETURNING run, path
  ), bodies AS (
    INSERT INTO pw_run_blobs (run, path, body) SELECT fresh.run, fresh.path, decode(points.body, 'base64') FROM fresh JOIN points USING (path)
    WHERE points.body IS NOT NULL
  ) SELECT number FROM run`,
  /** $1 id, $2 epoch, $3 hash of the token, $4 path, $5 end. */
  addWait: `INSERT INTO pw_run_waits (token_hash, run, path, until) SELECT $3, number, $4, $5::bigint FROM pw_runs
    WHERE id = $1 AND epoch = $2::bigint AND ended IS NULL ON CONFLICT (token_hash) DO NOTHING`,
  /** $1 id, $2 epoch, $3 status, $4 result. */
  finish: `UPDATE pw_runs SET status = $3, result = $4, ended = ${now}, node = NULL WHERE id = $1 AND epoch = $2::bigint AND ended IS NULL`,
  /** $1 id, $2 epoch, $3 time until which the run sleeps; without a time it sleeps until its first wait is resumed or expires. */
  release: `WITH open AS (
    SELECT count(*) AS waits, count(w.payload) AS paid, min(CASE WHEN w.payload IS NULL THEN w.until ELSE ${now} END) AS first
    FROM pw_run_waits w JOIN pw_runs r ON r.number = w.run WHERE r.id = $1 AND ${isOpenWait}
  ) UPDATE pw_runs SET node = NULL, status = CASE WHEN open.waits > 0 AND open.paid = 0 THEN 'waiting' ELSE 'open' END,
    due = coalesce($3::bigint, open.first, ${now}) FROM open WHERE id = $1 AND epoch = $2::bigint AND ended IS NULL`,
  /** $1 id, $2 epoch. A row when the run has ended in this epoch. */
  isFinished: "SELECT 1 FROM pw_runs WHERE id = $1 AND epoch = $2::bigint AND status IN ('done', 'failed')",
  /** $1 hash of the token, $2 scope. */
  lockWaiting: `SELECT r.number FROM pw_runs r JOIN pw_run_waits w ON w.run = r.number WHERE w.token_hash = $1 AND ${isOf("$2")} FOR UPDATE OF r`,
  /** $3: payload. A token expires with its wait. */
  resume: `WITH paid AS (
    UPDATE pw_run_waits AS w SET payload = $3 FROM pw_runs r WHERE w.token_hash = $1 AND ${isOf("$2")} AND r.number = w.run AND w.payload IS NULL
      AND least(w.until, (SELECT min(t.until) FROM pw_run_waits t WHERE t.run = w.run AND t.path || chr(9) || 'token' = w.path)) > ${now}
      AND r.ended IS NULL AND ${isOpenWait} RETURNING w.run, r.id
  ), woken AS (UPDATE pw_runs AS r SET status = 'open', due = least(r.due, ${now}) FROM paid WHERE r.number = paid.run AND r.node IS NULL
  ) SELECT id FROM paid`,
  paidBefore: `SELECT r.id FROM pw_run_waits w JOIN pw_runs r ON r.number = w.run WHERE w.token_hash = $1 AND ${isOf("$2")} AND w.payload IS NOT NULL`,
  /** $1 id, $2 scope. */
  cancel: `UPDATE pw_runs SET status = 'cancelled', epoch = epoch + 1, node = NULL, ended = ${now}
    WHERE id = $1 AND ${isOf("$2")} AND ended IS NULL RETURNING id`,
  /** $3: paths whose outputs are removed, as a JSON list. */
  retry: `WITH due AS (UPDATE pw_runs SET status = 'open', epoch = epoch + 1, due = ${now}, ended = NULL, result = NULL
    WHERE id = $1 AND ${isOf("$2")} AND status IN ('failed', 'cancelled') RETURNING number
  ), again AS (SELECT number AS run, path FROM due, jsonb_array_elements_text($3::jsonb) AS p (path)
  ), outputs AS (DELETE FROM pw_run_outputs AS o USING again WHERE o.run = again.run AND o.path = again.path
  ), bodies AS (DELETE FROM pw_run_blobs AS b USING again WHERE b.run = again.run AND b.path = again.path
  ), waits AS (DELETE FROM pw_run_waits AS w USING again WHERE w.run = again.run AND w.path = again.path) SELECT number FROM due`,
  status: `SELECT status FROM pw_runs WHERE id = $1 AND ${isOf("$2")}`,
  expire: `WITH gone AS (SELECT number FROM pw_runs WHERE node = $1 AND due > ${now} ORDER BY id FOR UPDATE
  ), ended AS (UPDATE pw_runs AS r SET due = ${now} FROM gone WHERE r.number = gone.number) SELECT count(*) AS count FROM gone`,
  /**
   * The lock of a session can be taken only when the session has ended; this statement gives it back at its end. A node that has another
   * session meanwhile keeps its row and its leases.
   */
  expireGone: `WITH gone AS MATERIALIZED (SELECT node, session FROM pw_nodes WHERE pg_try_advisory_xact_lock(session::bigint)
  ), left_over AS (DELETE FROM pw_nodes n USING gone WHERE n.node = gone.node AND n.session = gone.session RETURNING n.node
  ), held AS (SELECT number FROM pw_runs r JOIN left_over ON r.node = left_over.node WHERE due > ${now} ORDER BY id FOR UPDATE OF r
  ), ended AS (UPDATE pw_runs AS r SET due = ${now} FROM held WHERE r.number = held.number) SELECT count(*) AS count FROM held`,
  nextDue: `SELECT CASE WHEN min(r.due) < ${now} THEN 0 ELSE min(r.due) - ${now} END AS due FROM ${plans}, LATERAL (
    SELECT due FROM pw_runs WHERE pw_runs.scope = s.scope AND pw_runs.plan = p.plan AND ended IS NULL ORDER BY due, number LIMIT 1) AS r`,
  /** $1 status, $2 config, $3 interface, $4 id, $5 limit, $6 time, $7 scope. */
  list: `SELECT ${listedColumns} FROM pw_runs WHERE ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR config = $2)
    AND ($3::text IS NULL OR interface = $3) AND ($4::text IS NULL OR number < (SELECT number FROM pw_runs WHERE id = $4))
    AND ($6::bigint IS NULL OR (ended IS NULL AND due < $6::bigint)) AND ${isOf("$7")} ORDER BY number DESC LIMIT $5::bigint`,
  row: `SELECT ${listedColumns}, result, ${now} AS now FROM pw_runs WHERE id = $1 AND ${isOf("$2")}`,
  paths: "SELECT o.path FROM pw_run_outputs o JOIN pw_runs r ON r.number = o.run WHERE r.id = $1 ORDER BY o.number",
  waitsOf: `SELECT w.path, w.token_hash, w.until, w.payload FROM pw_run_waits w JOIN pw_runs r ON r.number = w.run WHERE r.id = $1 AND ${isOpenWait}
    ORDER BY w.number`,
  stuck: `SELECT ${listedColumns} FROM pw_runs WHERE ended IS NULL AND plan NOT IN (SELECT value FROM jsonb_array_elements_text($1::jsonb))
    AND ${isOf("$2")} ORDER BY number LIMIT $3::bigint`,
  prune: `WITH gone AS (DELETE FROM pw_runs WHERE number IN (
    SELECT number FROM pw_runs WHERE ended < $1::bigint AND ${isOf("$3")} LIMIT $2::bigint FOR UPDATE SKIP LOCKED) RETURNING 1) SELECT count(*) AS count FROM gone`,
  probe: `INSERT INTO pw_run_keys (config, interface, key, run, until) VALUES ('', '', $1, $2, 0)
    ON CONFLICT (config, interface, key) DO UPDATE SET run = EXCLUDED.run`,
  forgetKeys: `DELETE FROM pw_run_keys WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM pw_run_keys WHERE until <= ${now} LIMIT $1::bigint FOR UPDATE SKIP LOCKED))`,
  now: `SELECT ${now} AS now`,
} as const;
