import { afterEach, describe, expect, test } from "vitest";
import { systemNames } from "#runtime/outgoing/names.ts";
import { smtpPeer } from "../harness/peers/smtp-peer.ts";
import { type Stub, stub } from "../harness/sockets.ts";
import { closeAll, json, using } from "./opened.ts";
import { type Service, serviceOf, ways } from "./service.ts";
import { inside, namesWith } from "./url-upstreams.ts";

// Data never choose a host inside the network, however they spell it. Nothing here contacts anything outside this machine.

afterEach(closeAll);

const refused = "address not allowed";
const env = (upstream: Stub, more = {}): Record<string, string> => ({ UPSTREAM: upstream.url, PORT: new URL(upstream.url).port, ...more });

describe.each(ways)("%s", (_, way) => {
  const calls = `
name: t
interfaces:
  own: { method: POST, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/own" } }] }
  go: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "a|body::url|" } }] }
  tried: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "a|body::url|" }, retry: { attempts: 5, delay: 60s } }] }
  quiet: { method: POST, actions: [{ name: A, http: { url: "a|body::url|" } }] }
  begun: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "a|body::url|/own" } }] }
  answer: { method: POST, show_error_detail: true, actions: [{ name: B, http: { url: "a|env::UPSTREAM|/link" } }, { name: A, http: { url: "a|B::body.url|" } }] }
  header: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "a|headers::x-to|" } }] }
  kept: { method: POST, show_error_detail: true, actions: [{ name: K, json_output: { u: "a|env::UPSTREAM|" } }, { name: A, http: { url: "a|K::u|/own" } }] }
  table: { method: POST, show_error_detail: true, actions: [{ name: K, json_output: { a: "a|env::UPSTREAM|" } }, { name: A, http: { url: "a|K->access(a|body::k|)|/own" } }] }
  proxied: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "a|body::url|", proxy: "a|env::UPSTREAM|" } }] }
  proxy: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "http://198.51.100.7/", proxy: "a|body::proxy|" } }] }
  socket: { method: POST, show_error_detail: true, actions: [{ name: A, discover: { docker: { socket: "a|body::socket|" }, cache_ttl_secs: 0 } }] }
  mail: { method: POST, show_error_detail: true, actions: [{ name: A, email: { smtp: { server: "a|body::server|", port: "a|body::port|", tls: false }, from: a@example.com, to: b@example.com, text: hi } }] }
`;
  const service = (upstream: Stub, more: Record<string, string> = {}, names = systemNames): Promise<Service> =>
    using(serviceOf(calls, { ...way, env: env(upstream, more) })).then((made) => {
      made.host.resource("names", names);
      return made;
    });
  const error = async (made: Service, path: string, body: unknown, headers = {}): Promise<string> =>
    JSON.parse((await made.ask(path, body, { method: "POST", headers })).text).data.A.error;

  test("no spelling of an address inside is called", async () => {
    const upstream = await inside();
    const made = await service(
      upstream,
      {},
      namesWith({ localhost: [["127.0.0.1", "::1"]], "localhost.": [["127.0.0.1"]], "inside.example": [["10.0.0.7"]] }),
    );
    const { PORT: port } = env(upstream);
    const hosts = [
      ...[
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.1",
        "017700000001",
        "127.0.0.1.",
        "127.000.000.001",
      ],
      ...["0", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]"],
      ...[
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "inside.example",
        "user:pw@127.0.0.1",
        "１２７.０.０.１",
      ],
      ...["127。0。0。1", "%31%32%37.0.0.1", "169.254.169.254", "[fe80::1]", "10.0.0.1", "192.168.0.1"],
    ];
    for (const host of hosts) expect([host, await error(made, "/go", { url: `http://${host}:${port}/own` })]).toEqual([host, refused]);
    expect(await error(made, "/go", { url: `http:\\\\127.0.0.1:${port}/own` })).toBe(refused);
    expect(await error(made, "/go", { url: ` \thttp:127.0.0.1:${port}/own\n` })).toBe(refused);
    expect(await error(made, "/go", { url: "http://[fe80::1%25eth0]/" })).toMatch(/^invalid url /);
    expect(await error(made, "/begun", { url: upstream.url })).toBe(refused);
    expect(await error(made, "/header", {}, { "x-to": upstream.url })).toBe(refused);
    // The request is not tried again, because the wait between two attempts is longer than this test may take.
    expect(await error(made, "/tried", { url: upstream.url })).toBe(refused);
    expect(await error(made, "/quiet", { url: upstream.url })).toBe("action failed");
    expect(upstream.seen).toEqual([]);
  });

  test("what the configuration names is called, also by way of an action and when data choose among it", async () => {
    const upstream = await inside();
    const made = await service(upstream, { PIPEWRIGHT_EGRESS_DENY: "127.0.0.0/8" });
    for (const [path, body] of [
      ["/own", {}],
      ["/kept", {}],
      ["/table", { k: "a" }],
    ] as const)
      expect((await made.ask(path, body)).status, path).toBe(200);
    expect(upstream.seen).toHaveLength(3);
  });

  test("a connection of the configuration serves no data, and a denied one is closed for both", async () => {
    const upstream = await inside();
    const made = await service(upstream);
    expect((await made.ask("/own", {})).status).toBe(200);
    expect(await error(made, "/go", { url: `${upstream.url}/own` })).toBe(refused);
    expect((await made.ask("/own", {})).status).toBe(200);
    expect(upstream.seen).toHaveLength(2);
  });

  test("the answer of a service is data", async () => {
    const upstream = await using(stub((response, { headers }) => json(response, { url: `http://${headers.host}/own` })));
    expect(await error(await service(upstream), "/answer", {})).toBe(refused);
    expect(upstream.seen.map(({ path }) => path)).toEqual(["/link"]);
  });

  test("an operator opens a range", async () => {
    const upstream = await inside();
    const made = await service(
      upstream,
      { PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.0/8" },
      namesWith({ both: [["::1", "10.0.0.1", "127.0.0.1"]] }),
    );
    const { PORT: port } = env(upstream);
    for (const host of ["127.0.0.1", "127.1", "both"])
      expect((await made.ask("/go", { url: `http://${host}:${port}/` })).status, host).toBe(200);
    expect(await error(made, "/go", { url: "http://[::1]:9/" })).toBe(refused);
    expect(upstream.seen).toHaveLength(3);
  });

  test("a name that changes its address between two questions gains nothing", async () => {
    const upstream = await inside();
    // The first answer opens the door where the check is one question and the connection another.
    const names = namesWith({ "rebind.example": [["127.0.0.2"], ["10.0.0.1"]] });
    const made = await service(upstream, { PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.2" }, names);
    const { PORT: port } = env(upstream);
    expect(await error(made, "/go", { url: `http://rebind.example:${port}/` })).toMatch(/^http connect failed: /);
    expect(await error(made, "/go", { url: `http://rebind.example:${port}/` })).toBe(refused);
    expect(upstream.seen).toEqual([]);
  });

  test("a redirect brings an address of its own, unless it stays with the origin that was called", async () => {
    const other = await inside();
    const upstream = await using(
      stub((response, { url, headers }) => {
        const to: Record<string, string> = {
          "/away": other.url,
          "/same": "/end",
          "/back": `http://${headers.host}/end`,
          "/port": `${other.url}/x`,
        };
        const location = to[url ?? ""];
        if (location === undefined) json(response, { n: 1 });
        else response.writeHead(302, { location }).end();
      }),
    );
    const text = (path: string): string =>
      `  ${path}: { method: GET, show_error_detail: true, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/${path}" } }] }`;
    const made = await using(
      serviceOf(`name: t\ninterfaces:\n${["away", "same", "back", "port"].map(text).join("\n")}\n`, { ...way, env: env(upstream) }),
    );
    const answers = await Promise.all(["away", "same", "back", "port"].map(async (path) => (await made.ask(`/${path}`)).text));
    expect(answers.map((answer) => JSON.parse(answer).data.A.error)).toEqual([refused, undefined, undefined, refused]);
    expect(other.seen).toEqual([]);
  });

  test("in the authority data are one label or a port", async () => {
    const upstream = await inside();
    const text = `
name: t
interfaces:
  port: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "http://127.0.0.1:a|body::v|/own" } }] }
  host: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "http://a|body::v|:a|env::PORT|/own" } }] }
  label: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "http://127.0.a|body::v|.1:a|env::PORT|/own" } }] }
  suffix: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "http://a|body::v|.localhost:a|env::PORT|/own" } }] }
  base: { method: POST, show_error_detail: true, actions: [{ name: A, http: { url: "a|env::UPSTREAM|a|body::v|" } }] }
`;
    const made = await using(serviceOf(text, { ...way, env: env(upstream) }));
    made.host.resource("names", namesWith({ inner: [["10.0.0.1"]], "x.localhost": [["127.0.0.1"]] }));
    const { PORT: port = "" } = env(upstream);
    expect((await made.ask("/port", { v: port })).status).toBe(200);
    expect((await made.ask("/port", { v: Number(port) })).status).toBe(200);
    const unsafe = "unsafe part of a host";
    for (const v of [
      `${port}/admin#`,
      `9@127.0.0.1:${port}`,
      `${port}?`,
      `${port}\\`,
      "",
      " ",
      null,
      `@evil.example/`,
      `${port}%2f`,
      [port],
    ])
      expect([v, await error(made, "/port", { v })]).toEqual([v, unsafe]);
    expect(await error(made, "/port", { v: "70000" })).toMatch(/^invalid url /);
    expect(await error(made, "/port", { v: "http" })).toMatch(/^invalid url /);
    for (const v of [
      "127.0.0.1",
      `127.0.0.1:${port}/x?`,
      "//127.0.0.1/",
      "user:pw@x",
      "a.b",
      "[::1]",
      "a/b",
      "é。x",
      "-a",
      "a-",
      "x".repeat(64),
    ])
      expect([v, await error(made, "/host", { v })]).toEqual([v, unsafe]);
    expect(await error(made, "/host", { v: "inner" })).toBe(refused);
    expect(await error(made, "/label", { v: "0" })).toBe(refused);
    expect(await error(made, "/label", { v: `0.1:${port}/admin#` })).toBe(unsafe);
    expect(await error(made, "/suffix", { v: "x" })).toBe(refused);
    expect(await error(made, "/suffix", { v: `//127.0.0.1:${port}/` })).toBe(unsafe);
    for (const v of ["@evil.example/", ".evil.example", "/x", ":1"]) expect([v, await error(made, "/base", { v })]).toEqual([v, unsafe]);
    expect(upstream.seen.map(({ path }) => path)).toEqual(["/own", "/own"]);
  });

  test("members that discover finds are called, and those that a caller lists are not", async () => {
    const upstream = await inside();
    const text = `
name: t
interfaces:
  members:
    method: POST
    actions:
      - { name: Found, discover: { static: ["127.0.0.1"], port: a|body::port|, cache_ttl_secs: 0 } }
      - { name: Some, input: a|Found|, post_transforms: [{ filter: { conditions: { address: { starts_with: "127." } } } }] }
      - { name: Each, lookup: a|Some|, actions: [{ name: Ping, http: { url: "a|body::url|/ping" } }, { name: Parts, http: { url: "http://a|body::address|:a|body::port|/ping" } }] }
  listed:
    method: POST
    show_error_detail: true
    actions:
      - { name: Found, discover: { static: "a|body::hosts|", port: a|body::port|, cache_ttl_secs: 0 } }
      - { name: Each, lookup: a|Found|, lookup_partition: true, actions: [{ name: Ping, http: { url: "a|body::url|/ping" } }] }
`;
    const made = await using(serviceOf(text, { ...way, env: env(upstream) }));
    const { PORT: port } = env(upstream);
    expect((await made.ask("/members", { port: Number(port) })).status).toBe(200);
    expect(upstream.seen).toHaveLength(2);
    const listed = await made.ask("/listed", { hosts: ["127.0.0.1"], port: Number(port) });
    expect(JSON.parse(listed.text).data.Each.data.failed[0].error).toBe(refused);
    expect(upstream.seen).toHaveLength(2);
  });

  test("what connects elsewhere is checked alike: proxies, engines, mail servers", async () => {
    const upstream = await inside();
    const mail = await using(smtpPeer());
    const names = namesWith({ "inside.example": [["198.51.100.7", "10.0.0.7"]], localhost: [["127.0.0.1"]] });
    const made = await service(upstream, {}, names);
    for (const host of ["127.0.0.1", "inside.example", "[::1]"])
      expect([host, await error(made, "/proxied", { url: `http://${host}:9/` })]).toEqual([host, refused]);
    expect(await error(made, "/proxied", { url: "http://unknown.example/" })).toMatch(/ENOTFOUND/);
    for (const proxy of [upstream.url, upstream.url.replace("127.0.0.1", "localhost")])
      expect([proxy, await error(made, "/proxy", { proxy })]).toEqual([proxy, refused]);
    for (const socket of [
      "/var/run/docker.sock",
      `unix:///tmp/x.sock`,
      upstream.url,
      upstream.url.replace("http://127.0.0.1", "tcp://localhost"),
    ])
      expect([socket, await error(made, "/socket", { socket })]).toEqual([socket, refused]);
    for (const server of ["127.0.0.1", "localhost"]) expect(await error(made, "/mail", { server, port: mail.port })).toBe(refused);
    expect([upstream.seen, mail.mails]).toEqual([[], []]);
    const opened = await service(upstream, { PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.1" }, names);
    expect((await opened.ask("/mail", { server: "localhost", port: mail.port })).status).toBe(200);
    expect(mail.mails).toHaveLength(1);
  });
});
