import { connect } from "node:net";
import type { Pool, PoolClient } from "pg";
import { deadline, type WorkLimits } from "./deadline.ts";
import { isBroken, PostgresQuery, type Question, type Result } from "./postgres-query.ts";
import { whenRenewed } from "./renew.ts";

/** Renews the session of a connection, so that it is as it was when the connection was opened. */
export type Renew = (client: PoolClient) => Promise<void>;

/** The connection is lent again once its session is renewed, and dropped where renewing fails. */
const giveBackAsNew = (client: PoolClient, renew: Renew): void => whenRenewed(renew(client), (isRenewed) => client.release(!isRenewed));

/**
 * Lends a connection of the pool to one question. When time is up or the run is cancelled the server is told to stop, and the connection is
 * dropped.
 */
export function ask(pool: Pool, question: Question, limits: WorkLimits, renew: Renew): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    let client: PoolClient | undefined;
    let isOver = false;
    const end = (drop: boolean, settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      inTime();
      if (!drop && question.session === true && client !== undefined) giveBackAsNew(client, renew);
      else client?.release(drop);
      settle();
    };
    const inTime = deadline(limits, (why) => {
      if (client !== undefined) cancel(client);
      end(true, () => reject(why));
    });
    pool.connect((failure, lent) => {
      if (lent === undefined) return end(false, () => reject(failure));
      if (isOver) return lent.release();
      client = lent;
      lent.query(
        new PostgresQuery(question, (error, result) => {
          // After an error the state of the transaction is not known yet. A single statement opens no transaction; a batch may have opened
          // one.
          if (error !== undefined)
            return end(isBroken(error) || question.values === undefined || question.session === true, () => reject(error));
          // The next user of the connection must not end up in a transaction of this one.
          if (lent.getTransactionStatus() === "I") return end(false, () => resolve(result));
          end(true, () => reject(new Error("the query left a transaction open; it was rolled back")));
        }),
      );
    });
  });
}

/** Asks the server over a second connection to stop what the first one is doing (the CancelRequest of the protocol). */
export function cancel(client: PoolClient): void {
  const { processID, secretKey, host, port } = client;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80_877_102, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = connect(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  // Best effort: the query has failed already, and the server notices the dropped connection sooner or later.
  socket.on("error", () => undefined);
  socket.setTimeout(5000, () => socket.destroy());
  socket.end(request);
}
