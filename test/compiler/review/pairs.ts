/** Two versions of a configuration, and all that a reviewer is told: a line for each difference, gravest first. */
export interface Pair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly lines: readonly string[];
}

const base = `name: shop
network: { ip: { allow: ["10.0.0.0/8"] } }
global:
  databases:
    main: { driver: postgres, conn_string: "a|env::DB|" }
interfaces:
  orders/list:
    method: GET
    output: http
    produces: { schema: { type: object, required: [id], properties: { id: { type: integer }, note: { type: string } } } }
    actions:
      - name: Who
        input: a|headers|
        assert:
          tests:
            - { value: authorization, is_valid_jwt: { secret: a|env::KEY|, iss: shop } }
      - name: Read
        run_when_succeeded: [Who]
        database: main
        query: SELECT id FROM orders LIMIT 10
      - name: Tell
        http: { url: "https://api.example.com/seen", timeout: 5s }
`;

/** The base with some of its text replaced. */
function edited(name: string, from: string, to: string, ...lines: readonly string[]): Pair {
  if (!base.includes(from)) throw new Error(`no '${from}'`);
  return { name, before: base, after: base.replace(from, () => to), lines };
}

export const pairs: readonly Pair[] = [
  { name: "nothing", before: base, after: base, lines: [] },
  edited("blanks and comments", "interfaces:\n", "# all of them\n\ninterfaces:\n"),
  edited(
    "an authentication test is gone",
    "            - { value: authorization, is_valid_jwt: { secret: a|env::KEY|, iss: shop } }",
    "            - { value: authorization, is_not_null: true }",
    "loosened shop.yaml:16:53 (old): orders/list: authentication is_valid_jwt of authorization is gone",
    "tightened shop.yaml:16:52: orders/list: test is_not_null of authorization is new",
  ),
  edited(
    "an issuer is not asked for",
    ", iss: shop }",
    " }",
    "loosened shop.yaml:16:53: orders/list: authentication is_valid_jwt of authorization holds no more to `iss`",
  ),
  edited(
    "an authentication test looks at another header",
    "{ value: authorization, is_valid_jwt",
    "{ name: authorization, value: x-other, is_valid_jwt",
    "loosened shop.yaml:16:68: orders/list: authentication is_valid_jwt of authorization looks at `x-other`, not at `authorization`",
  ),
  ...guards(),
  ...rules(),
  edited(
    "a gate is gone",
    "        run_when_succeeded: [Who]\n",
    "",
    "loosened shop.yaml:17:15: orders/list: action `Read` runs without run_when_succeeded `Who`",
  ),
  edited(
    "a network is added",
    '["10.0.0.0/8"]',
    '["10.0.0.0/8", "192.0.2.0/24"]',
    'loosened shop.yaml:7:3: orders/list: policy: inherited ip.allow is `["10.0.0.0/8","192.0.2.0/24"]`, was `["10.0.0.0/8"]`',
  ),
  edited(
    "a member of the answer is gone",
    "required: [id], properties: { id: { type: integer }, note",
    "properties: { note",
    "breaking shop.yaml:7:3 (old): orders/list: answer `/id` is gone",
  ),
  edited(
    "a member of the answer has another type",
    "id: { type: integer }",
    "id: { type: string }",
    "breaking shop.yaml:7:3: orders/list: answer `/id` is string, was integer",
  ),
  edited(
    "a member of the answer is new",
    "note: { type: string }",
    "note: { type: string }, total: { type: number }",
    "changed shop.yaml:7:3: orders/list: answer `/total` is new",
  ),
  edited(
    "a member of the answer has fewer values",
    "note: { type: string }",
    "note: { type: string, enum: [a, b] }",
    "changed shop.yaml:7:3: orders/list: answer `/note`: `enum` changed",
  ),
  edited(
    "a member of the answer is described",
    "note: { type: string }",
    "note: { type: string, description: A note }",
    "changed shop.yaml:7:3: orders/list: answer `/note` has another description",
  ),
  edited(
    "another table is changed",
    "SELECT id FROM orders LIMIT 10",
    "DELETE FROM carts RETURNING id",
    "reaches shop.yaml:19:9: orders/list: reaches table `main: carts` by `delete`",
    "changed shop.yaml:19:9: orders/list: action `Read`: `query` changed",
    "tightened shop.yaml:19:9 (old): orders/list: reaches table `main: orders` no more",
  ),
  edited(
    "another host",
    "api.example.com",
    "api.example.org",
    "reaches shop.yaml:22:9: orders/list: reaches host `api.example.org`",
    "changed shop.yaml:22:9: orders/list: action `Tell`: `http.url` changed",
    "tightened shop.yaml:22:9 (old): orders/list: reaches host `api.example.com` no more",
  ),
  edited("a time limit", "timeout: 5s", "timeout: 50s", "changed shop.yaml:22:9: orders/list: action `Tell`: `http.timeout` changed"),
  edited(
    "a route is moved under a name that stays",
    "    method: GET\n",
    "    method: POST\n",
    "breaking shop.yaml:7:3: orders/list: route is `POST /orders/list`, was `GET /orders/list`",
  ),
  edited(
    "a new name for the same route",
    "  orders/list:\n    method: GET\n",
    "  all-orders:\n    route: /orders/list\n    method: GET\n",
    "note shop.yaml:7:3: all-orders: is a new name of `orders/list`",
  ),
  edited(
    "an interface that is open",
    "interfaces:\n",
    "interfaces:\n  ping:\n    method: GET\n    output: http\n    actions: [{ name: A, input: a|params| }]\n",
    "loosened shop.yaml:7:3: ping: is a new interface with route `GET /ping`, and no test authenticates its callers",
  ),
  {
    name: "an interface is gone",
    before: `${base}  bye:\n    method: GET\n    output: http\n    actions: [{ name: A, input: a|params| }]\n`,
    after: base,
    lines: ["breaking shop.yaml:23:3 (old): bye: the interface with route `GET /bye` is gone"],
  },
  edited(
    "a command runs on a schedule",
    '      - name: Tell\n        http: { url: "https://api.example.com/seen", timeout: 5s }\n',
    "      - name: Tell\n        command: { run: [rm, -r, /data] }\n",
    "reaches shop.yaml:22:9: orders/list: reaches command `program: rm`",
    "changed shop.yaml:21:15: orders/list: action `Tell`: its data and transforms changed",
    "changed shop.yaml:22:9: orders/list: action `Tell`: `command.run` is new",
    "changed shop.yaml:22:9 (old): orders/list: action `Tell`: `http.url` is gone",
    "changed shop.yaml:22:9 (old): orders/list: action `Tell`: `http.timeout` is gone",
    "tightened shop.yaml:22:9 (old): orders/list: reaches host `api.example.com` no more",
  ),
];

