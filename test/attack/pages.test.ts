import { afterEach, describe, expect, test } from "vitest";
import { type Stub, stub } from "../harness/sockets.ts";
import { closeAll, json, using } from "./opened.ts";
import { serviceOf, ways } from "./service.ts";

// A service that pages says where the next page is: it leads nowhere that the configuration does not name, and to no address inside.

afterEach(closeAll);

/** A service whose only page names the next one. */
const paging = (next: () => string | null): Promise<Stub> =>
  using(stub((response) => json(response, { next: next(), rows: [{ token: "kept" }] })));

describe.each(ways)("%s", (_, way) => {
  const config = (pagination: string): string => `
name: pages
interfaces:
  t:
    method: POST
    show_error_detail: true
    actions:
      - name: A
        http:
          url: "a|env::UPSTREAM|/"
          bearer_auth: a|env::TOKEN|
          pagination: { next_link_key: next, payload_key: rows${pagination} }
`;
  const outcome = async (pagination: string, env: Record<string, string> = {}) => {
    const elsewhere = await paging(() => null);
    const first = await paging(() => elsewhere.url);
    const host = new URL(elsewhere.url).host;
    const service = await using(serviceOf(config(pagination), { ...way, env: { UPSTREAM: first.url, TOKEN: "t-1", HOST: host, ...env } }));
    const { text } = await service.ask("/t", { host });
    const { error = "none" } = JSON.parse(text).data.A;
    return [error, first.seen.length, elsewhere.seen.length];
  };

  test.each<[string, string, Record<string, string>, readonly unknown[]]>([
    ["no other host is named", "", {}, ["pagination: the next link leads to another host", 1, 0]],
    ["another one is named", ", next_link_host: elsewhere.example.com", {}, ["pagination: the next link leads to another host", 1, 0]],
    ["the configuration names it", ", next_link_host: a|env::HOST|", {}, ["none", 1, 1]],
    ["the request names it, inside of the network", ", next_link_host: a|body::host|", {}, ["address not allowed", 1, 0]],
    ["the same where the operator opens it", ", next_link_host: a|body::host|", { PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.0/8" }, ["none", 1, 1]],
  ])("a link leaves the host: %s", async (_name, pagination, env, expected) => {
    expect(await outcome(pagination, env)).toEqual(expected);
  });
});
