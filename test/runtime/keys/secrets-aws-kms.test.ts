import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aws_kms_secret } from "#runtime/features/secret-stores/aws-kms.ts";
import type { HostOptions } from "#runtime/process/host.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { failure } from "../../harness/database-run.ts";
import { answering, canary, cleanUp, folder, newFolder, run } from "./secret-run.ts";

beforeEach(newFolder);
afterEach(cleanUp);

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
      PIPEWRIGHT_ALLOW_METADATA: "true",
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
      PIPEWRIGHT_ALLOW_METADATA: "true",
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
    ["a region that would be another host", { data: cipherText, region: "x.evil/" }, {}, "not an AWS region, such as eu-central-1"],
    [
      "no credentials",
      { data: cipherText, region: "eu-west-1" },
      { AWS_SHARED_CREDENTIALS_FILE: "/nowhere", PIPEWRIGHT_ALLOW_METADATA: "true", AWS_EC2_METADATA_DISABLED: "true" },
      "no AWS credentials were found",
    ],
  ])("%s", async (_, settings, env, expected) => {
    expect(await failure(aws_kms_secret(settings, run({ env: env ?? {} })))).toBe(`evaluation: ${expected}`);
  });
});
