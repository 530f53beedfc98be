import type { SourceText } from "../../compiler/pipeline.ts";

/**
 * `count` interfaces as large as those of real projects (4 actions, 3 tests, 5 transforms, 9 markers each), spread over `files` configs.
 */
export function syntheticConfigs(count: number, files: number): readonly SourceText[] {
  const perFile = count / files;
  return Array.from({ length: files }, (_, file) => ({
    file: `synthetic/${file}.yaml`,
    text: head(file) + Array.from({ length: perFile }, (_, i) => syntheticInterface(file * perFile + i)).join(""),
  }));
}

const head = (file: number): string => `name: synthetic-${file}
global:
  databases:
    main:
      driver: postgres
      conn_string: a|env::DATABASE_URL|
interfaces:
`;

/** The number is in every text that the compiler could otherwise find to be the same. */
const syntheticInterface = (i: number): string => `  api/things/${i}:
    method: POST
    output: http
    summary: Synthetic interface ${i}
    actions:
      - name: ValidateBody
        input: a|body|
        hide_data_on_success: true
        assert:
          http_code_on_error: 400
          error_message: "bad request ${i}"
          tests:
            - { value: id, is_not_null: true }
            - { value: email, regex: '^[^@]+@[^@]+\\.x${i}$' }
            - { value: amount, is_greater_than: ${i % 50} }
      - name: Fetch
        run_when_succeeded: [ValidateBody]
        http:
          method: GET
          url: "a|var::BASE_URL|/v1/things/a|ValidateBody::id|?limit=${(i % 20) + 1}"
          headers:
            Authorization: "Bearer a|env::API_KEY|"
            X-Request: "a|headers::x-request-id|"
        post_transforms:
          - extract_value: body.data.items
          - rename_keys: { price: unit_price, qty: quantity_${i} }
          - add_attribute: { source: s${i}, run: a|uuid| }
          - remove_keys: [internal, secret]
      - name: Save
        run_when_succeeded: [Fetch]
        database: main
        query: |
          INSERT INTO things_${i} (id, email, amount)
          VALUES ($1, $2, $3)
          RETURNING id, email
        params: [a|ValidateBody::id|, a|ValidateBody::email|, a|ValidateBody::amount|]
      - name: Respond
        run_when_succeeded: [Save]
        json_output: { saved: a|Save|, items: a|Fetch| }
        post_transforms:
          - add_attribute: { ok: true }
`;
