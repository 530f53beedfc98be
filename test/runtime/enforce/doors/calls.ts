import { type Door, http } from "./door.ts";

const jwt = (url: string): string =>
  `- name: A\n  input: a|body|\n  assert:\n    tests:\n      - { value: token, is_valid_jwt: { jwks_url: "${url}" } }`;

/** An action on a server of files that does not answer, so that only a refusal fails it. */
const sftp = (fields: string): string => `- { name: A, sftp: { ${fields}, user: u, password: a|env::ONE|, accept_any_host_key: true } }`;

/** Keys of AWS, and a service that speaks as AWS does. */
const awsKeys = (host = "objects.example"): string =>
  `global:\n  aws_credentials:\n    main: { region: eu-central-1, access_key_id: a|env::ONE|, secret_access_key: a|env::TWO|, endpoint: "http://${host}" }\n`;
const aws = (operation: string): string => `- { name: A, aws: { ${operation} } }`;

/** An account whose key is none, so that only a refusal fails it. */
const google = (fields: string): string =>
  `global: { google_credentials: { push: { client_email: a@b.example, private_key: a|env::ONE|${fields} } } }\n`;

const token = "- name: A\n  google: { create_token: { scopes: [one] } }";

/** Doors of calls by HTTP, of files on other machines, and of what is discovered. */
export const calls: readonly Door[] = [
  {
    name: "a host",
    of: ["http", "hosts"],
    reviewed: http('url: "https://api.example/orders"'),
    changed: http('url: "https://evil.example/orders"'),
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "another port of a host",
    of: ["http"],
    reviewed: http('url: "http://api.example:8080/"'),
    changed: http('url: "http://api.example:8081/"'),
    refused: "host 'api.example:8081' is not listed for interface 'a'",
  },
  {
    name: "the usual port where another one is listed",
    of: ["http"],
    reviewed: http('url: "http://api.example:8080/"'),
    changed: http('url: "http://api.example/"'),
    refused: "host 'api.example' is not listed for interface 'a'",
  },
  {
    name: "a redirect to a host that is not listed",
    of: ["http"],
    reviewed: http('url: "http://api.example/orders"'),
    changed: http('url: "http://api.example/moved"'),
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a proxy",
    of: ["http"],
    reviewed: http('url: "http://api.example/", proxy: "http://proxy.example:3128"'),
    changed: http('url: "http://api.example/", proxy: "http://evil.example:3128"'),
    refused: "host 'evil.example:3128' is not listed for interface 'a'",
  },
  {
    name: "a link to the next page",
    of: ["http"],
    reviewed: http('url: "http://api.example/pages", pagination: { next_link_key: other, payload_key: rows }'),
    changed: http('url: "http://api.example/pages", pagination: { next_link_key: next, next_link_host: evil.example, payload_key: rows }'),
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "an address from data where one was written",
    of: ["http"],
    reviewed: http('url: "http://api.example/"'),
    changed: http('url: "a|body::url|"'),
    body: '{"url":"http://192.0.2.7/"}',
    refused: "host '192.0.2.7' is not listed for interface 'a'",
  },
  {
    name: "a written address where one from data was reviewed",
    of: ["http"],
    reviewed: http('url: "http://a|body::tenant|.example/"'),
    changed: http('url: "http://evil.example/"'),
    body: '{"tenant":"api"}',
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "more hosts in allowed_hosts",
    of: ["http"],
    reviewed: http('url: "a|body::url|", allowed_hosts: [api.example]'),
    changed: http('url: "a|body::other|", allowed_hosts: [api.example, evil.example]'),
    body: '{"url":"http://api.example/","other":"http://evil.example/"}',
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a variable of the configuration",
    of: ["http"],
    global: 'global: { variables: { API: "http://api.example" } }\n',
    changedGlobal: 'global: { variables: { API: "http://evil.example" } }\n',
    reviewed: http('url: "a|var::API|/orders"'),
    changed: http('url: "a|var::API|/orders"'),
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a file of a form",
    of: ["files"],
    reviewed: http('url: "http://api.example/", multipart: [{ name: f, file_path: a|env::FORM| }]'),
    changed: http('url: "http://api.example/", multipart: [{ name: f, file_path: /etc/passwd }]'),
    refused: "file '/etc/passwd' is not listed for interface 'a'",
  },
  {
    name: "a loop",
    of: ["http"],
    reviewed: '- name: L\n  lookup: a|body::list|\n  actions:\n    - name: A\n      http: { url: "http://api.example/" }',
    changed: '- name: L\n  lookup: a|body::list|\n  actions:\n    - name: A\n      http: { url: "http://evil.example/" }',
    body: '{"list":[1]}',
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a set of keys",
    of: ["is_valid_jwt"],
    reviewed: jwt("https://issuer.example/keys"),
    changed: jwt("https://evil.example/keys"),
    body: '{"token":"e30.e30.e30"}',
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a name that is discovered",
    of: ["discover"],
    reviewed: "- name: A\n  discover: { dns: { name: api.example } }",
    changed: "- name: A\n  discover: { dns: { name: evil.example } }",
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "an engine of containers",
    of: ["discover", "files"],
    reviewed: "- name: A\n  discover: { dns: { name: api.example } }",
    changed: "- name: A\n  discover: { docker: { labels: { app: x } } }",
    refused: "file '/var/run/docker.sock' is not listed for interface 'a'",
  },
  {
    name: "the API of a cluster",
    of: ["discover"],
    reviewed: "- name: A\n  discover: { dns: { name: api.example } }",
    changed: "- name: A\n  discover: { kubernetes: { namespace: x } }",
    refused: "host 'cluster.example' is not listed for interface 'a'",
  },
  {
    name: "where tokens of an account are given",
    of: ["google"],
    global: google(""),
    changedGlobal: google(', token_uri: "https://evil.example/token"'),
    reviewed: token,
    changed: token,
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a key file",
    of: ["google", "files"],
    global: google(""),
    changedGlobal: google(", file: /etc/keys/other.json"),
    reviewed: token,
    changed: token,
    refused: "file '/etc/keys/other.json' is not listed for interface 'a'",
  },
  {
    name: "an address in the place of a service of Google",
    of: ["google"],
    global: google(', token_uri: "http://localhost:9/token"'),
    reviewed: "- name: A\n  google: { list_objects: { bucket: one } }",
    changed: '- name: A\n  google: { list_objects: { bucket: one }, endpoint: "https://evil.example" }',
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "another object of a bucket",
    of: ["google", "files"],
    global: google(""),
    reviewed: "- name: A\n  google: { get_signed_upload_url: { bucket: one, key: a } }",
    changed: "- name: A\n  google: { get_signed_upload_url: { bucket: one, key: b } }",
    refused: "file 'b' (get_signed_upload_url) of 'one' is not listed for interface 'a'",
  },
  {
    name: "another bucket",
    of: ["google", "files"],
    global: google(""),
    reviewed: "- name: A\n  google: { list_objects: { bucket: one, prefix: a/ } }",
    changed: "- name: A\n  google: { list_objects: { bucket: two, prefix: a/ } }",
    refused: "file 'a/*' (list_objects) of 'two' is not listed for interface 'a'",
  },
  {
    name: "a server of files",
    of: ["sftp"],
    reviewed: sftp("host: files.test, operation: get, path: /a"),
    changed: sftp("host: evil.example, operation: get, path: /a"),
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "another port of a server of files",
    of: ["sftp"],
    reviewed: sftp("host: files.test, operation: get, path: /a"),
    changed: sftp("host: files.test, port: 2222, operation: get, path: /a"),
    refused: "host 'files.test:2222' is not listed for interface 'a'",
  },
  {
    name: "a file of a server",
    of: ["sftp"],
    reviewed: sftp("host: files.test, operation: get, path: /a"),
    changed: sftp("host: files.test, operation: get, path: /b"),
    refused: "file '/b' (get) of 'files.test' is not listed for interface 'a'",
  },
  {
    name: "an operation on a file of a server",
    of: ["sftp"],
    reviewed: sftp("host: files.test, operation: get, path: /a"),
    changed: sftp("host: files.test, operation: delete, path: /a"),
    refused: "file '/a' (delete) of 'files.test' is not listed for interface 'a'",
  },
  {
    name: "the new path of a file of a server",
    of: ["sftp"],
    reviewed: sftp("host: files.test, operation: rename, path: /a, to: /b"),
    changed: sftp("host: files.test, operation: rename, path: /a, to: /c"),
    refused: "file '/c' (rename) of 'files.test' is not listed for interface 'a'",
  },
  {
    name: "an object",
    of: ["aws"],
    global: awsKeys(),
    reviewed: aws("delete_object: { bucket: shop, key: 'in/a|body::name|' }"),
    changed: aws("delete_object: { bucket: shop, key: 'out/a|body::name|' }"),
    body: '{"name":"a"}',
    refused: "file 'out/a' (delete) of 's3://shop' is not listed for interface 'a'",
  },
  {
    name: "another operation on an object",
    of: ["aws"],
    global: awsKeys(),
    reviewed: aws("delete_object: { bucket: shop, key: a }"),
    changed: aws("get_signed_upload_url: { bucket: shop, key: a }"),
    refused: "file 'a' (put) of 's3://shop' is not listed for interface 'a'",
  },
  {
    name: "a bucket",
    of: ["aws"],
    global: awsKeys(),
    reviewed: aws("delete_object: { bucket: shop, key: a }"),
    changed: aws("delete_object: { bucket: evil, key: a }"),
    refused: "file 'a' (delete) of 's3://evil' is not listed for interface 'a'",
  },
  {
    name: "a service that speaks as AWS does",
    of: ["aws"],
    global: awsKeys(),
    changedGlobal: awsKeys("evil.example"),
    reviewed: aws("delete_object: { bucket: shop, key: a }"),
    changed: aws("delete_object: { bucket: shop, key: a }"),
    refused: "host 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a queue",
    of: ["aws"],
    global: awsKeys(),
    reviewed: aws("delete_object: { bucket: shop, key: a }"),
    changed: aws('send_message: { queue_url: "https://sqs.example/1/evil", body: x }'),
    refused: "topic 'https://sqs.example/1/evil' is not listed for interface 'a'",
  },
];
