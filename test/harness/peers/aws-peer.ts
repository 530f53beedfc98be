import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a peer of AWS got it. */
export interface AwsSeen {
  readonly method: string;
  /** The target as it came over the wire. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The service of its signature; undefined where it has none. */
  readonly service: string | undefined;
  /** The reason why its signature is wrong. */
  readonly refusal: string | undefined;
}

export interface AwsPeer {
  readonly url: string;
  readonly seen: AwsSeen[];
  /** Secrets by access key. */
  readonly keys: Map<string, string>;
  /** Objects by `bucket/key`. */
  readonly objects: Map<string, { readonly bytes: Buffer; readonly headers: Readonly<Record<string, string>> }>;
  /** The current time of the services, in Unix milliseconds. */
  clock: number;
  /** Answers in place of the services; false leaves the request to them. */
  answer: (seen: AwsSeen, response: ServerResponse) => boolean;
  readonly close: () => Promise<void>;
}

/** A server that speaks as S3, SQS, SNS, SES and STS do, and checks each signature by an implementation of its own. */
export async function awsPeer(clock: number): Promise<AwsPeer> {
  const peer = { seen: [] as AwsSeen[], keys: new Map([["AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"]]), objects: new Map() };
  const state: AwsPeer = {
    ...peer,
    url: "",
    clock,
    answer: () => false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const seen = { ...checked(message, Buffer.concat(chunks), state.keys), body: Buffer.concat(chunks) };
      state.seen.push(seen);
      response.setHeader("date", new Date(state.clock).toUTCString());
      if (!state.answer(seen, response)) serve(seen, response, state);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { url: `http://127.0.0.1:${port}` });
}

const hex = (algorithm: "sha256" | "md5", data: string | Buffer): string => createHash(algorithm).update(data).digest("hex");
const mac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** RFC 3986 with capital digits, byte by byte, as the documentation of AWS describes it. */
const escaped = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

/** Reads a request and computes its signature from the bytes on the wire. */
function checked(message: IncomingMessage, body: Buffer, keys: ReadonlyMap<string, string>): Omit<AwsSeen, "body"> {
  const target = message.url ?? "";
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) headers[name] = String(value);
  const plain = { method: message.method ?? "", target, headers };
  const [path = "", search = ""] = target.split(/\?(.*)/s);
  const pairs = search === "" ? [] : search.split("&").map((pair) => pair.split(/=(.*)/s).map((part) => decodeURIComponent(part)));
  const params = new Map(pairs.map(([name = "", value = ""]) => [name, value]));
  const isLink = params.has("X-Amz-Signature");
  const header = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? "");
  if (!isLink && header === null) return { ...plain, service: undefined, refusal: "unsigned" };
  const credential = (isLink ? params.get("X-Amz-Credential") : header?.[1]) ?? "";
  const signed = ((isLink ? params.get("X-Amz-SignedHeaders") : header?.[2]) ?? "").split(";");
  const signature = (isLink ? params.get("X-Amz-Signature") : header?.[3]) ?? "";
  const [id = "", date = "", region = "", service = "", end = ""] = credential.split("/");
  const time = (isLink ? params.get("X-Amz-Date") : headers["x-amz-date"]) ?? "";
  const secret = keys.get(id);
  const refuse = (reason: string) => ({ ...plain, service, refusal: reason });
  if (secret === undefined) return refuse("InvalidAccessKeyId");
  if (end !== "aws4_request" || !time.startsWith(date) || !signed.includes("host")) return refuse("malformed");
  if (signed.join(";") !== [...signed].sort().join(";")) return refuse("headers out of order");
  const isForgotten = Object.keys(headers).some((name) => name.startsWith("x-amz-") && !signed.includes(name));
  if (isForgotten) return refuse("a header of AWS is not signed");
  const hash = hex("sha256", body);
  if (service === "s3" && !isLink && headers["x-amz-content-sha256"] !== hash) return refuse("XAmzContentSHA256Mismatch");
  const query = pairs
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name = "", value = ""]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join("&");
  // S3 signs the path as it is; everything else encodes each segment once more.
  const uri = service === "s3" ? path : path.split("/").map(escaped).join("/");
  const lines = signed.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}\n`).join("");
  const canonical = [plain.method, uri, query, lines, signed.join(";"), isLink ? "UNSIGNED-PAYLOAD" : hash].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, `${date}/${region}/${service}/aws4_request`, hex("sha256", canonical)].join("\n");
  const key = mac(mac(mac(mac(`AWS4${secret}`, date), region), service), "aws4_request");
  return { ...plain, service, refusal: mac(key, text).toString("hex") === signature ? undefined : "SignatureDoesNotMatch" };
}

/** The time of a signature. */
const timeOf = ({ headers }: AwsSeen): number =>
  Date.parse((headers["x-amz-date"] ?? "").replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

const xml = (text: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;
const escapedXml = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function serve(seen: AwsSeen, response: ServerResponse, peer: AwsPeer): void {
  const form = new URLSearchParams(seen.body.toString());
  if (form.get("Action")?.startsWith("AssumeRole") === true) {
    sts(form, seen, response, peer);
    return;
  }
  const refusal = seen.refusal ?? (Math.abs(timeOf(seen) - peer.clock) > 900_000 ? "RequestTimeTooSkewed" : undefined);
  if (refusal !== undefined && !(seen.target.includes("X-Amz-Signature=") && seen.refusal === undefined)) {
    refuse(seen, response, refusal);
    return;
  }
  if (seen.service === "s3") s3(seen, response, peer);
  else if (seen.service === "sqs") sqs(seen, response);
  else if (seen.service === "sns") sns(form, response);
  else if (seen.service === "ses") response.end(JSON.stringify({ MessageId: "ses-1" }));
  else refuse(seen, response, "UnknownService");
}

function refuse({ service }: AwsSeen, response: ServerResponse, code: string): void {
  response.statusCode = 403;
  response.setHeader("x-amz-request-id", "REQ1");
  if (service === "sqs" || service === "ses") response.end(JSON.stringify({ __type: `com.amazonaws#${code}`, message: "refused" }));
  else response.end(xml(`<Error><Code>${escapedXml(code)}</Code><Message>refused</Message><RequestId>REQ1</RequestId></Error>`));
}