/** A test that is none of authentication, with another rule: both rules are shown as the configuration writes them. */
function rules(): readonly Pair[] {
  const proof = "{ value: authorization, is_valid_jwt: { secret: a|env::KEY|, iss: shop } }";
  const from = base.replace(
    proof,
    () => `${proof}\n            - { value: limit, regex: "^[1-9][0-9]?$", error_message: a limit is a number }`,
  );
  const to = (rule: string, ...lines: readonly string[]): Pair => ({
    name: `a rule becomes ${rule}`,
    before: from,
    after: from.replace('regex: "^[1-9][0-9]?$", error_message: a limit is a number', () => rule),
    lines,
  });
  return [
    to(
      'regex: "^[1-9]$", error_message: a limit is a number',
      "changed shop.yaml:17:38: orders/list: test regex of limit is `^[1-9]$`, was `^[1-9][0-9]?$`",
    ),
    to(
      'regex: "^a|env::FIRST|-a|headers::x.y->default(0)|$", error_message: a limit is a number',
      "changed shop.yaml:17:38: orders/list: test regex of limit is `^a|env::FIRST|-a|headers::x.y->default(0)|$`, was `^[1-9][0-9]?$`",
    ),
    to(
      'regex: "^[1-9][0-9]?$", error_message: a limit has a digit or two',
      "changed shop.yaml:17:38: orders/list: test regex of limit: error_message is `a limit has a digit or two`, was `a limit is a number`",
    ),
  ];
}

/** A guard whose label stays while it tests another value. */
function guards(): readonly Pair[] {
  const guard = (test: string): string => `name: shop
interfaces:
  close:
    method: POST
    actions:
      - { name: Load, http: { url: "https://api.example.com/me" } }
      - { name: Guard, input: a|Load|, assert: { tests: [${test}] } }
      - { name: Do, run_when_succeeded: [Guard], json_output: { closed: true } }
`;
  const pair = (name: string, before: string, after: string, column: number, text: string): Pair => ({
    ...{ name, before: guard(before), after: guard(after) },
    lines: [`loosened shop.yaml:7:${column}: close: test is_equal_to of ${text}`],
  });
  return [
    pair(
      "a guard looks at a constant",
      "{ name: admin, custom_value: a|Load::body.role|, is_equal_to: admin }",
      "{ name: admin, custom_value: admin, is_equal_to: admin }",
      107,
      "admin looks at `admin`, not at `a|Load::body.role|`",
    ),
    pair(
      "a guard looks at another action",
      "{ action: Load, value: status, is_equal_to: 200 }",
      "{ action: Guard, value: status, is_equal_to: 200 }",
      103,
      "status looks at `status`, not at `a|Load::status|`",
    ),
    pair(
      "a guard compares a value with itself",
      "{ action_value: a|Load::body.owner|, is_equal_to: a|headers::x-user| }",
      "{ action_value: a|headers::x-user|, is_equal_to: a|headers::x-user| }",
      107,
      "action_value looks at `a|headers::x-user|`, not at `a|Load::body.owner|`",
    ),
  ];
}
