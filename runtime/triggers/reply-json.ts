import { parseJson } from "../formats/json-text.ts";
import type { Reply } from "../run/response.ts";
import type { Json } from "../value/json.ts";

/** The value of an answer whose content type is JSON; undefined for any other type, even when its text looks like JSON. */
export const jsonOf = (reply: Reply): Json | undefined => (isJson(reply) ? parseJson(reply.body) : undefined);

/** True when the content type of an answer is JSON. */
export const isJson = ({ headers: { "content-type": type = "" } }: Reply): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
