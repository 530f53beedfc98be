import type { Durable } from "#runtime/run/caller.ts";
import type { Refusal } from "#runtime/run/refusals.ts";
import type { Reply } from "#runtime/run/response.ts";
import type { Run } from "#runtime/run/run.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import type { Loaded } from "../7-link/load.ts";

type Parts = Pick<Loaded, "reply" | "conclude" | "background">;

/** A run that the command line has begun. */
export interface Begun {
  /** Resolves when there is an answer, or when the run was cut short. */
  readonly over: Promise<unknown>;
  /** Nobody waits for it any more. */
  readonly cut: (why: "interrupted" | "terminated" | "late") => void;
  /** Ends it, and gives its answer. `why`: it was cut short. */
  readonly end: (why: "late" | "left" | undefined) => Promise<Reply>;
}

/** A run that ends with its process: what it has in flight is aborted when it is cut short. */
export function plainRun(run: Run, { reply, conclude, background }: Parts): Begun {
  run.start();
  return {
    over: run.finish(),
    cut: (why) => (why === "late" ? run.cancel("run timed out") : run.abandon(why)),
    end: async (why) => {
      const answer = await reply(run);
      if (why === undefined) conclude(run, answer.status);
      if (why === "late") conclude(run, 504, {});
      await background(run.host).ended();
      return answer;
    },
  };
}

/**
 * A run of a durable interface (spec/surfaces 14). One that waits for long is answered by 202, and so is one that is cut short: a process
 * that serves the interface goes on with it.
 */
export function storedRun(run: Run, durable: Durable<Run>, { background }: Parts): Begun {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const asker = {
    answer: (reply: Reply): number => {
      resolve(reply);
      return reply.status;
    },
    refuse: ({ status, code }: Refusal): void => resolve(jsonReply(status, { error: code })),
    // A run whose asker listens to this is awaited, and not handed over.
    waits: (): void => undefined,
  };
  durable.begin(run, { asker, hasDeadline: false });
  return {
    over: promise,
    cut: () => resolve(jsonReply(202, { accepted: true, request_id: run.id, waiting: true })),
    end: async (why) => {
      if (why === undefined) await background(run.host).ended();
      return promise;
    },
  };
}

const jsonReply = (status: number, body: JsonObject): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
