import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aws_kms_secret } from "#runtime/features/secret-stores/aws-kms.ts";
import { command_secret } from "#runtime/features/secret-stores/command.ts";
import { local_secret } from "#runtime/features/secret-stores/local.ts";
import { vault_secret } from "#runtime/features/secret-stores/vault.ts";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import { loadSecrets, type SecretSource } from "#runtime/run/around/secrets.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Run } from "#runtime/run/run.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { failure } from "../../harness/database-run.ts";
import { configOf, type Stub, stub } from "../../harness/sockets.ts";

const canary = "canary-8b1f77";
let folder = "";
const stubs: Stub[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-secrets-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all(stubs.splice(0).map((each) => each.close()));
});

async function answering(...args: Parameters<typeof stub>): Promise<Stub> {
  const made = await stub(...args);
  stubs.push(made);
  return made;
}

const target = { name: "t", output: "none", run: () => undefined } as const;

function runOn(host: Host): Run {
  const input = { id: "id", trigger: "cli", method: null, path: null, body: null, raw_body: null, params: {}, headers: {}, ip: {} };
  return new LiveRun(host, configOf(target), target, input);
}

const run = (options: HostOptions = {}): Run => runOn(createHost({ env: {}, ...options }));

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
    expect(await local_secret({ file })).toBe(canary);
  });

  test("what is not there is named neither by path nor by value", async () => {
    expect(await failure(local_secret({ file: join(folder, canary) }))).toBe("evaluation: its file cannot be read (ENOENT)");
    expect(await failure(local_secret({ data: null }))).toBe("evaluation: data is not set");
  });
});

describe("vault", () => {
  const answer = (status: number, body: string) =>
    answering((response) => response.writeHead(status, { "content-type": "application/json" }).end(body));

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

  test("no answer in time", async () => {
    const { url } = await answering(() => undefined);
    expect(await failure(vault_secret({ http: { url, timeout: 30 } }, run()))).toBe("timeout: the vault did not answer in time");
  });
});

