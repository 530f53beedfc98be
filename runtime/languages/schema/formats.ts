import { fullFormats } from "ajv-formats/dist/formats.js";

/** The formats of JSON Schema that a regular expression cannot say, for printed validators; a bundle without such a format carries none. */
export const formats = fullFormats;
