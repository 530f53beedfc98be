import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CredentialArgs } from "#runtime/features/actions/aws/schema.ts";
import { aws } from "#runtime/features/actions/aws.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import type { AwsPeer } from "../../../harness/peers/aws-peer.ts";
import { actOn } from "../../../harness/sockets.ts";
import { clock, closePeers, peer } from "./aws-run.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-aws-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await closePeers();
});

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** The environment of a machine that has no other credentials. */
const bare = (at: AwsPeer): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL: at.url,
  AWS_REGION: "eu-central-1",
  AWS_SHARED_CREDENTIALS_FILE: "/nowhere",
  AWS_CONFIG_FILE: "/nowhere",
});
const closed = "no AWS credentials were found; those of the container or machine need PIPEWRIGHT_ALLOW_METADATA=true";
const keys = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

/** Deletes an object with these credentials, and gives the failure. */
async function deletes(host: Host, credential: CredentialArgs = {}): Promise<string | undefined> {
  const made = await actOn(host, (each) => aws(each, { credential, delete_object: { bucket: "shop", key: "a" } }));
  return made.error;
}

async function once(at: AwsPeer, env: Readonly<Record<string, string>>, credential: CredentialArgs = {}): Promise<string | undefined> {
  const host = createHost({ clock, env: { ...bare(at), ...env } });
  try {
    return await deletes(host, credential);
  } finally {
    await host.close();
  }
}

/** The access key and the token of the requests to S3. */
const used = ({ seen }: AwsPeer): Json =>
  seen.flatMap(({ service, headers, refusal }) =>
    service === "s3" && refusal === undefined
      ? [[/Credential=([^/]+)/.exec(headers.authorization ?? "")?.[1] ?? null, headers["x-amz-security-token"] ?? null]]
      : [],
  );

