import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, compiled, process, recorded } from "../../harness/captured.ts";
import { stub } from "../../harness/sockets.ts";
import { both, newStore, removeStore, store } from "./capture-store.ts";

// Answers of services in a record, whatever they are written in (spec/surfaces 16).

beforeEach(newStore);
afterEach(removeStore);

const jsonOf = (secret: string): string => JSON.stringify({ access_token: secret, n: 1 });

type Kind = readonly [name: string, headers: Record<string, string>, body: (secret: string) => string | Buffer, rest: string];

const kinds: readonly Kind[] = [
  ["plain", { "content-type": "text/plain" }, jsonOf, ""],
  ["none", {}, jsonOf, ""],
  ["packed", { "content-type": "application/json", "content-encoding": "gzip" }, (secret) => gzipSync(jsonOf(secret)), ""],
  ["marked", { "content-type": "application/json" }, (secret) => `\ufeff${jsonOf(secret)}`, ""],
  ["long", { "content-type": "application/json" }, (secret) => JSON.stringify({ access_token: secret, more: "x".repeat(20_000) }), ""],
  ["lines", { "content-type": "application/x-ndjson" }, (secret) => `${jsonOf(secret)}\n`, ", data_type: ndjson"],
  ["table", { "content-type": "text/csv" }, (secret) => `user,password\nann,${secret}\n`, ", data_type: csv"],
  ["refused", { "content-type": "text/plain" }, jsonOf, ", expect_status: 201"],
  ["form", { "content-type": "application/x-www-form-urlencoded" }, (secret) => `access_token=${secret}&scope=repo`, ""],
];

test.each(both)("a secret in an answer is hidden whatever the answer is written in (%s)", async (_, interpret) => {
  const service = await stub((response, request) => {
    const index = kinds.findIndex(([name]) => request.url === `/${name}`);
    const [, headers, body] = kinds[index] ?? ["", {}, jsonOf];
    response.writeHead(200, headers).end(body(`answered-7f3a9${index}`));
  });
  const found = (name: string): string => `a|${name}::body->to_string|`;
  const actions = kinds.map(
    ([name, , , rest]) => `
      - { name: ${name}, http: { url: "a|env::UPSTREAM|/${name}"${rest} } }
      - { name: of_${name}, json_output: { other: "${found(name)}" }, post_transforms: [{ extract_with_regex: { value: other, expr: "(answered-[0-9a-f]+)", keys: [seen] } }] }`,
  );
  const made = await compiled(`name: answers\ninterfaces:\n  t:\n    method: POST\n    capture: all\n    actions:${actions.join("")}\n`, {
    interpret,
  });
  await process({ env: { ...store.env, UPSTREAM: service.url } }, async (host) => {
    await ask(host, made, "t", { trigger: "http", method: "POST", body: {} });
  });
  await service.close();
  const [run] = await recorded(store.env);
  for (const [name] of kinds)
    expect(run?.actions.find((action) => action.name === `of_${name}`)?.data, name).toMatchObject({ seen: "***" });
  expect(JSON.stringify(run)).not.toContain("answered-7f3a9");
  expect(run?.exchanges?.find(({ call }) => call?.endsWith("/packed"))?.body).toEqual({ access_token: "***", n: 1 });
});

test("an answer that is no text is not kept as one", async () => {
  const service = await stub((response) =>
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(Buffer.from([255, 1])),
  );
  const made = await compiled(`
name: bytes
interfaces:
  t: { method: POST, capture: all, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/" } }] }
`);
  await process({ env: { ...store.env, UPSTREAM: service.url } }, async (host) => {
    await ask(host, made, "t", { trigger: "http", method: "POST", body: {} });
  });
  await service.close();
  const [run] = await recorded(store.env);
  expect(run?.exchanges?.[0]).toMatchObject({ status: 200, hidden: true });
});
