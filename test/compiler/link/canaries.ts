// Secrets with values that occur nowhere else, the configuration that puts them where they could show, and the search for them.

export const canaries = {
  env: "canary-env/3f9a b+c",
  file: "canary-file-77c1é",
  vault: "canary-vault-0b5d",
  command: "canary-command-e4",
  sealed: 'canary-sealed-"91"',
  stored: "canary-stored-5a20",
  key: "canary-key-of-the-admin-api",
};

/** Every interface fails in the ways that are meant to fail. */
export const config = `
name: canary
global:
  variables:
    LOGIN: { token: a|secret::vault::token| }
    SEALED: a|var::ENCRYPTED_SEALED|
  secrets:
    env: { kind: local, data: a|env::CANARY| }
    file: { kind: local, file: token.txt }
    vault: { kind: vault, http: { url: a|env::VAULT|, headers: { x-vault-token: a|secret::env| } } }
    command: { kind: command, data: cat command.txt }
  databases:
    db: { driver: sqlite, conn_string: "sqlite::memory:" }
    broken: { driver: postgres, conn_string: "postgres://svc:a|secret::vault::token|@127.0.0.1:1/a|secret::file|" }
interfaces:
  leak:
    output: cli
    show_error_detail: true
    actions:
      - { name: Field, delay: a|secret::file| }
      - { name: Number, json_output: a|secret::vault::token->to_number| }
      - { name: Address, http: { url: "https://a|secret::command|/a|secret::env|" } }
      - { name: Sent, http: { url: "http://127.0.0.1:1/", headers: { authorization: Bearer a|secret::env| } } }
      - { name: Header, http: { url: "http://127.0.0.1:1/", headers: { "x-a": "a|secret::env|a|body::break|" } } }
      - { name: Statement, database: db, query: "SELECT * FROM a|secret::vault::token->raw|" }
      - { name: Connection, database: broken, query: SELECT 1 }
      - { name: Pattern, json_output: x, assert: { tests: [{ value: a|var::SEALED|, regex: "a|secret::command|(" }] } }
      - { name: Compared, json_output: x, assert: { tests: [{ value: a|secret::file|, is_equal_to: a|secret::stored| }] } }
      - { name: Own, json_output: x, assert: { tests: [{ value: a|body::name|, is_equal_to: other, error_message: "no a|secret::env|" }] } }
      - { name: Missing, json_output: a|secret::vault::none| }
      - { name: Transform, json_output: {}, post_transforms: [{ b64_decode: "a|secret::command|" }] }
      - name: Logs
        json_output: { hidden: 1 }
        pre_log:
          - { msg: "env a|secret::env|, sealed a|var::ENCRYPTED_SEALED|, a|var::LOGIN|, a|secret::stored|" }
          - { msg: '{"of the caller": "a|body|"}', json: true }
        success_log: [{ msg: "a|body::base64| a|body::url| a|body::hex| a|body::json|" }]
    response: { http_code_on_error: 500, custom_body: '{"errors": "a|Field|a|Number|"}' }
  answer:
    output: cli
    show_error_detail: true
    params: { key: { value: a|secret::env|, validate: { is_equal_to: nothing } } }
    actions: []
  envelope:
    output: cli
    show_error_detail: true
    actions:
      - { name: Field, delay: a|secret::file| }
      - { name: Compared, json_output: x, assert: { tests: [{ value: a|secret::vault::token|, is_equal_to: a|secret::stored| }] } }
      - { name: Statement, database: db, query: "SELECT * FROM a|secret::command->raw|" }
`;

/** The interfaces over HTTP, with everything on that remembers runs. */
export const service = config
  .replace("name: canary\n", "name: canary\nexpose_metrics: true\n")
  .replaceAll("output: cli", "method: POST\n    capture: all")
  .replace("  leak:\n", "  leak:\n    route: leak/:secret\n")
  .replace("    actions:\n", '    actions:\n      - { name: Count, emit_metric: { name: hits, labels: { who: "a|secret::env|" } } }\n');

/** Finds the canaries in a text or in bytes, and how each is written there; none of the product's own code takes part in the search. */
export function traces(where: string | Uint8Array): string[] {
  const inText = typeof where === "string";
  const text = inText ? where : Buffer.from(where.buffer, where.byteOffset, where.byteLength).toString("latin1");
  const search = inText ? textSearch : byteSearch;
  // One look for all of them, since an executable has a hundred megabytes.
  return search.any.test(text) ? search.ways.filter(({ written }) => text.includes(written)).map(({ label }) => label) : [];
}

interface Way {
  readonly label: string;
  readonly written: string;
}

/** How a canary may be written in a text. */
function waysInText([name, canary]: readonly [string, string]): Way[] {
  const bytes = Buffer.from(canary);
  const hex = bytes.toString("hex");
  const url = encodeURIComponent(canary);
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .slice(4, -5),
  );
  const forms = {
    plain: canary,
    json: JSON.stringify(canary).slice(1, -1),
    url,
    "lower-case url": url.replace(/%../g, (written) => written.toLowerCase()),
    form: new URLSearchParams({ "": canary }).toString().slice(1),
    hex,
    "upper-case hex": hex.toUpperCase(),
    ...Object.fromEntries(
      base64.flatMap((core, i) => [
        [`base64 at ${i}`, core],
        [`base64url at ${i}`, core.replaceAll("+", "-").replaceAll("/", "_")],
      ]),
    ),
  };
  return Object.entries(forms).map(([form, written]) => ({ label: `${name} as ${form}`, written }));
}

/** The ways in bytes, each shown as the character of its number: V8 keeps texts in one byte or two a character, files are UTF-8. */
const waysInBytes = ({ label, written }: Way): Way[] =>
  [...new Set((["utf8", "latin1", "utf16le"] as const).map((encoding) => Buffer.from(written, encoding).toString("latin1")))].map(
    (shown) => ({ label, written: shown }),
  );

const searchFor = (ways: readonly Way[]) => ({
  ways,
  any: new RegExp([...new Set(ways.map(({ written }) => written.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")))].join("|")),
});
const ways = Object.entries(canaries).flatMap(waysInText);
const textSearch = searchFor(ways);
const byteSearch = searchFor(ways.flatMap(waysInBytes));

/** The request of a caller who knows a secret: it is hidden in logs as well. */
export const echo = {
  base64: Buffer.from(`user:${canaries.env}`).toString("base64"),
  url: encodeURIComponent(canaries.env),
  hex: Buffer.from(canaries.env).toString("hex"),
  json: JSON.stringify(canaries.sealed),
  break: "x\r\ny",
  name: canaries.vault,
};
