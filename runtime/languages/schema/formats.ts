import { fullFormats } from "ajv-formats/dist/formats.js";

/** A day of RFC 3339, or a part of one: at most one fraction, and an offset with minutes. */
const zoned = /^[^.]*(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

interface TextFormat {
  readonly validate: (text: string) => boolean;
}

/**
 * A stricter form of the format: RFC 3339 has no offset without minutes, and the library would round a long fraction up to the next second.
 */
function exact(name: "date-time" | "time"): TextFormat {
  const { validate } = fullFormats[name] as TextFormat;
  return { validate: (text) => zoned.test(text) && validate(text.replace(/\.\d+/, "")) };
}

/** RFC 3339, appendix A: a unit is followed by none but the next smaller one. */
const duration = /^P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:(?<!P)$|T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)))$/;

/**
 * The formats of JSON Schema that no regular expression can describe, for printed validators. A bundle without such a format carries none.
 */
export const formats = /* @__PURE__ */ Object.assign({}, fullFormats, {
  "date-time": /* @__PURE__ */ exact("date-time"),
  time: /* @__PURE__ */ exact("time"),
  duration,
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
});
