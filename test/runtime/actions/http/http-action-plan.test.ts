import { expect, test } from "vitest";
import { planTexts } from "../../../../compiler/pipeline.ts";

// The compiler refuses http blocks whose fields exclude each other (spec/language 5.1.1).

function found(http: string, defaults = "{}"): string[] {
  const text = `name: t
global:
  http: ${defaults}
interfaces:
  t:
    method: GET
    actions:
      - name: A
        http: { url: "https://a.example", ${http} }
`;
  const { diagnostics } = planTexts([{ file: "t.yaml", text }]);
  // That a password is written out is another matter.
  const said = diagnostics.filter(({ code }) => code !== "PW517");
  return said.map(({ code, at }) => `${code} ${text.slice(at.start, at.end).split("\n")[0]}`);
}

test.each<[string, string[]]>([
  ["user: u, pass: p", []],
  ["user: u, bearer_auth: t", ["PW402 user"]],
  ["digest_auth_user: u, user: u", ["PW402 digest_auth_user"]],
  ["bearer_auth: null, user: u", []],
  ["body: x, multipart: [{ name: a, value: b }]", ["PW403 multipart"]],
  ["multipart: [{ name: a }, { name: b, value: c, b64: eA== }]", ["PW401 { name: a }", "PW401 { name: b, value: c, b64: eA== }"]],
  ["multipart: [{ name: a, value: null, file_path: x }]", []],
  ["stream: true", []],
])("%s", (http, expected) => {
  expect(found(http)).toEqual(expected);
});

test.each(["{ user: u, pass: p }", "{ bearer_auth: t }", "{ digest_auth_user: u }"])(
  "a default gives way to another kind: %s",
  (defaults) => {
    for (const http of ["bearer_auth: t", "user: u", "digest_auth_user: u"]) expect(found(http, defaults)).toEqual([]);
  },
);

test("and so does a default body", () => {
  expect(found("multipart: [{ name: a, value: b }]", "{ body: x }")).toEqual([]);
});
