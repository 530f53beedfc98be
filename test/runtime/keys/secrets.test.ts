import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { command_secret } from "#runtime/features/secret-stores/command.ts";
import { local_secret } from "#runtime/features/secret-stores/local.ts";
import { vault_secret } from "#runtime/features/secret-stores/vault.ts";
import { createHost } from "#runtime/process/host.ts";
import { loadSecrets, type SecretSource } from "#runtime/run/around/secrets.ts";
import type { Run } from "#runtime/run/run.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { failure } from "../../harness/database-run.ts";
import { answering, canary, cleanUp, folder, newFolder, run, runOn } from "./secret-run.ts";

beforeEach(newFolder);
afterEach(cleanUp);

/** The value that a run reads after it has loaded the secret, or the text of the failure. */
async function read(source: SecretSource, cx: Run): Promise<Json> {
  await loadSecrets(cx, source);
  try {
    return cx.secret(source.name);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const source = (store: SecretSource["store"], settings: JsonObject = {}, format: SecretSource["format"] = "raw"): SecretSource => ({
  name: "s",
  store,
  format,
  settings: () => settings,
});

describe("a secret is kept for its ttl", () => {
  /** A store that counts, on a host whose clock the test moves. */
  function counting(ttl: Json) {
    const clock = { ms: 0, calls: 0, broken: false };
    const host = { ...createHost({ env: {} }), monotonic: () => clock.ms };
    const store = async (): Promise<Json> => {
      clock.calls += 1;
      if (clock.broken) return vault_secret({ http: { url: "http://127.0.0.1:1" } }, runOn(host));
      return `value ${clock.calls}`;
    };
    return { clock, host, counted: source(store, ttl === null ? {} : { ttl }) };
  }

  test("then it is fetched again, by default after five minutes", async () => {
    const { clock, host, counted } = counting(null);
    expect(await read(counted, runOn(host))).toBe("value 1");
    clock.ms = 299_999;
    expect(await read(counted, runOn(host))).toBe("value 1");
    clock.ms = 300_000;
    expect(await read(counted, runOn(host))).toBe("value 2");
    expect(clock.calls).toBe(2);
  });

  test("runs that need it at once share one request", async () => {
    const { clock, host, counted } = counting(1000);
    expect(await Promise.all([1, 2, 3].map(() => read(counted, runOn(host))))).toEqual(["value 1", "value 1", "value 1"]);
    expect(clock.calls).toBe(1);
  });

  test("a refresh that fails keeps the value until it is twice as old, then fails, and mends", async () => {
    const { clock, host, counted } = counting(1000);
    await read(counted, runOn(host));
    clock.broken = true;
    clock.ms = 1999;
    expect(await read(counted, runOn(host))).toBe("value 1");
    clock.ms = 2000;
    expect(await read(counted, runOn(host))).toMatch(/^interpolation secret: s: http connect failed: /);
    clock.broken = false;
    expect(await read(counted, runOn(host))).toBe("value 4");
  });

  test("at hand, nothing is awaited", async () => {
    const { host, counted } = counting(1000);
    await read(counted, runOn(host));
    expect(loadSecrets(runOn(host), counted)).toBeUndefined();
  });
});

describe("formats", () => {
  test.each<[SecretSource["format"], Json, Json]>([
    ["raw", "A=1\n", "A=1\n"],
    ["raw", "", "interpolation secret: s: it is empty"],
    ["raw", { k: [1] }, { k: [1] }],
    ["equal", "# c\n A = 1 \r\n\r\nB=two=2\nC=\n__proto__=x", JSON.parse('{"A":"1","B":"two=2","C":"","__proto__":"x"}')],
    ["equal", `A=1\n${canary}`, "interpolation secret: s: line 2 is not KEY=VALUE"],
    ["equal", "=x", "interpolation secret: s: line 1 is not KEY=VALUE"],
    ["json", '{"a":[1]}', { a: [1] }],
    ["json", `{"${canary}`, "interpolation secret: s: it is not valid JSON"],
  ])("%s of %j", async (format, data, expected) => {
    expect(await read(source(local_secret, { data }, format), run())).toEqual(expected);
  });
});

describe("local", () => {
  test("a file, without the line break at its end", async () => {
    const file = join(folder, "token");
    writeFileSync(file, `${canary}\n`);
    expect(await local_secret({ file }, run())).toBe(canary);
  });

  test("what is not there is named neither by path nor by value", async () => {
    expect(await failure(local_secret({ file: join(folder, canary) }, run()))).toBe("evaluation: its file cannot be read (ENOENT)");
    expect(await failure(local_secret({ data: null }, run()))).toBe("evaluation: data is not set");
  });
});

describe("vault", () => {
  const answer = (status: number, body: string, type = "application/json") =>
    answering((response) => response.writeHead(status, { "content-type": type }).end(body));

  test.each<[string, Json, Json]>([
    ["version 2", { data: { data: { pw: "x" }, metadata: { version: 1 } } }, { pw: "x" }],
    ["version 1", { data: { pw: "x" } }, { pw: "x" }],
    ["a scalar in data", { data: "x" }, "x"],
    ["anything else", { pw: "x" }, { pw: "x" }],
  ])("%s", async (_, body, expected) => {
    const { url } = await answer(200, JSON.stringify(body));
    expect(await vault_secret({ http: { url } }, run())).toEqual(expected);
  });

  test.each<[number, string]>([
    [400, "transport: the vault refused the request (400)"],
    [403, "transport: the vault denied access (403)"],
    [404, "transport: the vault does not know it (404)"],
    [429, "transport: the vault is too busy or a standby (429)"],
    [473, "transport: the vault is a standby (473)"],
    [501, "transport: the vault is not initialized (501)"],
    [503, "transport: the vault is sealed or under maintenance (503)"],
    [418, "transport: the vault answered 418"],
  ])("status %i", async (status, expected) => {
    const { url } = await answer(status, JSON.stringify({ errors: [canary] }));
    expect(await failure(vault_secret({ http: { url, headers: { "x-vault-token": canary } } }, run()))).toBe(expected);
  });

  test.each(['{"data":{"data":null}}', '{"data":null}', "", '""'])("nothing in %j", async (body) => {
    const { url } = await answer(200, body);
    expect(await failure(vault_secret({ http: { url } }, run()))).toBe("evaluation: the vault has no value for it");
  });

  test.each([
    ["application/json", `{"data":{"pw":"${canary}`],
    ["application/vault+json; charset=utf-8", ` { "data":"${canary}`],
    ["text/html; charset=utf-8", "<html>Log in</html>"],
    ["application/xhtml+xml", "<html/>"],
  ])("what is no secret, in %s: %s", async (type, body) => {
    const { url } = await answer(200, body, type);
    expect(await failure(vault_secret({ http: { url } }, run()))).toBe("transport: the vault gave no JSON");
  });

  test.each([
    ["application/json", '"{pw"', "{pw"],
    ["application/json", '"x"', "x"],
    ["text/plain", "{pw", "{pw"],
  ])("a text, in %s: %s", async (type, body, expected) => {
    const { url } = await answer(200, body, type);
    expect(await vault_secret({ http: { url } }, run())).toBe(expected);
  });

  test("no answer in time", async () => {
    const { url } = await answering(() => undefined);
    expect(await failure(vault_secret({ http: { url, timeout: 30 } }, run()))).toBe("timeout: the vault did not answer in time");
  });
});

describe("command", () => {
  const allowed = { env: { PIPEWRIGHT_ALLOW_COMMANDS: "true" } };

  test("refused unless the operator allows commands", async () => {
    for (const value of [undefined, "", "1", "false"])
      expect(await failure(command_secret({ data: "echo x" }, run({ env: { PIPEWRIGHT_ALLOW_COMMANDS: value } })))).toBe(
        "evaluation: commands are not allowed (PIPEWRIGHT_ALLOW_COMMANDS)",
      );
  });

  test("words are passed as they are, a shell reads the line only when asked", async () => {
    expect(await command_secret({ data: `printf %s 'a b' "$HOME" c\\ d` }, run(allowed))).toBe("a b$HOMEc d");
    expect(await command_secret({ data: "echo one; echo $((1+1))", shell: "/bin/sh" }, run(allowed))).toBe("one\n2");
  });

  test("what is the service's own stays with it", async () => {
    const env = { ...allowed.env, PIPEWRIGHT_MASTER_KEY: canary, REGION: "north", PATH: process.env.PATH };
    const printed = await command_secret({ data: "env" }, run({ env }));
    expect(printed).toContain("REGION=north");
    expect(printed).not.toContain(canary);
  });

  test.each<[JsonObject, string]>([
    [{ data: "  " }, "evaluation: data is no command line"],
    [{ data: "echo 'open" }, "evaluation: data is no command line"],
    [{ data: `/nowhere/${canary}` }, "evaluation: its command cannot be started (ENOENT)"],
    [{ data: `echo ${canary} >&2; exit 3`, shell: "/bin/sh" }, "evaluation: its command ended with 3"],
    [{ data: "kill -TERM $$", shell: "/bin/sh" }, "evaluation: its command ended by SIGTERM"],
    [{ data: "head -c 2000000 /dev/zero" }, "evaluation: its command printed more than 1048576 bytes"],
  ])("%j fails", async (settings, expected) => {
    expect(await failure(command_secret(settings, run(allowed)))).toBe(expected);
  });
});
