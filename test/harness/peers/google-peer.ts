import { createHash, createPublicKey, verify } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Json } from "#runtime/value/json.ts";
import { type Stub, stub } from "../sockets.ts";
import { clientEmail, type Issues, json, otherPair, pair, TokenService } from "./google-tokens.ts";

export { clientEmail, otherPair };

export const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

/** An answer in place of the right one. */
export interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly body?: Json;
  /** Bytes of the answer that are sent before the connection breaks. */
  readonly breaksAfter?: number;
  /** Never answers. */
  readonly silent?: true;
}

/** Google's services for a service account: token, storage and messages. They check each request, and import nothing of the runtime. */
export interface GooglePeer extends Issues {
  readonly url: string;
  readonly seen: Stub["seen"];
  /** Messages that were sent. */
  readonly messages: Json[];
  /** Objects by `bucket/key`. */
  readonly objects: Map<string, { readonly bytes: Buffer; readonly type: string }>;
  /** The next answers of a service, first in first out. */
  readonly faults: { readonly token: Fault[]; readonly storage: Fault[]; readonly fcm: Fault[] };
  /** Makes all issued tokens invalid. */
  readonly revoke: () => void;
  readonly credential: {
    readonly client_email: string;
    readonly private_key: string;
    readonly private_key_id: string;
    readonly token_uri: string;
  };
  readonly close: () => Promise<void>;
}

export async function googlePeer(): Promise<GooglePeer> {
  const made: Issues & Pick<GooglePeer, "messages" | "objects" | "faults"> = {
    assertions: [],
    messages: [],
    objects: new Map(),
    faults: { token: [], storage: [], fcm: [] },
    ahead: 0,
    lifetime: 3600,
  };
  const tokens = new TokenService(made);
  const served = await stub((response, message, body) => {
    const url = new URL(message.url ?? "", "http://peer");
    const kind = url.pathname === "/token" ? "token" : url.pathname.startsWith("/v1/") ? "fcm" : "storage";
    const fault = made.faults[kind].shift();
    if (fault !== undefined) {
      fail(response, fault);
      return;
    }
    if (kind === "token") void tokens.answer(response, body, `${served.url}/token`);
    else if (kind === "fcm") {
      if (tokens.isAllowed(response, message, "https://www.googleapis.com/auth/firebase.messaging"))
        messaging(made.messages, response, message, body);
    } else if (url.searchParams.has("X-Goog-Signature")) bySignature(made.objects, response, message, body);
    else if (tokens.isAllowed(response, message, "https://www.googleapis.com/auth/devstorage.read_write"))
      storage(made.objects, response, message, url, body);
  });
  return Object.assign(made, {
    url: served.url,
    seen: served.seen,
    revoke: () => tokens.revoke(),
    credential: { client_email: clientEmail, private_key: privateKey, private_key_id: "k1", token_uri: `${served.url}/token` },
    close: served.close,
  });
}

/** Answers requests of Firebase Cloud Messaging. */
function messaging(messages: Json[], response: ServerResponse, message: IncomingMessage, body: string): void {
  const { message: sent, validate_only } = JSON.parse(body) as { message: Record<string, Json>; validate_only?: boolean };
  const project = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(message.url ?? "")?.[1] ?? "";
  if (sent.token === "gone") {
    json(response, 404, {
      error: {
        code: 404,
        message: "Requested entity was not found.",
        status: "NOT_FOUND",
        details: [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: "UNREGISTERED" }],
      },
    });
    return;
  }
  const isData = Object.values((sent.data ?? {}) as Record<string, Json>).every((value) => typeof value === "string");
  if (!isData) {
    json(response, 400, { error: { code: 400, message: "Invalid value at 'message.data'", status: "INVALID_ARGUMENT" } });
    return;
  }
  if (validate_only !== true) messages.push(sent);
  json(response, 200, { name: `projects/${project}/messages/0:${messages.length}` });
}

function fail(response: ServerResponse, { status = 200, headers = {}, body = {}, breaksAfter, silent }: Fault): void {
  if (silent) return;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...headers });
  if (breaksAfter === undefined) response.end(text);
  else response.write(text.slice(0, breaksAfter), () => response.destroy());
}

type Objects = GooglePeer["objects"];

const described = (name: string, { bytes, type }: { readonly bytes: Buffer; readonly type: string }) => ({
  name,
  size: String(bytes.length),
  contentType: type,
  etag: "CAE=",
  updated: "2026-01-02T03:04:05.678Z",
});

