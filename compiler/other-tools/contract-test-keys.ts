import { type Words, wordsFor } from "./words.ts";

/** Words for keys of a contract test, by the record in which they are written. */
export const contractTestKeys: Readonly<Record<string, Words>> = {
  ContractTest: wordsFor({
    "write 'name'": "title description",
    "write 'interface'": "route",
    "write 'given: { params: …, headers: …, body: … }'": "request input",
    "write 'given'": "when",
    "write 'expect'": "response expected",
    "write 'given: { stubs: … }'": "mock mocks",
  }),
  Given: wordsFor({
    "write 'params', 'headers' and 'body' without it": "request",
    "write 'params'": "query",
    "write 'body'": "json payload",
    "write 'path'": "url route",
    "write 'var'": "variables",
    "write 'secret'": "secrets",
    "write 'env'": "environment",
    "write 'stubs'": "mock mocks http",
    "write 'clock'": "now time",
  }),
  Expected: wordsFor({
    "write 'status'": "code http_code status_code",
    "write 'body'": "json",
    "write 'body', or 'includes' for a part of it": "data",
    "write 'includes'": "contains",
    "write 'tests'": "asserts assert",
    "write 'effects'": "calls",
  }),
  Answer: wordsFor({
    "write 'status'": "code http_code",
    "write 'body'": "json",
    "write 'fails'": "error",
    "write 'fails: timeout'": "timeout",
  }),
};
