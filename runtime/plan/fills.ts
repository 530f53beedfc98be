/** How a hole inside structured text is filled, so that a value can never become structure (spec/language 2.8). */
export type Fill =
  | "text" // B: plain text
  | "json_value" // C: value position of a JSON text; a scalar is re-read
  | "json_exact" // C: value position; a string stays a string
  | "json_string" // C: inside a JSON string literal, or a key
  | "url_origin" // E: begins the URL, or is the configuration's own in scheme and authority: as is
  | "url_label" // E: in the authority, with text before it: one label of the host, or the port
  | "url_segment" // E: percent-encoded; may not make a segment `.` or `..`
  | "url_component" // E: percent-encoded (query and fragment)
  | "sql_value" // D: a literal by type
  | "sql_string" // D: inside '...'
  | "sql_identifier" // D: inside "..." or backticks
  | "path_key" // I: exactly one key of a path
  | "path_value" // I: what a `$` path compares with
  | "path_text" // I: likewise, between quotes
  | "regex" // K: quoted literally
  | "like" // K: likewise, for the pattern of `like` and `ilike`
  | "topic_level" // one level of an MQTT topic
  | "channel_level" // one level of a channel
  | "file_level" // one level of a path of files, or a part of one
  | "file_levels" // levels that the configuration chooses
  | "mail_box" // N: an item of a list of addresses, which is one
  | "mail_address" // N: within an address of a mail
  | "mail_part" // N: likewise, beside a written @
  | "mail_name" // N: in the name before it
  | "mail_quoted" // N: between the quotes of that name
  | "css"; // a CSS selector: literal, in a name and in a string
