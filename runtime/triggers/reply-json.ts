import { parseJson } from "../formats/json-text.ts";
import type { Reply } from "../run/response.ts";
import type { Json } from "../value/json.ts";

/** The value of an answer whose content type is JSON; undefined for any other text, whatever it looks like. */
export const jsonOf = ({ headers, body }: Reply): Json | undefined => (isJson(headers["content-type"]) ? parseJson(body) : undefined);

const isJson = (type = ""): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