function s3({ method, target, headers, body }: AwsSeen, response: ServerResponse, { objects }: AwsPeer): void {
  const url = new URL(target, "http://peer");
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(decodeURIComponent(url.pathname)) ?? [];
  const name = `${bucket}/${key}`;
  if (method === "GET" && key === "") {
    list(bucket, url.searchParams, response, objects);
    return;
  }
  const object = objects.get(name);
  if (method === "PUT") {
    objects.set(name, { bytes: body, headers });
    response.setHeader("etag", `"${hex("md5", body)}"`).end();
  } else if (method === "DELETE") {
    objects.delete(name);
    response.writeHead(204).end();
  } else if (object === undefined) {
    response.writeHead(404, { "x-amz-request-id": "REQ404" });
    response.end(xml("<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"));
  } else {
    const kept = Object.entries(object.headers).filter(([header]) => header === "content-type" || header.startsWith("x-amz-meta-"));
    response.writeHead(200, {
      ...Object.fromEntries(kept),
      etag: `"${hex("md5", object.bytes)}"`,
      "last-modified": new Date(0).toUTCString(),
    });
    response.end(object.bytes);
  }
}

function list(bucket: string, params: URLSearchParams, response: ServerResponse, objects: AwsPeer["objects"]): void {
  const prefix = params.get("prefix") ?? "";
  const after = params.get("continuation-token") ?? params.get("start-after") ?? "";
  const delimiter = params.get("delimiter") ?? "";
  const most = Number(params.get("max-keys"));
  const keys = [...objects.keys()].filter((name) => name.startsWith(`${bucket}/`)).map((name) => name.slice(bucket.length + 1));
  const fitting = keys.filter((key) => key.startsWith(prefix)).sort();
  const entries = [
    ...new Set(
      fitting.map((key) => {
        const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
        return end < 0 ? key : key.slice(0, end + delimiter.length);
      }),
    ),
  ].filter((each) => each > after);
  const page = entries.slice(0, most);
  const isTruncated = page.length < entries.length;
  const coded = (text: string): string => escapedXml(encodeURIComponent(text).replace(/%20/g, "+"));
  const items = page.map((each) => {
    const object = objects.get(`${bucket}/${each}`);
    return object === undefined || (delimiter !== "" && each.endsWith(delimiter) && !keys.includes(each))
      ? `<CommonPrefixes><Prefix>${coded(each)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${coded(each)}</Key><LastModified>1970-01-01T00:00:00.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>${object.bytes.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  });
  const next = isTruncated ? `<NextContinuationToken>${escapedXml(page.at(-1) ?? "")}</NextContinuationToken>` : "";
  response.end(
    xml(
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${items.join("")}${next}</ListBucketResult>`,
    ),
  );
}

function sqs({ headers, body }: AwsSeen, response: ServerResponse): void {
  const request: { readonly MessageBody?: string } = JSON.parse(body.toString());
  if (headers["x-amz-target"] !== "AmazonSQS.SendMessage") return void response.writeHead(400).end("{}");
  response.end(JSON.stringify({ MessageId: "sqs-1", MD5OfMessageBody: hex("md5", request.MessageBody ?? "") }));
}

function sns(form: URLSearchParams, response: ServerResponse): void {
  if (form.get("Action") !== "Publish") return void response.writeHead(400).end();
  response.end(xml("<PublishResponse><PublishResult><MessageId>sns-1</MessageId></PublishResult></PublishResponse>"));
}

/** Answers STS with the keys of a session of one hour, and adds them to the keys that the peer accepts. */
function sts(form: URLSearchParams, seen: AwsSeen, response: ServerResponse, peer: AwsPeer): void {
  const action = form.get("Action") ?? "";
  const isRefused = action === "AssumeRole" ? seen.refusal !== undefined : form.get("WebIdentityToken") !== "web-token";
  if (isRefused) {
    const error = "<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not you</Message></Error>";
    response.writeHead(403).end(xml(`<ErrorResponse>${error}<RequestId>STS1</RequestId></ErrorResponse>`));
    return;
  }
  const id = `ASIA${peer.keys.size}`;
  peer.keys.set(id, `secret of ${id}`);
  const session = `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>secret of ${id}</SecretAccessKey><SessionToken>token of ${id}</SessionToken>`;
  const end = `<Expiration>${new Date(peer.clock + 3_600_000).toISOString()}</Expiration>`;
  response.end(
    xml(`<${action}Response><${action}Result><Credentials>${session}${end}</Credentials></${action}Result></${action}Response>`),
  );
}
