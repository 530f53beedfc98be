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
  /** Cuts the run short, because its caller no longer waits. */
  readonly cut: (why: "interrupted" | "terminated" | "late") => void;
  /** Ends the run, and gives its answer. `why` is the reason if the run was cut short. */
  readonly end: (why: "late" | "left" | undefined) => Promise<Reply>;
}

/** A run that ends with its process: its requests in flight are aborted when it is cut short. */
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
 * A run of a durable interface (spec/surfaces 14). A run that waits for long, or that is cut short, is answered with 202. A process that
 * serves the interface continues it.
 */
export function storedRun(run: Run, durable: Durable<Run>, { background }: Parts): Begun {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const asker = {
    answer: (reply: Reply): number => {
      resolve(reply);
      return reply.status;
    },
    refuse: ({ status, code }: Refusal): void => resolve(jsonReply(status, { error: code })),
    // With this function the durable store keeps the run in this process while it waits, and does not hand it over.
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
