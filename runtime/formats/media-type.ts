/** The kind of a body, by its content type (spec/surfaces 1). */
export type BodyKind = "unknown" | "json" | "form" | "text" | "lines" | "multipart" | "binary";

const kinds: Readonly<Record<string, BodyKind>> = {
  "application/json": "json",
  "application/x-www-form-urlencoded": "form",
  "application/ndjson": "lines",
  "application/x-ndjson": "lines",
  "application/jsonl": "lines",
  "application/x-jsonlines": "lines",
  "multipart/form-data": "multipart",
};

/** Parameters such as `charset` are ignored. No content type, or an empty one, is `unknown`. */
export function bodyKind(contentType: string | undefined): BodyKind {
  if (contentType === "application/json") return "json";
  const type = mediaType(contentType ?? "");
  if (type === "") return "unknown";
  if (Object.hasOwn(kinds, type)) return kinds[type] ?? "binary";
  if (type.endsWith("/json") || type.endsWith("+json")) return "json";
  return type.startsWith("text/") ? "text" : "binary";
}

function mediaType(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}
