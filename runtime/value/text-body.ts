import type { Body, WrittenBody } from "../run/response.ts";
import type { Json } from "./json.ts";

// The three forms of a whole response body (spec/language 2.8 C, 7.5).

/** The body of a JSON template, whose text is JSON by construction. */
export const jsonBody = (text: string): WrittenBody => ({ text, type: "application/json" });

export const textBody = (text: string): WrittenBody => ({ text, type: "text/plain; charset=utf-8" });

/** The body of a single marker: a string is sent as it is, any other value as JSON. */
export const valueBody = (value: Json): Body => (typeof value === "string" ? textBody(value) : { data: value, type: "application/json" });
