import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, send, sendRaw, served } from "../../../harness/sockets.ts";
import { until } from "../../../harness/until.ts";
import { aborted, ask, base, begun, config, start, stop, uuid } from "./http-routes.ts";
import { dataOf, serving } from "./http-serving.ts";

beforeAll(start);
afterAll(stop);

describe("runs", () => {
  test("one that waits is answered too", async () => {
    expect(dataOf(await ask("/late"))).toBe("late");
  });

  test("its time is limited", async () => {
    aborted.length = 0;
    const short = await serving(config, { runTimeoutMs: 40 });
    expect(await send(short.url, "/slow")).toMatchObject({
      status: 504,
      text: '{"error":"timeout"}',
      headers: { "x-request-id": expect.stringMatching(uuid) },
    });
    expect(aborted).toEqual(["slow"]);
    await short.trigger.drain(0, 1_000);
  });

  test("a client that goes away cancels it", async () => {
    for (const names of [aborted, begun]) names.length = 0;
    const client = new AbortController();
    const asked = ask("/slow", { signal: client.signal });
    void until(() => expect(begun).toEqual(["slow"])).then(() => client.abort());
    await expect(asked).rejects.toThrow();
    await expect.poll(() => aborted).toEqual(["slow"]);
    expect((await ask("/w")).status).toBe(200);
  });

  test("what has been cancelled does no more", async () => {
    for (const names of [aborted, begun]) names.length = 0;
    const controller = new AbortController();
    const asked = ask("/then", { signal: controller.signal });
    void until(() => expect(begun).toEqual(["then"])).then(() => controller.abort());
    await expect(asked).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(aborted).toEqual([]);
  });

  test("headers of a reply, framing excepted", async () => {
    expect(await ask("/shaped?h=v&body=abc")).toMatchObject({ status: 200, text: "abc", headers: { "x-h": "v", "content-length": "3" } });
    const { headers } = await ask("/shaped?status=204");
    expect(headers).not.toHaveProperty("content-length");
    expect(headers).not.toHaveProperty("content-type");
  });

  test.each(["/shaped?h=a%0d%0ax-evil:1", "/shaped?h=%00", "/shaped?status=101"])("%s cannot be sent: 500", async (path) => {
    const { status, headers, text } = await ask(path);
    expect([status, text, headers["x-evil"]]).toEqual([500, '{"error":"response failed"}', undefined]);
    expect(base.logged.at(-1)).toBe("error PW909 the response is no valid HTTP message");
    expect(await sendRaw(base.url, `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 500 Internal Server Error\r\n/,
    );
  });

  test.each(["/bug", "/late-bug"])("%s of ours tells the caller nothing, and the process lives", async (path) => {
    expect(await ask(path)).toMatchObject({ status: 500, text: '{"error":"internal_error"}' });
    expect(base.logged.at(-1)).toBe("critical unexpected error in a run");
    expect((await ask("/w")).status).toBe(200);
  });
});

describe("drain", () => {
  test("says so, finishes what is under way, then ends", async () => {
    let finish: (value: string) => void = () => undefined;
    const waiting = served("GET", "/wait", () => new Promise<string>((resolve) => (finish = resolve)));
    const { url, trigger } = await serving(configOf(waiting));
    const answer = send(url, "/wait");
    await expect.poll(() => finish.length).toBe(1);
    const drained = trigger.drain(80, 5_000);
    expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"draining"}' });
    await expect
      .poll(() =>
        send(url, "/livez").then(
          () => "served",
          () => "refused",
        ),
      )
      .toBe("refused");
    finish("done");
    const got = await answer;
    expect([dataOf(got), got.headers.connection]).toEqual(["done", "close"]);
    expect(await drained).toBe(true);
  });

  test("does not wait for ever", async () => {
    const { url, trigger } = await serving(config);
    const answer = send(url, "/slow");
    answer.catch(() => undefined);
    await expect.poll(() => send(url, "/w").then(({ status }) => status)).toBe(200);
    expect(await trigger.drain(0, 50)).toBe(false);
    await expect(answer).rejects.toThrow();
  });
});

test("/readyz names what does not answer to who has a key, and to the log", async () => {
  const [key, wrong] = ["key-of-the-organisation", "key-of-nobody-else-here"];
  const { url, trigger, logged } = await serving(config, {}, { unmet: async () => ["database main of t"], keys: [key] });
  const ready = (headers: Record<string, string>) => send(url, "/readyz", { headers });
  const named = { status: 503, text: '{"status":"unready","unmet":["database main of t"]}' };
  for (const headers of [{}, { authorization: `Bearer ${wrong}` }, { authorization: "Bearer" }, { "x-api-key": "" }])
    expect(await ready(headers)).toMatchObject({ status: 503, text: '{"status":"unready"}' });
  expect(await ready({ authorization: `Bearer ${key}` })).toMatchObject(named);
  expect(await ready({ "x-api-key": key })).toMatchObject(named);
  expect(logged.filter((line) => line.includes("ready"))).toEqual(["warn not ready"]);
  // An address that tries keys is not heard for a while, whatever it tries.
  for (let i = 0; i < 10; i++) await ready({ "x-api-key": `guess-${i}` });
  expect(await ready({ "x-api-key": key })).toMatchObject({ text: '{"status":"unready"}' });
  await trigger.drain(0, 0);
});