/** Answers requests of the JSON API of Cloud Storage. */
function storage(objects: Objects, response: ServerResponse, message: IncomingMessage, url: URL, body: string): void {
  const [, bucket = "", name] = /^\/(?:upload\/)?storage\/v1\/b\/([^/]+)\/o(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  const key = name === undefined ? (url.searchParams.get("name") ?? "") : decodeURIComponent(name);
  const place = `${bucket}/${key}`;
  const found = objects.get(place);
  if (message.method === "POST") {
    const object = { bytes: Buffer.from(body), type: message.headers["content-type"] ?? "" };
    objects.set(place, object);
    json(response, 200, described(key, object));
    return;
  }
  if (name === undefined) {
    listed(objects, response, bucket, url.searchParams);
    return;
  }
  if (found === undefined) {
    json(response, 404, { error: { code: 404, message: `No such object: ${place}`, errors: [{ reason: "notFound" }] } });
    return;
  }
  if (message.method === "DELETE") {
    objects.delete(place);
    response.writeHead(204).end();
    return;
  }
  response.writeHead(200, { "content-type": found.type, etag: "CAE=" }).end(found.bytes);
}

/** Answers a list of objects in pages of two entries, so that tests see several pages. */
function listed(objects: Objects, response: ServerResponse, bucket: string, params: URLSearchParams): void {
  const [prefix, delimiter] = [params.get("prefix") ?? "", params.get("delimiter") ?? ""];
  const entries = new Map<string, ReturnType<typeof described> | undefined>();
  for (const [place, object] of [...objects].sort()) {
    const key = place.slice(bucket.length + 1);
    if (!place.startsWith(`${bucket}/${prefix}`)) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    if (end < 0) entries.set(key, described(key, object));
    else entries.set(key.slice(0, end + delimiter.length), undefined);
  }
  const from = Number(params.get("pageToken") ?? 0);
  const to = from + Math.min(2, Number(params.get("maxResults")));
  const page = [...entries].slice(from, to);
  const items = page.flatMap(([, item]) => item ?? []);
  const prefixes = page.flatMap(([key, item]) => (item === undefined ? [key] : []));
  json(response, 200, {
    ...(items.length === 0 ? {} : { items }),
    ...(prefixes.length === 0 ? {} : { prefixes }),
    ...(to < entries.size ? { nextPageToken: String(to) } : {}),
  });
}

/** Answers requests of the XML API with a signed link. The signature is checked against the text of the request. */
function bySignature(objects: Objects, response: ServerResponse, message: IncomingMessage, body: string): void {
  const [path = "", query = ""] = (message.url ?? "").split("?");
  const refused = (why: string): ServerResponse =>
    response.writeHead(403).end(`<Error><Code>SignatureDoesNotMatch</Code><Message>${why}</Message></Error>`);
  const params = new URLSearchParams(query);
  const names = params.get("X-Goog-SignedHeaders") ?? "";
  const lines = names.split(";").map((name) => `${name}:${message.headers[name] ?? ""}\n`);
  const unsigned = query
    .split("&")
    .filter((pair) => !pair.startsWith("X-Goog-Signature="))
    .sort()
    .join("&");
  const canonical = `${message.method}\n${path}\n${unsigned}\n${lines.join("")}\n${names}\nUNSIGNED-PAYLOAD`;
  const [email, ...scope] = (params.get("X-Goog-Credential") ?? "").split("/");
  const time = params.get("X-Goog-Date") ?? "";
  const text = `GOOG4-RSA-SHA256\n${time}\n${scope.join("/")}\n${createHash("sha256").update(canonical).digest("hex")}`;
  const signature = Buffer.from(params.get("X-Goog-Signature") ?? "", "hex");
  if (email !== clientEmail || !names.split(";").includes("host")) {
    refused("who");
    return;
  }
  if (!verify("sha256", Buffer.from(text), createPublicKey(pair.privateKey), signature)) {
    refused("signature");
    return;
  }
  const began = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!(Date.now() < began + Number(params.get("X-Goog-Expires")) * 1000)) {
    refused("expired");
    return;
  }
  const place = path.slice(1).split("/").map(decodeURIComponent).join("/");
  if (message.method === "PUT") objects.set(place, { bytes: Buffer.from(body), type: message.headers["content-type"] ?? "" });
  response.writeHead(200).end(message.method === "GET" ? objects.get(place)?.bytes : undefined);
}
