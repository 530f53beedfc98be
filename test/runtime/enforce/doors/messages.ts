import { type Door, http } from "./door.ts";

const mail = (server: string, from: string, to: string): string =>
  `- name: A\n  email: { smtp: { server: ${server} }, from: ${from}, to: ${to}, subject: hi, text: hi }`;
const secret = (name: string, settings: string): string => `global:\n  secrets:\n    ${name}: { ${settings} }\n`;
const reads = (name: string): string => http(`url: "http://api.example/", headers: { x-key: "a|secret::${name}|" }`);

/** Doors of commands, messages, mails and secrets. */
export const messages: readonly Door[] = [
  {
    name: "a script",
    of: ["command", "commands"],
    reviewed: "- name: A\n  command: { run: 'true' }",
    changed: "- name: A\n  command: { run: 'true; cat /etc/passwd' }",
    refused: "command 'true; cat /etc/passwd' is not listed for interface 'a'",
  },
  {
    name: "a star in a script is a star",
    of: ["command"],
    reviewed: "- name: A\n  command: { run: 'echo *.txt' }",
    changed: "- name: A\n  command: { run: 'echo; cat /etc/passwd #.txt' }",
    refused: "command 'echo; cat /etc/passwd #.txt' is not listed for interface 'a'",
  },
  {
    name: "a program",
    of: ["command"],
    reviewed: "- name: A\n  command: { run: [echo, a|body|] }",
    changed: "- name: A\n  command: { run: [cat, /etc/passwd] }",
    refused: "command 'cat' of 'program' is not listed for interface 'a'",
  },
  {
    name: "a shell",
    of: ["command"],
    reviewed: "- name: A\n  command: { run: 'true' }",
    changed: "- name: A\n  command: { run: 'true', shell: /bin/bash -c }",
    refused: "command 'true' of '/bin/bash -c' is not listed for interface 'a'",
  },
  {
    name: "a channel",
    of: ["ws_publish", "channels"],
    reviewed: '- name: A\n  ws_publish: { channels: "room/a|body::room|" }',
    changed: '- name: A\n  ws_publish: { channels: "staff/a|body::room|" }',
    body: '{"room":"one"}',
    refused: "channel 'staff/one' is not listed for interface 'a'",
  },
  {
    name: "a channel of more levels",
    of: ["ws_publish"],
    reviewed: '- name: A\n  ws_publish: { channels: "room/a|body::room|" }',
    changed: '- name: A\n  ws_publish: { channels: "room/a|body::room|/admin" }',
    body: '{"room":"one"}',
    refused: "channel 'room/one/admin' is not listed for interface 'a'",
  },
  {
    name: "a topic",
    of: ["mqtt_publish", "topics"],
    reviewed: "- name: A\n  mqtt_publish: { topics: out/one }",
    changed: "- name: A\n  mqtt_publish: { topics: out/two }",
    refused: "topic 'out/two' is not listed for interface 'a'",
  },
  {
    name: "a mail server",
    of: ["email", "mail_servers"],
    reviewed: mail("smtp.example", "us@shop.example", "you@shop.example"),
    changed: mail("evil.example", "us@shop.example", "you@shop.example"),
    refused: "mail server 'evil.example' is not listed for interface 'a'",
  },
  {
    name: "a mail by SES",
    of: ["email"],
    reviewed: mail("smtp.example", "us@shop.example", "you@shop.example"),
    changed: "- name: A\n  email: { aws_ses: true, from: us@shop.example, to: you@evil.example, subject: hi, text: hi }",
    refused: "receiver of mail 'you@evil.example' is not listed for interface 'a'",
  },
  {
    name: "a sender",
    of: ["email", "mail_senders"],
    reviewed: mail("smtp.example", '"Shop <us@shop.example>"', "you@shop.example"),
    changed: mail("smtp.example", '"Shop <boss@shop.example>"', "you@shop.example"),
    refused: "sender of mail 'boss@shop.example' is not listed for interface 'a'",
  },
  {
    name: "a receiver",
    of: ["email", "mail_recipients"],
    reviewed: mail("smtp.example", "us@shop.example", '["A <a@shop.example>", "a|body::who|@shop.example"]'),
    changed: mail("smtp.example", "us@shop.example", '["A <a@shop.example>", "a|body::who|@evil.example"]'),
    body: '{"who":"b"}',
    refused: "receiver of mail 'b@evil.example' is not listed for interface 'a'",
  },
  {
    name: "a secret",
    of: ["secrets", "local"],
    global: "global:\n  secrets:\n    ONE: { kind: local, data: a|env::ONE| }\n    TWO: { kind: local, data: a|env::TWO| }\n",
    reviewed: reads("ONE"),
    changed: reads("TWO"),
    refused: "secret 'TWO' is not listed for interface 'a'",
  },
  {
    name: "the file of a secret",
    of: ["local", "files"],
    global: secret("KEY", "kind: local, file: a|env::KEY_FILE|"),
    changedGlobal: secret("KEY", "kind: local, file: /etc/hostname"),
    reviewed: reads("KEY"),
    changed: reads("KEY"),
    refused: "file '/etc/hostname' is not listed for configuration 'shop'",
  },
  {
    name: "the command of a secret",
    of: ["commands"],
    global: secret("KEY", "kind: command, data: echo one"),
    changedGlobal: secret("KEY", "kind: command, data: echo two"),
    reviewed: reads("KEY"),
    changed: reads("KEY"),
    refused: "command 'echo two' of 'program' is not listed for configuration 'shop'",
  },
  {
    name: "a vault",
    of: ["vault"],
    global: secret("KEY", 'kind: vault, http: { url: "http://vault.example/key" }'),
    changedGlobal: secret("KEY", 'kind: vault, http: { url: "http://evil.example/key" }'),
    reviewed: reads("KEY"),
    changed: reads("KEY"),
    refused: "host 'evil.example' is not listed for configuration 'shop'",
  },
  {
    name: "a key service",
    of: ["aws-kms"],
    global: secret("KEY", "kind: aws-kms, region: eu-central-1, file: a|env::CIPHER|"),
    changedGlobal: secret("KEY", "kind: aws-kms, region: eu-central-1, file: /etc/hostname"),
    reviewed: reads("KEY"),
    changed: reads("KEY"),
    refused: "file '/etc/hostname' is not listed for configuration 'shop'",
  },
];
