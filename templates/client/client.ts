/** The settings with which requests are sent. */
export interface ClientOptions {
  /** Address of the service, with a prefix where a proxy adds one: `https://api.example.com/v1`. */
  readonly baseUrl: string | URL;
  /** Headers of every request, for example a token; a function is asked before each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Sends the requests; by default the `fetch` of the platform. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
}

/** Options of any request. */
export interface CallOptions {
  readonly headers?: HeadersInit;
  /** Ends the request: `AbortSignal.timeout(5000)`. */
  readonly signal?: AbortSignal;
}

/** An answer with a status below 400. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The service has answered with a status of 400 or more. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";
  readonly status: number;
  readonly headers: Headers;
  /** JSON as a value, other text as text. */
  readonly body: unknown;
  /** Names the run in the log of the service. */
  readonly requestId: string | undefined;

  constructor(operation: string, { status, headers, body }: Answer<unknown>) {
    super(`${operation}: the service has answered with status ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.requestId = headers.get("x-request-id") ?? undefined;
  }
}

/** A value of a route or a query. */
export type Param = string | number | boolean;

/** The parameters of a query; a list repeats its name. */
export type Query = Readonly<Record<string, Param | readonly Param[] | null | undefined>>;

/** The data of every action by its name, for an interface that defines no body of its own. */
export interface Outcome {
  readonly data: Readonly<Record<string, { readonly data?: unknown; readonly message?: string; readonly error?: string }>>;
  readonly message?: string;
}

/** The answer of an interface that goes on after it. */
export interface Accepted {
  readonly accepted: boolean;
  readonly request_id: string;
  /** A durable run waits, or goes on elsewhere. */
  readonly waiting?: boolean;
}

/** A request of an operation. */
interface OperationRequest extends CallOptions {
  readonly params?: Readonly<Record<string, Param>>;
  readonly query?: Query;
  readonly body?: unknown;
}

interface Operation {
  /** Its name, for errors. */
  readonly operation: string;
  readonly method: string;
  /** `/notes/:id`, `/files/*path`. */
  readonly route: string;
}

/** One segment of a path; an empty one, `.` and `..` would name another path. */
function segment(name: string, text: string): string {
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name}: ${JSON.stringify(text)} cannot be a part of a path`);
  return encodeURIComponent(text);
}

/** The path of a route: `:name` is one segment, `*name` all that are left. */
function filled(route: string, params: Readonly<Record<string, Param>> = {}): string {
  return route.replace(/(?<=\/)([:*])([^/]+)/g, (_, kind: string, name: string) => {
    const text = String(params[name] ?? "");
    return kind === ":"
      ? segment(name, text)
      : text
          .split("/")
          .map((part) => segment(name, part))
          .join("/");
  });
}

/** The media type is one of JSON: `application/json`, `application/problem+json`. */
const isJson = (type: string): boolean => /^application\/(?:[\w.+-]*\+)?json\b/i.test(type);

/** Kinds of bodies that are sent as they are. */
const isRaw = (body: unknown): body is Blob | FormData | URLSearchParams | Uint8Array<ArrayBuffer> =>
  [Blob, FormData, URLSearchParams, Uint8Array].some((kind) => body instanceof kind);

/** The bytes or the text of a body. A text under another type than JSON is sent as it is, and anything else as JSON. */
function sentBody(body: unknown, type: string): BodyInit {
  return isRaw(body) || (typeof body === "string" && !isJson(type)) ? body : JSON.stringify(body);
}

/** Sends one request. Throws `RequestFailed`, or what `fetch` throws when no answer has come. */
async function send<Body>(
  options: ClientOptions,
  { operation, method, route }: Operation,
  request: OperationRequest,
): Promise<Answer<Body>> {
  const { params, query = {}, body, headers, signal } = request;
  const url = new URL(options.baseUrl);
  url.pathname = url.pathname.replace(/\/+$/, "") + filled(route, params);
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each != null) url.searchParams.append(name, String(each));
  }
  const all = new Headers(typeof options.headers === "function" ? await options.headers() : options.headers);
  new Headers(headers).forEach((value, name) => {
    all.set(name, value);
  });
  if (body !== undefined && !isRaw(body) && !all.has("content-type")) all.set("content-type", "application/json");
  const response = await (options.fetch ?? fetch)(url, {
    method,
    headers: all,
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: sentBody(body, all.get("content-type") ?? "") }),
  });
  const answer = { status: response.status, headers: response.headers, body: (await bodyOf(response)) as Body };
  if (response.status >= 400) throw new RequestFailed(operation, answer);
  return answer;
}

/** JSON as a value, text as text, an empty body as undefined, anything else as bytes. */
async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (!/^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|x-ndjson)\b)/i.test(type)) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    return bytes.length === 0 ? undefined : bytes;
  }
  const text = await response.text();
  if (text === "") return undefined;
  return isJson(type) ? JSON.parse(text) : text;
}
