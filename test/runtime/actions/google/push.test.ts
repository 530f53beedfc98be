import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { bundled } from "../../../harness/bundled.ts";
import { planned, printOne } from "../../../harness/compile.ts";
import { googlePeer } from "../../../harness/peers/google-peer.ts";

const scope = "https://www.googleapis.com/auth/firebase.messaging";

/** A service that pushes messages as most do: a token for the scope of Firebase, and a call with it. */
const yaml = (walked: boolean): string => `name: push
global:
  google_credentials:
    firebase: { file: a|env::KEY_FILE|, token_uri: a|env::TOKEN_URI| }
interfaces:
  notify:
    method: POST
    disable_fastpath: ${walked}
    actions:
      - name: Token
        hide_action: true
        google: { credential: firebase, create_token: { scopes: ["${scope}"] } }
      - name: Send
        http:
          url: a|env::FCM|/v1/projects/shop-1/messages:send
          headers: { authorization: "Bearer a|Token::access_token|" }
          body: { message: { token: a|body::device|, notification: { title: "Order a|body::order|" } } }
        post_transforms: [{ extract_value: body.name }]
`;

test.each([
  ["printed", false],
  ["walked", true],
])("%s: a bundle sends messages with a token of its key file", async (_, walked) => {
  const peer = await googlePeer();
  const folder = mkdtempSync(join(tmpdir(), "push-"));
  const KEY_FILE = join(folder, "firebase.json");
  const { token_uri, ...members } = peer.credential;
  writeFileSync(
    KEY_FILE,
    JSON.stringify({ type: "service_account", project_id: "shop-1", ...members, token_uri: "https://never.example/" }),
  );
  const log: string[] = [];
  const { config, open } = (await bundled([await printOne(planned(yaml(walked), "push.yaml"))]))("push");
  const env = { KEY_FILE, TOKEN_URI: token_uri, FCM: peer.url };
  const host = createHost({ env, log: (level, msg, fields) => void log.push(JSON.stringify([level, msg, fields])) });
  const { url, close } = await open(host, config);
  const send = async (device: string): Promise<readonly [number, string]> => {
    const body = JSON.stringify({ device, order: 7 });
    const answer = await fetch(`${url}/notify`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return [answer.status, (await answer.text()).replaceAll(/,"time.ms":\d+/g, "")];
  };
  expect(await send("d1")).toEqual([200, '{"data":{"Send":{"data":"projects/shop-1/messages/0:1"}}}']);
  expect(await send("d2")).toEqual([200, '{"data":{"Send":{"data":"projects/shop-1/messages/0:2"}}}']);
  expect(peer.messages).toEqual(["d1", "d2"].map((token) => ({ token, notification: { title: "Order 7" } })));
  expect(peer.assertions).toMatchObject([{ scope, aud: token_uri }]);
  const [status, text] = await send("gone");
  expect([status, text.includes("UNREGISTERED")]).toEqual([500, true]);
  for (const shown of [text, ...log]) expect(shown).not.toMatch(/ya29\.|PRIVATE KEY/);
  await close();
  await host.close();
  await peer.close();
  rmSync(folder, { recursive: true });
});
