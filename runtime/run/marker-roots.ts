/** A built-in root of markers, as the compiler knows it (spec/language 2.4). */
export interface Root {
  /** One line for the reference page. */
  readonly summary: string;
  /** The first part after `::` is a name, not a path: `a|env::NAME|`. */
  readonly named?: true;
  /**
   * The value comes from the configuration or its environment, never from a caller or an upstream: `->raw` is allowed, and URLs take the
   * value unescaped.
   */
  readonly config?: true;
  /** The trigger delivers the value. */
  readonly trigger?: true;
}

/** Every built-in root except the names of actions. `Run` has a member of the same name for each root that is read at run time. */
export const roots: Readonly<Record<string, Root>> = {
  body: { summary: "The parsed body of the request or message.", trigger: true },
  raw_body: { summary: "The body as it arrived, as text.", trigger: true },
  params: { summary: "Query and route parameters.", trigger: true },
  headers: { summary: "Headers of the request, names in lower case.", trigger: true },
  ip: { summary: "Address of the caller; in text, the client's.", trigger: true },
  request: { summary: "Id, method, path, trigger and parts of the request.", trigger: true },
  var: { summary: "A managed variable, else one of global.variables.", named: true, config: true },
  ap_var: { summary: "A managed variable.", named: true, config: true },
  env: { summary: "An environment variable.", named: true, config: true },
  secret: { summary: "A stored secret.", named: true, config: true },
  template: { summary: "A text of templates, filled at the place of use.", named: true, config: true },
  state: { summary: "A value of the durable state." },
  uuid: { summary: "A new random UUID.", config: true },
  timestamp: { summary: "The time of this attempt.", config: true },
  include: { summary: "Text of a file, read when compiling.", named: true, config: true },
  module: { summary: "A module, spliced in when compiling.", named: true, config: true },
  previous: { summary: "Data of the action before this one." },
};
