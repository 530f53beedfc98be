import { percentDecode } from "../formats/form.ts";
import { xmlEvents } from "../formats/xml-syntax.ts";
import { authorization } from "../keys/authorization.ts";
import type { Request } from "../run/received.ts";
import { type Json, type JsonObject, own } from "../value/json.ts";
import { isSecretKey } from "./bounded.ts";

/** The most characters of a document in which secrets are looked for, which is more than a record shows of a text. */
const longestDocument = 16_384;

/**
 * The most credentials of one request, and the most characters of all of them: each has dozens of spellings, and no honest caller sends so
 * many.
 */
const mostCredentials = 100;
const mostCharacters = 16_384;

/** Credentials that are a part of a text in a request: a pipeline may find them there and show them under any name. */
export function credentialsIn(request: Pick<Request, "headers" | "body">): readonly string[] {
  let left = mostCharacters;
  return [...new Set(allIn(request))].slice(0, mostCredentials).filter(({ length }) => {
    left -= length;
    return left >= 0;
  });
}

/** All credentials; the one in `authorization` comes first. */
function allIn({ headers, body }: Pick<Request, "headers" | "body">): readonly string[] {
  const { cookie } = headers;
  return [
    ...partsOf(headers.authorization ?? null),
    ...(typeof cookie === "string" ? cookie.split(";").flatMap(valuesOf) : []),
    ...xmlMembers(own(headers, "content-type") ?? null, body).flatMap((member) =>
      Object.entries(member).flatMap(([name, value]) => (isSecretKey(name) && typeof value === "string" ? [value] : [])),
    ),
  ];
}

/** The credential after the scheme, and the password in it. */
function partsOf(header: Json): readonly string[] {
  const [, credential] = (typeof header === "string" && /^\S+\s+(\S.*)$/s.exec(header.trim())) || [];
  const { Basic } = authorization(header) ?? {};
  return [...(credential === undefined ? [] : [credential]), ...(Basic === undefined ? [] : [Basic.password])];
}

/** The value of a cookie, as it is written and decoded. */
function valuesOf(pair: string): readonly string[] {
  const value = pair
    .slice(pair.indexOf("=") + 1)
    .trim()
    .replace(/^"(.*)"$/, "$1");
  return [value, percentDecode(value) ?? value];
}

/** A text in the forms in which it is read and in which a document usually has it. */
const formsOf = (text: string): ReadonlySet<string> => {
  const read = text.trim();
  const escaped = read.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return new Set([read, escaped, escaped.replaceAll(">", "&gt;"), escaped.replaceAll('"', "&quot;"), escaped.replaceAll("'", "&apos;")]);
};

/**
 * Texts and attributes of an XML document, each under its name; all of them below an element with the name of a secret get that name. A
 * body of another type gives none, and reading ends at the first place that is no XML.
 */
export function xmlMembers(type: Json, body: Json): readonly JsonObject[] {
  if (typeof body !== "string" || typeof type !== "string" || !/[/+]xml\b/i.test(type)) return [];
  const members: JsonObject[] = [];
  const open: string[] = [];
  try {
    for (const event of xmlEvents(body.slice(0, longestDocument))) {
      const outer = open.at(-1) ?? "";
      if (event.kind === "close") open.pop();
      else if (event.kind === "text") members.push(...[...formsOf(event.text)].map((text) => ({ [outer]: text })));
      else if (event.kind === "open") {
        const name = isSecretKey(outer) ? outer : event.name;
        open.push(name);
        for (const [attribute, value] of event.attributes)
          members.push(...[...formsOf(value)].map((text) => ({ [isSecretKey(name) ? name : attribute]: text })));
      }
    }
  } catch {
    // The document may be cut here, or be no XML: the pipeline's own reader reports that.
  }
  return members;
}
