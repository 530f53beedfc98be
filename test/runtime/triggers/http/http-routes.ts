import { configOf, type Got, type Sent, send, served } from "../../../harness/sockets.ts";
import { type Serving, serving } from "./http-serving.ts";

/** A UUID of version 4. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Names of runs that were aborted, and of those that have begun. */
export const aborted: string[] = [];

/** Names of runs that have begun. */
export const begun: string[] = [];

/** The service of these tests. */
export let base: Serving;

/** Sends a request to the server. */
export const ask = (path: string, options?: Sent): Promise<Got> => send(base.url, path, options);

/** Interfaces that say which of them runs, and with what. */
export const config = configOf(
  served("GET", "/w", (cx) => cx.params),
  served("POST", "/echo", (cx) => [cx.body, cx.raw_body]),
  served("ANY", "/any", (cx) => cx.request.method ?? null),
  served("GET", "/things", () => "list"),
  served("POST", "/things", () => "make"),
  served("GET", "/users/:id/posts/{post}", (cx) => cx.params),
  served("GET", "/users/me/posts/:post", (cx) => ["me", cx.params]),
  served("GET", "/files/*path", (cx) => cx.params),
  served("GET", "/request", (cx) => cx.request),
  served("GET", "/", (cx) => cx.request),
  served("GET", "/ip", (cx) => cx.ip),
  served("GET", "/slow", async (cx) => {
    begun.push("slow");
    cx.signal.addEventListener("abort", () => aborted.push("slow"));
    await cx.host.sleep(20_000, cx.signal);
    return null;
  }),
  served("GET", "/late", async () => "late"),
  {
    ...served("GET", "/then", () => null),
    run: (cx) => {
      cx.act("A", {}, async (act) => {
        begun.push("then");
        await cx.host.sleep(20_000, act.signal);
        return null;
      });
      cx.act("B", {}, () => {
        aborted.push("went on");
        return null;
      });
    },
  },
  {
    ...served("GET", "/shaped", (cx) => cx.params),
    run: (cx) => {
      const { h, sniff, status = "200", body = "ok" } = cx.params;
      cx.act(
        "A",
        {
          response_on_success: () => ({
            http_code: Number(status),
            headers: { "x-h": h ?? null, "X-Content-Type-Options": sniff ?? null, "Content-Length": "999" },
            body: { text: String(body), type: "text/plain" },
          }),
        },
        () => null,
      );
    },
  },
  {
    ...served("GET", "/bug", () => null),
    run: () => {
      throw new Error("secret detail");
    },
  },
  {
    ...served("GET", "/late-bug", () => null),
    run: (cx) => {
      const success_log = (): never => {
        throw new Error("secret detail");
      };
      cx.act("Waits", { success_log }, async () => null);
      cx.act("Never", {}, () => null);
    },
  },
);

/** Serves the routes of these tests. */
export async function start(): Promise<void> {
  base = await serving(config, { maxBodyBytes: 1_000, runTimeoutMs: 5_000 });
}

/** Ends the service. */
export async function stop(): Promise<void> {
  await base.trigger.drain(0, 0);
}
