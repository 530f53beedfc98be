import { parseJson } from "../../formats/json-text.ts";
import { bodyKind } from "../../formats/media-type.ts";
import type { Run } from "../../run/run.ts";
import { Failure } from "../../value/failure.ts";
import { asObject, isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import { http } from "../actions/http.ts";
import type { SecretStoreFeature } from "../feature.ts";

/** Time for the whole request, where the block sets none: a secret must not hold up a run for long. */
const usualTimeout = 10_000;

/**
 * A secret that a vault answers over HTTP. Of a key-value store of version 2 it is `data.data`, of version 1 `data`, of anything else the
 * whole body (spec/surfaces 11). A deleted version gives no secret.
 */
export async function vault_secret({ http: request = null }: JsonObject, cx: Run): Promise<Json> {
  const args = { timeout: usualTimeout, ...asObject(request) };
  // The compiler has lowered the block by the schema of the action.
  const answer = await http(cx.aside("vault"), args as never).catch((error: unknown) => {
    throw refused(error);
  });
  const { body = null, headers = null } = asObject(answer);
  if (isPage(body, headers)) throw new Failure("transport", "the vault gave no JSON");
  const secret = unwrapped(body);
  if (secret === null || secret === "") throw new Failure("evaluation", "the vault has no value for it");
  return secret;
}

/** True for a page, such as that of a login in front of a vault, and for JSON that is cut off: neither may go out as a secret. */
function isPage(body: Json, headers: Json): boolean {
  const type = isObject(headers) ? (own(headers, "content-type") ?? null) : null;
  if (typeof body !== "string" || typeof type !== "string") return false;
  return /html/i.test(type) || (bodyKind(type) === "json" && /^\s*\{\s*"/.test(body) && parseJson(body) === undefined);
}

function unwrapped(body: Json): Json {
  if (!isObject(body) || !Object.hasOwn(body, "data")) return body;
  const data = own(body, "data") ?? null;
  if (!isObject(data) || !Object.hasOwn(data, "data")) return data;
  return own(data, "data") ?? null;
}

/** The meanings of the statuses with which a vault gives no secret. Its own text is not shown, since it may hold a token. */
const meanings: Readonly<Record<number, string>> = {
  400: "the vault refused the request (400)",
  403: "the vault denied access (403)",
  404: "the vault does not know it (404)",
  429: "the vault is too busy or a standby (429)",
  472: "the vault is a standby (472)",
  473: "the vault is a standby (473)",
  501: "the vault is not initialized (501)",
  503: "the vault is sealed or under maintenance (503)",
};

function refused(error: unknown): Failure {
  if (!(error instanceof Failure)) throw error;
  const { kind, message, details } = error;
  if (kind === "timeout") return new Failure("timeout", "the vault did not answer in time");
  if (kind !== "status" || details.upstream === undefined) return new Failure(kind, message);
  return new Failure("transport", meanings[details.upstream] ?? `the vault answered ${details.upstream}`);
}

export const spec: SecretStoreFeature = {
  summary: "The answer of a vault over HTTP.",
  schema: {
    type: "object",
    properties: {
      http: { $ref: "#/$defs/Http", description: "Request that a vault answers with the secret." },
    },
  },
  needs: ["http"],
  touches: { http: "http" },
  run: vault_secret,
};
