import { Failure } from "../../../value/failure.ts";
import { header } from "../../../value/holes.ts";

/** The credentials of an `http` block that are known before the service has answered (spec/language 5.1.1). */
export interface Credentials {
  readonly user?: string | null;
  readonly pass?: string | null;
  readonly bearer_auth?: string | null;
}

/** The value of `authorization`; undefined when no credentials are set. Their text reaches no message. */
export function authorization({ user = null, pass = null, bearer_auth = null }: Credentials): string | undefined {
  const token = header(bearer_auth, "bearer_auth");
  if (token !== null) return `Bearer ${token}`;
  if (user === null && pass === null) return undefined;
  return basic(Buffer.from(userName(header(user, "user") ?? "")), Buffer.from(header(pass, "pass") ?? ""));
}

/** A colon would end the name and begin the password (RFC 7617, 2). */
function userName(name: string): string {
  if (name.includes(":")) throw new Failure("evaluation", "header user: invalid character");
  return name;
}

/** Basic authentication (RFC 7617), UTF-8. */
export const basic = (user: Buffer, pass: Buffer): string => `Basic ${Buffer.concat([user, Buffer.from(":"), pass]).toString("base64")}`;