describe("aws-kms", () => {
  const keys = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
  const cipherText = Buffer.from("sealed by KMS").toString("base64");
  const decrypting = () =>
    answering((response) =>
      response
        .writeHead(200, { "content-type": "application/x-amz-json-1.1" })
        .end(JSON.stringify({ KeyId: "arn", Plaintext: Buffer.from(canary).toString("base64") })),
    );

  test("the request is signed as a library of its own signs it", async () => {
    const { url, seen } = await decrypting();
    const now = Date.UTC(2026, 0, 2, 3, 4, 5);
    const env = { ...keys, AWS_SESSION_TOKEN: "session", AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL_KMS: url };
    expect(await aws_kms_secret({ data: cipherText }, run({ env, clock: now }))).toBe(canary);
    const [{ method, path, headers, body } = { method: "", path: "", headers: {}, body: "" }] = seen;
    expect([method, path, body]).toEqual(["POST", "/", JSON.stringify({ CiphertextBlob: cipherText })]);
    const oracle = await new AwsV4Signer({
      method,
      url,
      headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "TrentService.Decrypt" },
      body,
      accessKeyId: keys.AWS_ACCESS_KEY_ID,
      secretAccessKey: keys.AWS_SECRET_ACCESS_KEY,
      sessionToken: "session",
      service: "kms",
      region: "eu-west-1",
      datetime: "20260102T030405Z",
      allHeaders: true,
    }).sign();
    expect(headers.authorization).toBe(oracle.headers.get("authorization"));
    expect(headers["x-amz-security-token"]).toBe("session");
  });

  test("credentials and region of files, cipher text of a file", async () => {
    const { url, seen } = await decrypting();
    const [credential_file, config_file, file] = ["credentials", "config", "cipher"].map((name) => join(folder, name));
    writeFileSync(
      credential_file ?? "",
      "[default]\naws_access_key_id = A\naws_secret_access_key = S\n[team]\naws_access_key_id=TEAM\naws_secret_access_key=T\n",
    );
    writeFileSync(config_file ?? "", "[default]\nregion = us-east-1\n[profile team]\nregion = eu-north-1\n");
    writeFileSync(file ?? "", `${cipherText}\n`);
    const settings = { credential_file: credential_file ?? "", config_file: config_file ?? "", file: file ?? "" };
    const env = { AWS_PROFILE: "team", AWS_ENDPOINT_URL: url };
    expect(await aws_kms_secret(settings, run({ env }))).toBe(canary);
    expect(seen[0]?.headers.authorization).toMatch(/Credential=TEAM\/\d{8}\/eu-north-1\/kms\/aws4_request/);
  });

  test("credentials of a container", async () => {
    const { url, seen } = await decrypting();
    const agent = await answering((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"AccessKeyId":"C","SecretAccessKey":"S","Token":"T"}'),
    );
    const env = {
      AWS_SHARED_CREDENTIALS_FILE: join(folder, "none"),
      AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "proof",
      AWS_REGION: "eu-west-1",
      AWS_ENDPOINT_URL_KMS: url,
    };
    expect(await aws_kms_secret({ data: cipherText }, run({ env }))).toBe(canary);
    expect(agent.seen[0]?.headers.authorization).toBe("proof");
    expect(seen[0]?.headers["x-amz-security-token"]).toBe("T");
  });

  test("credentials of a machine, by way of its token", async () => {
    const { url, seen } = await decrypting();
    const machine = await answering((response, { method, url: path = "" }) => {
      if (method === "PUT") response.end("metadata-token");
      else if (path.endsWith("/security-credentials/")) response.end("role-1\n");
      else response.writeHead(200, { "content-type": "application/json" }).end('{"AccessKeyId":"M","SecretAccessKey":"S","Token":"T"}');
    });
    const env = {
      AWS_SHARED_CREDENTIALS_FILE: join(folder, "none"),
      AWS_EC2_METADATA_SERVICE_ENDPOINT: machine.url,
      AWS_REGION: "eu-west-1",
      AWS_ENDPOINT_URL_KMS: url,
    };
    expect(await aws_kms_secret({ data: cipherText }, run({ env }))).toBe(canary);
    expect(machine.seen.map(({ path }) => path)).toEqual([
      "/latest/api/token",
      "/latest/meta-data/iam/security-credentials/",
      "/latest/meta-data/iam/security-credentials/role-1",
    ]);
    expect(machine.seen[2]?.headers["x-aws-ec2-metadata-token"]).toBe("metadata-token");
    expect(seen[0]?.headers.authorization).toContain("Credential=M/");
  });

  test("what KMS refuses is named without its message", async () => {
    const { url } = await answering((response) =>
      response.writeHead(400).end(JSON.stringify({ __type: "com.amazonaws#AccessDeniedException", message: canary })),
    );
    const env = { ...keys, AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL_KMS: url };
    expect(await failure(aws_kms_secret({ data: cipherText }, run({ env })))).toBe("evaluation: KMS answered 400 (AccessDeniedException)");
  });

  test.each<[string, JsonObject, HostOptions["env"], string]>([
    ["no cipher text", { data: "%" }, {}, "its cipher text is not Base64"],
    ["no region", { data: cipherText }, { AWS_CONFIG_FILE: "/nowhere" }, "no AWS region is set"],
    ["a region that would be another host", { data: cipherText, region: "x.evil/" }, {}, "the AWS region is no region"],
    [
      "no credentials",
      { data: cipherText, region: "eu-west-1" },
      { AWS_SHARED_CREDENTIALS_FILE: "/nowhere", AWS_EC2_METADATA_DISABLED: "true" },
      "no AWS credentials were found",
    ],
  ])("%s", async (_, settings, env, expected) => {
    expect(await failure(aws_kms_secret(settings, run({ env: env ?? {} })))).toBe(`evaluation: ${expected}`);
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
