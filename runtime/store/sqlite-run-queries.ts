import { listedColumns } from "./run-rows.ts";

// Statements of durable runs in SQLite. Several of them form one operation, under the lock of the file.

const isOpenWait = "NOT EXISTS (SELECT 1 FROM pw_run_outputs o WHERE o.run = w.run AND o.path = w.path)";

/** True for runs of a scope, and for runs that were stored before runs had one. */
const isOf = "scope IN (?, '')";

const isAmong = "path IN (SELECT value FROM json_each(?))";

export const queries = {
  number: `SELECT number FROM pw_runs WHERE id = ? AND ${isOf}`,
  exists: "SELECT 1 FROM pw_runs WHERE id = ?",
  state: `SELECT number, epoch, status, bytes, ended FROM pw_runs WHERE id = ? AND ${isOf}`,
  row: `SELECT ${listedColumns}, result FROM pw_runs WHERE id = ? AND ${isOf}`,
  key: "SELECT run FROM pw_run_keys WHERE config = ? AND interface = ? AND key = ? AND until > ?",
  takeKey: "INSERT OR REPLACE INTO pw_run_keys (config, interface, key, run, until) VALUES (?, ?, ?, ?, ?)",
  // Few runs are held at a time, so that they are counted by the index of held runs.
  underWay: `SELECT (SELECT count(*) FROM pw_runs WHERE node IS NOT NULL AND config = ? AND interface = ? AND ${isOf})
    + (SELECT count(*) FROM pw_runs WHERE ended IS NULL AND node IS NULL AND config = ? AND interface = ? AND ${isOf} AND due <= ?) AS count`,
  insert: `INSERT INTO pw_runs (id, config, interface, bundle, plan, status, epoch, node, due, input, seed, bytes, created, scope)
    VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?)`,
  addBlob: "INSERT INTO pw_run_blobs (run, path, body) VALUES (?, ?, ?)",
  due: "SELECT number, due FROM pw_runs WHERE scope = ? AND plan = ? AND ended IS NULL AND due <= ? ORDER BY due, number LIMIT ?",
  claim: `UPDATE pw_runs SET status = 'open', node = ?, due = ?, epoch = epoch + 1, scope = ? WHERE number = ?
    RETURNING id, config, interface, bundle, plan, input, seed, epoch, created,
      (SELECT body FROM pw_run_blobs b WHERE b.run = pw_runs.number AND b.path = '') AS body`,
  outputs: `SELECT o.path, o.output, b.body FROM pw_run_outputs o LEFT JOIN pw_run_blobs b ON b.run = o.run AND b.path = o.path
    WHERE o.run = ? ORDER BY o.number`,
  paths: "SELECT path FROM pw_run_outputs WHERE run = ? ORDER BY number",
  openWaits: `SELECT path, token_hash, until, payload FROM pw_run_waits w WHERE w.run = ? AND ${isOpenWait} ORDER BY number`,
  renew: "UPDATE pw_runs SET due = ? WHERE id = ? AND epoch = ? AND node = ?",
  addOutput: "INSERT INTO pw_run_outputs (run, path, output) VALUES (?, ?, ?) ON CONFLICT (run, path) DO NOTHING",
  addWait: "INSERT INTO pw_run_waits (token_hash, run, path, until) VALUES (?, ?, ?, ?) ON CONFLICT (token_hash) DO NOTHING",
  progress: "UPDATE pw_runs SET plan = coalesce(?, plan), bytes = ? WHERE number = ?",
  finish: "UPDATE pw_runs SET status = ?, result = ?, ended = ?, node = NULL WHERE number = ?",
  release: "UPDATE pw_runs SET status = ?, due = ?, node = NULL WHERE number = ?",
  // A token expires with its wait.
  wait: `SELECT w.run, min(w.until, coalesce((SELECT min(t.until) FROM pw_run_waits t
      WHERE t.run = w.run AND t.path || char(9) || 'token' = w.path), w.until)) AS until, w.payload, r.id, r.ended, NOT (${isOpenWait}) AS settled
    FROM pw_run_waits w JOIN pw_runs r ON r.number = w.run WHERE w.token_hash = ? AND ${isOf}`,
  pay: "UPDATE pw_run_waits SET payload = ? WHERE token_hash = ?",
  wake: "UPDATE pw_runs SET status = 'open', due = min(due, ?) WHERE number = ? AND node IS NULL",
  cancel: `UPDATE pw_runs SET status = 'cancelled', epoch = epoch + 1, node = NULL, ended = ? WHERE id = ? AND ${isOf} AND ended IS NULL`,
  retry: `UPDATE pw_runs SET status = 'open', epoch = epoch + 1, due = ?, ended = NULL, result = NULL
    WHERE id = ? AND status IN ('failed', 'cancelled')`,
  // The paths are a JSON list.
  forgetOutputs: `DELETE FROM pw_run_outputs WHERE run = ? AND ${isAmong}`,
  forgetBlobs: `DELETE FROM pw_run_blobs WHERE run = ? AND ${isAmong}`,
  forgetWaits: `DELETE FROM pw_run_waits WHERE run = ? AND ${isAmong}`,
  expire: "UPDATE pw_runs SET due = ? WHERE node = ? AND due > ?",
  attend: "INSERT OR REPLACE INTO pw_nodes (node, session) VALUES (?, ?)",
  nodes: "SELECT node, session FROM pw_nodes",
  leave: "DELETE FROM pw_nodes WHERE node = ?",
  nextDue: "SELECT due FROM pw_runs WHERE scope = ? AND plan = ? AND ended IS NULL ORDER BY due, number LIMIT 1",
  list: `SELECT ${listedColumns} FROM pw_runs WHERE (? IS NULL OR status = ?) AND (? IS NULL OR config = ?)
    AND (? IS NULL OR interface = ?) AND (? IS NULL OR (ended IS NULL AND due < ?))
    AND (? IS NULL OR number < (SELECT number FROM pw_runs WHERE id = ?)) AND ${isOf} ORDER BY number DESC LIMIT ?`,
  stuck: `SELECT ${listedColumns} FROM pw_runs WHERE ended IS NULL AND plan NOT IN (SELECT value FROM json_each(?))
    AND ${isOf} ORDER BY number LIMIT ?`,
  prune: `DELETE FROM pw_runs WHERE number IN (SELECT number FROM pw_runs WHERE ended < ? AND ${isOf} LIMIT ?)`,
  forgetKeys: `DELETE FROM pw_run_keys WHERE (config, interface, key) IN (
    SELECT config, interface, key FROM pw_run_keys WHERE until <= ? LIMIT ?)`,
} as const;