describe("credentials come from", () => {
  test("the environment", async () => {
    const at = await peer();
    expect(await once(at, { ...keys, AWS_SESSION_TOKEN: "t" })).toBeUndefined();
    expect(used(at)).toEqual([["AKIDEXAMPLE", "t"]]);
  });

  test("a profile, which goes before the environment where it is named", async () => {
    const at = await peer();
    at.keys.set("TEAM", "s");
    const AWS_SHARED_CREDENTIALS_FILE = file("credentials", "[team]\naws_access_key_id=TEAM\naws_secret_access_key=s\n");
    expect(await once(at, { ...keys, AWS_SHARED_CREDENTIALS_FILE }, { profile: "team" })).toBeUndefined();
    expect(await once(at, { AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE: "team" })).toBeUndefined();
    expect(used(at)).toEqual([
      ["TEAM", null],
      ["TEAM", null],
    ]);
    expect(await once(at, { ...keys, AWS_SHARED_CREDENTIALS_FILE }, { profile: "nobody" })).toBe("no AWS credentials were found");
  });

  test("a process, where commands are allowed", async () => {
    const at = await peer();
    at.keys.set("PROC", "s");
    const program = file("give", `#!/bin/sh\n[ "$1" = "a b" ] && echo '{"Version":1,"AccessKeyId":"PROC","SecretAccessKey":"s"}'\n`);
    chmodSync(program, 0o755);
    const AWS_CONFIG_FILE = file("config", `[default]\ncredential_process = ${program} "a b"\n`);
    expect(await once(at, { AWS_CONFIG_FILE })).toBe("aws: credential_process needs PIPEWRIGHT_ALLOW_COMMANDS");
    expect(await once(at, { AWS_CONFIG_FILE, PIPEWRIGHT_ALLOW_COMMANDS: "true" })).toBeUndefined();
    expect(used(at)).toEqual([["PROC", null]]);
    const other = file("config", `[default]\ncredential_process = ${program} x\n`);
    expect(await once(at, { AWS_CONFIG_FILE: other, PIPEWRIGHT_ALLOW_COMMANDS: "true" })).toBe("aws: credential_process ended with 1");
  });

  test("a web identity", async () => {
    const at = await peer();
    const AWS_WEB_IDENTITY_TOKEN_FILE = file("token", "web-token\n");
    const role = { AWS_ROLE_ARN: "arn:aws:iam::1:role/r", AWS_WEB_IDENTITY_TOKEN_FILE };
    expect(await once(at, role)).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(at.seen[0]?.body.toString()))).toEqual({
      ...{ Action: "AssumeRoleWithWebIdentity", Version: "2011-06-15", RoleArn: "arn:aws:iam::1:role/r", RoleSessionName: "pipewright" },
      WebIdentityToken: "web-token",
    });
    expect(used(at)).toEqual([["ASIA1", "token of ASIA1"]]);
    file("token", "stolen");
    expect(await once(at, role)).toBe("aws sts: 403 AccessDenied: not you (request STS1)");
  });

  test("a role that keys, or a profile, may assume", async () => {
    const at = await peer();
    const role = { role_arn: "arn:aws:iam::1:role/r", external_id: "x", role_session_name: "shop" };
    expect(await once(at, keys, role)).toBeUndefined();
    expect(new URLSearchParams(at.seen[0]?.body.toString()).get("ExternalId")).toBe("x");
    const config = `[profile a]\nrole_arn=arn:aws:iam::1:role/a\nsource_profile=b\n[profile b]\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=${keys.AWS_SECRET_ACCESS_KEY}\n`;
    expect(await once(at, { AWS_CONFIG_FILE: file("config", config) }, { profile: "a" })).toBeUndefined();
    expect(used(at)).toEqual([
      ["ASIA1", "token of ASIA1"],
      ["ASIA2", "token of ASIA2"],
    ]);
    const circle = "[profile a]\nrole_arn=r\nsource_profile=b\n[profile b]\nrole_arn=r\nsource_profile=a\n";
    expect(await once(at, { AWS_CONFIG_FILE: file("config", circle) }, { profile: "a" })).toBe("aws: the profiles lead to each other");
  });

  test("an agent of a container, which is near or speaks TLS", async () => {
    const at = await peer();
    const open = { PIPEWRIGHT_ALLOW_METADATA: "true" };
    expect(await once(at, { ...open, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://192.0.2.1/" })).toBe(
      "aws: the address of the container credentials is not allowed",
    );
    at.keys.set("BOX", "s");
    at.answer = ({ target, headers }, response) =>
      target === "/agent" &&
      headers.authorization === "proof" &&
      Boolean(response.end('{"AccessKeyId":"BOX","SecretAccessKey":"s","Token":"t"}'));
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${at.url}/agent`, AWS_CONTAINER_AUTHORIZATION_TOKEN: "proof" };
    expect(await once(at, env)).toBe(closed);
    expect(at.seen).toEqual([]);
    expect(await once(at, { ...env, ...open })).toBeUndefined();
    expect(used(at)).toEqual([["BOX", "t"]]);
  });

  test("a machine, where the operator allows it; what it gives is not believed", async () => {
    const at = await peer();
    const answers = new Map<string, string>([
      ["/latest/api/token", "token"],
      ["/latest/meta-data/iam/security-credentials/", "a/../b"],
      ["/latest/meta-data/iam/security-credentials/a%2F..%2Fb", '{"AccessKeyId":7,"SecretAccessKey":"s"}'],
    ]);
    at.answer = ({ target }, response) => answers.has(target) && Boolean(response.end(answers.get(target)));
    const machine = { AWS_EC2_METADATA_SERVICE_ENDPOINT: at.url };
    const env = { ...machine, PIPEWRIGHT_ALLOW_METADATA: "true" };
    expect(await once(at, machine)).toBe(closed);
    expect(await once(at, { ...machine, PIPEWRIGHT_ALLOW_METADATA: "yes", AWS_EC2_METADATA_DISABLED: "false" })).toBe(closed);
    expect(await once(at, { ...env, AWS_EC2_METADATA_DISABLED: "true" })).toBe("no AWS credentials were found");
    expect(at.seen).toEqual([]);
    expect(await once(at, env)).toBe("no AWS credentials were found");
    expect(at.seen.map(({ target }) => target)).toEqual([...answers.keys()]);
    for (const hostile of ["a\r\nx: y", "x".repeat(70_000), ""]) {
      answers.set("/latest/api/token", hostile);
      expect(await once(at, env)).toBe("no AWS credentials were found");
    }
  });
});

describe("temporary credentials", () => {
  const session = (at: AwsPeer) => ({ env: { ...bare(at), AWS_ROLE_ARN: "r", AWS_WEB_IDENTITY_TOKEN_FILE: file("token", "web-token") } });

  test("are fetched by one run for many, and kept", async () => {
    const at = await peer();
    const host = createHost({ clock, ...session(at) });
    expect(await Promise.all(Array.from({ length: 20 }, () => deletes(host)))).toEqual(Array.from({ length: 20 }));
    await deletes(host);
    expect(at.keys.size).toBe(2);
    await host.close();
  });

  test("are fetched again shortly before they end; old ones serve while that fails", async () => {
    const at = await peer();
    let now = clock;
    const host = { ...createHost({ clock, ...session(at) }), now: () => now };
    await deletes(host);
    now += 3_600_000 - 300_001;
    at.clock = now;
    await deletes(host);
    expect(at.keys.size).toBe(2);
    now += 2;
    at.answer = ({ body }, response) => body.toString().startsWith("Action=AssumeRole") && Boolean(response.writeHead(500).end());
    expect(await deletes(host)).toBeUndefined();
    at.answer = () => false;
    await deletes(host);
    expect(at.keys.size).toBe(3);
    expect(used(at)).toHaveLength(4);
    await host.close();
  });

  test("that ended early are fetched once more", async () => {
    const at = await peer();
    let refusals = 1;
    at.answer = ({ service }, response) => {
      if (service !== "s3" || refusals-- <= 0) return false;
      response.writeHead(400).end("<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>");
      return true;
    };
    const host = createHost({ clock, ...session(at) });
    expect(await deletes(host)).toBeUndefined();
    expect(at.keys.size).toBe(3);
    refusals = 9;
    expect(await deletes(host)).toBe("aws s3: 400 ExpiredToken: The token has expired.");
    await host.close();
  });

  test("are in no record of a run", async () => {
    const at = await peer();
    at.answer = ({ target }, response) => target.startsWith("/latest") && Boolean(response.end("token"));
    const env = { ...session(at).env, AWS_CONFIG_FILE: file("config", "[profile a]\nrole_arn=r\nsource_profile=b\n[profile b]\n") };
    const calls: string[] = [];
    const called = (_: unknown, { url }: { readonly url: URL }) => calls.push(url.pathname);
    for (const more of [{}, { AWS_ROLE_ARN: "", PIPEWRIGHT_ALLOW_METADATA: "true", AWS_EC2_METADATA_SERVICE_ENDPOINT: at.url }]) {
      const host = createHost({ clock, env: { ...env, ...more } });
      for (const credential of [{}, { role_arn: "r" }])
        await actOn(
          host,
          (each) => aws(each, { credential, delete_object: { bucket: "shop", key: "a" } }),
          (run) => Object.assign(run.shared, { exchanges: { called, asked: () => undefined } }),
        );
      await host.close();
    }
    expect(at.seen.length).toBeGreaterThan(8);
    expect(calls).toEqual(["/shop/a", "/shop/a"]);
  });

  test("and keys are seen in no log", async () => {
    const at = await peer();
    const lines: string[] = [];
    const log = (...record: readonly unknown[]) => lines.push(JSON.stringify(record));
    const host = createHost({ clock, ...session(at), log: (level, msg, fields) => log(level, msg, fields), logLevel: "debug" });
    at.answer = ({ service, headers }, response) =>
      service === "s3" &&
      Boolean(
        response
          .writeHead(403)
          .end(`<Error><Code>Denied</Code><Message>secret of ASIA1 ${headers["x-amz-security-token"]}</Message></Error>`),
      );
    const error = await deletes(host);
    host.log("error", error ?? "");
    expect(lines.join("\n")).toContain("Denied");
    expect(lines.join("\n")).not.toMatch(/of ASIA1/);
    await host.close();
  });
});

test("a call is measured, one for credentials is not", async () => {
  const at = await peer();
  const called: Json[] = [];
  const metrics = () => ({ called: (of: Json) => called.push(of) });
  const env = { ...bare(at), AWS_ROLE_ARN: "r", AWS_WEB_IDENTITY_TOKEN_FILE: file("token", "web-token") };
  const host = createHost({ clock, env });
  await actOn(
    host,
    (each) => aws(each, { credential: { role_arn: "r" }, delete_object: { bucket: "shop", key: "a" } }),
    (run) => Object.assign(run.config, { metrics }),
  );
  await host.close();
  expect(at.seen).toHaveLength(3);
  expect(called).toEqual([{ config: "t", interface: "t", action: "A" }]);
});
