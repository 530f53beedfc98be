// Values that fill holes of texts: none changes the structure of the text around it.

export {
  /** A text between the quotes of an SQL name, in the style of the database. */
  sql_identifier,
  /** A text between the quotes of an SQL string, in the style of the database. */
  sql_string,
  /** A literal of SQL, in the style of the database: a text is always quoted. */
  sql_value,
} from "../languages/sql-literal.ts";
export {
  /** A text of several lines, without the blanks before them that are those of the code. */
  dedent,
} from "../value/dedent.ts";
export {
  /** One level of the name of a channel: neither empty nor with a separator or a wildcard. */
  channel_level,
  /** A text inside a CSS selector, escaped. */
  css as css_text,
  /** One level of a path of files, or a part of one: neither empty nor a way up, and without a separator. */
  file_level,
  /** Levels of a path of files that the configuration chooses: not unset. */
  file_levels,
  /** A value of a JSON text; a string stays a string. */
  json_exact,
  /** A text between the quotes of a JSON string. */
  json_string,
  /** A value of a JSON text; a string that reads as a number is one, with its digits unchanged. */
  json_value,
  /** A text inside a `like` pattern: its `%` and `_` are ordinary characters. */
  like as like_text,
  /** A text within an address of a mail: it adds no other address. */
  mail_address,
  /** An item of a list of addresses of a mail: exactly one address. */
  mail_box,
  /** A text in the name before an address of a mail: it is no address. */
  mail_name,
  /** A text within an address of a mail whose `@` is written: it adds no other one. */
  mail_part,
  /** A text between the quotes of the name before an address of a mail: it does not end the name. */
  mail_quoted,
  /** One key of a path: dots and brackets belong to its name. */
  path_key,
  /** A text between quotes inside a path. */
  path_text,
  /** A literal that a path compares with. */
  path_value,
  /** A text inside a regular expression, escaped. */
  regex as regex_text,
  /** One level of an MQTT topic: neither empty nor with a separator or a wildcard. */
  topic_level,
  /** A text inside the query or the fragment of a URL, percent-encoded. */
  url_component,
  /** One label of the host of a URL, or its port. */
  url_label,
  /** The beginning of a URL, which the configuration controls. */
  url_origin,
  /** A text inside the path of a URL: it never adds a segment, and it is no `.` or `..`. */
  url_segment,
} from "../value/holes.ts";
