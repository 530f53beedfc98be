import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The configurations that the commands read. */
export const files = {
  "ok.yaml": `name: ok
interfaces:
  one: { output: cli, actions: [{ name: A, json_output: 1 }] }
  wrong: { output: cli, response: { http_code_on_error: 418 }, actions: [{ name: A, json_output: 1, assert: { tests: [{ value: a|A|, is_equal_to: 2 }] } }] }
  web: { method: GET, network: { ip: { deny: [192.0.2.1] }, rate_limit: { requests: 5, window: 1s }, mode: monitor }, actions: [{ name: A, json_output: 1 }] }
  slow: { output: cli, actions: [{ name: A, delay: 30s }] }
`,
  "wrong.yaml": "name: wrong\ninterfaces: { x: { output: cli, colour: red, actions: [] } }\n",
  "unsaid.yaml": "name: unsaid\ninterfaces: { x: { actions: [{ name: A, json_output: 1 }] } }\n",
  "sockets.yaml": "name: sockets\ninterfaces: { live: { ws: reply, actions: [] } }\n",
  "warned.yaml": "name: warned\ninterfaces: { x: { output: none, actions: [] } }\n",
};

/** A new folder with these configurations. */
export function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "pipewright-command-line-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
  for (const name of ["empty", "api/vars"]) mkdirSync(join(made, name), { recursive: true });
  writeFileSync(join(made, "api", "ok.yaml"), files["ok.yaml"].replace("name: ok", "name: api"));
  mkdirSync(join(made, "tests"));
  writeFileSync(join(made, "tests", "ok.test.yaml"), "tests: []\n");
  writeFileSync(join(made, "api", "vars", "production.yaml"), "ENCRYPTED_A: open\n");
  return made;
}

/** A build for another environment. */
export const staging = ["--env", "staging", "--no-executable", "--quiet"];
