import { anything, type Definitions, either, later, list, map, record, ref } from "./shapes.ts";
import { described, type Features } from "./skeleton-tests.ts";

/** The transforms of the language, with what each of them does (spec/transforms 1); a feature of the same name replaces its line. */
const laterTransforms: Readonly<Record<string, string>> = {
  rename_attributes: "Rename members, by path.",
  remove_attributes: "Remove members, by path.",
  keep_attributes: "Keep only these members, by path.",
  move_attributes: "Move members, by path.",
  rename_keys: "Rename keys at the root level.",
  remove_keys: "Remove keys at the root level.",
  bcrypt: "Hash a password.",
  add_attribute: "Add members.",
  return_row: "Return one row by its 0-based index.",
  extract_value: "Return the value at a path.",
  extract_array: "Collect values of the elements of a list.",
  extract_with_json_path: "Return all values that a JSONPath query finds.",
  extract_with_jq: "Return the output of a jq program.",
  extract_with_regex: "Name the groups of a regular expression.",
  extract_with_css: "Extract from HTML by a CSS selector.",
  compress: "Compress a value.",
  decompress: "Decompress a value.",
  totp: "Make a one-time code.",
  parse_xlsx: "Read a spreadsheet.",
  parse_pdf: "Read the text of a PDF.",
  add_jwt: "Sign a token.",
  read_jwt: "Decode a token, without verification.",
  numerics: "Convert text to numbers.",
  group_by: "Group rows by fields.",
  generate_password: "Make a password.",
  replace_values: "Replace parts of texts.",
  flatten: "Bring nested members to one level.",
  b64_decode: "Decode Base64.",
  b64_decode_as_json: "Decode Base64 and parse the text as JSON.",
  b64_encode: "Encode as Base64.",
  yaml_to_json: "Parse YAML text.",
  json_to_yaml: "Write as YAML text.",
  parse_xml: "Parse XML text.",
  parse_csv: "Parse CSV text.",
  to_csv: "Write rows as CSV text.",
  math: "Calculate members.",
  aggregate: "Summarise rows.",
  generate_bytes: "Make random bytes.",
  encrypt_value: "Encrypt a value.",
  decrypt_value: "Decrypt a value.",
  hmac: "Sign a message.",
  s3_generate_presigned_url: "Make a link to an object in S3.",
  encode_uri: "Percent-encode a URI.",
  encode_uri_component: "Percent-encode a part of a URI.",
  decode_uri: "Percent-decode a URI.",
  decode_uri_component: "Percent-decode a part of a URI.",
  generate_slug: "Make a slug.",
};

/** Transforms that hold tests or transforms, so that the compiler has operations of its own for them (spec/transforms 4). */
export const operations: Features = {
  filter: {
    summary: "Keep the elements of a list that pass tests.",
    schema: {
      ...record(
        "Filter",
        "Which elements are kept.",
        {
          target: { type: "string", context: "path", description: "Path of the list, by default the data themselves." },
          conditions: {
            ...map(
              "What must hold of an element, by the path of a value in it; `$` is the element.",
              either(
                "Matchers, or what the value must be equal to.",
                { ...ref("Test", "Matchers."), type: "object" },
                {
                  type: ["string", "number", "boolean", "null", "array"],
                  description: "What the value must be equal to.",
                },
              ),
            ),
            keys: "path",
          },
        },
        ["conditions"],
      ),
    },
  },
  nested_transforms: {
    summary: "Apply transforms to parts of the data.",
    schema: {
      ...map(
        "Transforms by the path of what they are applied to; without `$`, a list is taken element by element.",
        list("Transforms, in order.", ref("Transform", "A transform.")),
      ),
      keys: "path",
    },
  },
};

/** An entry of `post_transforms`: exactly one of the transforms. */
export function transformRecords(transforms: Features): Definitions {
  const planned = Object.fromEntries(Object.entries(laterTransforms).map(([name, description]) => [name, anything(description)]));
  return {
    Transform: {
      title: "Transform",
      description: "One transform of the data.",
      type: "object",
      properties: { ...later(planned), ...described(operations), ...described(transforms) },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
      whole: true,
    },
  };
}
