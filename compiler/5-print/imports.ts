import type { Fill } from "#runtime/plan.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { block, type Code, code, list, lit, name } from "./code.ts";

/** A printed filter: its function, and whether it takes the instant as last argument. */
export interface PrintedFilter {
  readonly fn: Code;
  readonly clock: boolean;
}

/** What the printer must know of the features it calls; comes from generated/features.ts. */
export interface FilterTable {
  readonly [filter: string]: { readonly name: string; readonly clock: boolean };
}

/** Names that a module may import besides features: nothing of a config is given one of them. */
export const helperWords: readonly string[] = [
  ...["at", "count", "each", "entries", "entryKey", "join", "needed", "reread", "text", "milliseconds"],
  ...["to_string", "to_number", "to_integer", "to_boolean", "to_strings"],
  ...["text_number", "secret_number", "contract_number", "contract_integer", "text_boolean", "missing_parameter"],
  ...[
    "json_value",
    "json_string",
    "json_exact",
    "url_origin",
    "url_label",
    "topic_level",
    "channel_level",
    "url_segment",
    "url_component",
    "path_key",
    "path_value",
    "path_text",
    "regex_text",
    "like_text",
    "css_text",
  ],
  ...[
    "sql_value",
    "sql_string",
    "sql_identifier",
    "timestamp",
    "check",
    "credentials",
    "given",
    "discreet",
    "test",
    "asyncTest",
    "ping",
    "walk",
    "filters",
  ],
  ...[
    "jsonBody",
    "textBody",
    "valueBody",
    "sqlite",
    "postgres",
    "mysql",
    "mssql",
    "mongodb",
    "Config",
    "DatabaseSource",
    "DocumentSource",
    "Interface",
    "InterfacePlan",
    "Json",
    "Parts",
  ],
  ...["secrets", "loadSecrets", "SecretSource", "local_secret", "vault_secret", "aws_kms_secret", "command_secret"],
  ...["retry", "timeout", "logs", "pick", "params", "lookup", "each_row", "mcp_tools", "put_member", "JsonObject"],
  ...["nodePath", "filter", "asyncFilter", "passes", "asyncPasses", "nested", "asyncNested"],
  ...["jqNow", "jqLater", "jq"],
  ...[
    "networkPolicy",
    "networkRules",
    "networkCounts",
    "networkPlaces",
    "prometheus",
    "schedules",
    "web_sockets",
    "mqtt_broker",
    "channelNeeds",
    "stream",
    "captureRuns",
    "stateAnswers",
  ],
  ...[
    "field",
    "scheduleSettings",
    "startCapture",
    "startPolicy",
    "retrySettings",
    "logLevel",
    "setting",
    "startServers",
    "StartField",
    "Run",
  ],
  ...["cron_line", "time_zone", "address_range", "country_code", "rate_window", "retry_matcher", "header_line"],
  ...["already", "asyncPick", "asyncParams"],
  ...["run_rows", "run_documents", "loadStates", "admitAfter"],
  ...["accepts", "characters", "equal", "formats", "compile", "native", "noted", "joined", "Unchecked", "Validator"],
];

/** The imports of one module: a helper is imported because something asked for it. */
export class Imports {
  readonly #from = new Map<string, Map<string, string>>();
  readonly #types = new Map<string, Set<string>>();
  readonly #whole = new Map<string, string>();
  readonly #filters: FilterTable;

  constructor(filters: FilterTable) {
    this.#filters = filters;
  }

  /** A function of runtime/values.ts. A coercion is imported as `to_…`, since the names are those of types. */
  value(helper: string): Code {
    const coercions = ["string", "number", "integer", "boolean", "strings"];
    return this.#helper("values.ts", helper, coercions.includes(helper) ? `to_${helper}` : helper);
  }

  fill(fill: Fill): Code {
    return this.#helper("fill.ts", fill, fill === "regex" || fill === "like" || fill === "css" ? `${fill}_text` : fill);
  }

  sql(fill: Fill): Code {
    return this.#helper("lib/sql-literal.ts", fill, fill);
  }

  marker(helper: "timestamp"): Code {
    return this.#helper(`markers/${helper}.ts`, helper, helper);
  }

  /** What sets a member under a key that may be any. */
  member(): Code {
    return this.#helper("json.ts", "put", "put_member");
  }

  filter(filter: string): PrintedFilter {
    const known = this.#filters[filter];
    if (known === undefined) throw new Error(`unknown filter ${filter}`);
    // `string`-like words are names of types or of values.ts, so every filter says what it is.
    return { fn: this.#use("markers/filters.ts", known.name, `filter_${filter}`), clock: known.clock };
  }

  /** Whether anything has been asked of a file so far. */
  has(file: string): boolean {
    return this.#from.has(file);
  }

  helper(file: string, helper: string): Code {
    return this.#helper(file, helper, helper);
  }

  feature(kind: "transforms" | "matchers" | "actions", feature: string): Code {
    return this.#use(`${kind}/${feature}.ts`, feature, feature);
  }

  /** Stage 1 of a feature; in another form it needs less of the runtime: a pattern that is JavaScript's, or no filter. */
  prepare(kind: "transforms" | "matchers", feature: string, form: "" | "Native" | "Plain" = ""): Code {
    return this.#use(`${kind}/${feature}.ts`, `prepare${form}`, `${form === "" ? "prepare" : form.toLowerCase()}_${feature}`);
  }

  /** Whether a matcher passes. */
  holds(matcher: string): Code {
    return this.#use(`matchers/${matcher}.ts`, "holds", `${matcher}_holds`);
  }

  type(file: string, type: string): void {
    const types = this.#types.get(file) ?? new Set<string>();
    this.#types.set(file, types.add(type));
  }

  /** Everything of a file, by one name. */
  whole(file: string, local: string): Code {
    if (!helperWords.includes(local)) throw new InternalError(`${local} is missing from the words that nothing of a config may be named`);
    this.#whole.set(file, local);
    return name(local);
  }

  /** One statement a file, sorted, types apart. */
  statements(): Code {
    const values = [...this.#from].map(([file, names]) => {
      const items = [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([local, exported]) => imported(name(exported), name(local)));
      return { file, text: statement(code`import`, items, file) };
    });
    const types = [...this.#types].map(([file, names]) => ({
      file,
      text: statement(code`import type`, [...names].sort().map(name), file),
    }));
    const whole = [...this.#whole].map(([file, local]) => ({ file, text: code`import * as ${name(local)} from ${address(file)};` }));
    const all = [...values, ...whole, ...types].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.text < b.text ? 1 : -1));
    return list(
      all.map(({ text }) => text),
      "\n",
    );
  }

  #helper(file: string, exported: string, local: string): Code {
    if (!helperWords.includes(local)) throw new InternalError(`${local} is missing from the words that nothing of a config may be named`);
    return this.#use(file, exported, local);
  }

  #use(file: string, exported: string, local: string): Code {
    const names = this.#from.get(file) ?? new Map<string, string>();
    this.#from.set(file, names.set(local, exported));
    return name(local);
  }
}

const imported = (exported: Code, local: Code): Code => (local === exported ? local : code`${exported} as ${local}`);

const address = (file: string): Code => lit(`#runtime/${file}`);

/** A list that is long has one name a line, so that a change of one name is a change of one line. */
function statement(words: Code, items: readonly Code[], file: string): Code {
  const line = code`${words} { ${list(items)} } from ${address(file)};`;
  return line.length <= 140 ? line : code`${words} ${block("{", items, "}", "")} from ${address(file)};`;
}
