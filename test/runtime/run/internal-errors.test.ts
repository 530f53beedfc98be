import { expect, test } from "vitest";
import { isInternal } from "#runtime/run/end/internal-errors.ts";

// Texts that a caller sees only with `show_error_detail` (spec/language 7.2): they name hosts, files and accounts of the operator.

test.each([
  "http connect failed: getaddrinfo ENOTFOUND shop.internal",
  "http connection lost: other side closed",
  "sftp: connect failed: getaddrinfo ENOTFOUND files.internal",
  "sftp: the host is not the one of host_key (it showed SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8)",
  "email: connect failed: connect ECONNREFUSED 10.0.0.7:587",
  "email: 2 of 3 not sent; row 0: email: connect failed: getaddrinfo ENOTFOUND mail.internal",
  "aws s3: connect failed: getaddrinfo ENOTFOUND store.internal",
  "google storage: connect failed: getaddrinfo ENOTFOUND store.internal",
  "aws: credential_process: /opt/keys --of shop: exit code 1",
  "an AWS file cannot be read: /home/shop/.aws/config",
  "discover: the container engine cannot be reached at /var/run/docker.sock (ENOENT)",
  "discover: the name 'api.internal' cannot be resolved (ESERVFAIL)",
  "discover: the service account may not list pods of 'shop'",
  "agent: the MCP server tools.internal cannot be used: connect ECONNREFUSED 10.0.0.7:80",
])("%s is not shown", (text) => {
  expect(isInternal(text)).toBe(true);
});

test.each([
  "agent: the answer was cut at max_tokens",
  "agent: the service has sent no answer of a model",
  "sftp get: no such file",
  "sftp: the server refused the login",
  "email: a login needs tls",
  "aws s3: 404 NoSuchKey",
  "discover found no members",
  "discover timeout after 5000ms",
])("%s is shown", (text) => {
  expect(isInternal(text)).toBe(false);
});
