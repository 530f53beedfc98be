import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";

// Functions of the page of an API document, with as much of a document as they use: the texts of rules, and the fields of a form.

class Element {
  readonly attributes: Record<string, string> = {};
  readonly children: (Element | string)[] = [];
  readonly tag: string;
  constructor(tag: string) {
    this.tag = tag;
  }
  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }
  addEventListener(): void {
    // Nothing is pressed here.
  }
  append(...children: (Element | string)[]): void {
    this.children.push(...children);
  }
  all(tag: string): Element[] {
    const below = this.children.flatMap((child) => (child instanceof Element ? child.all(tag) : []));
    return this.tag === tag ? [this, ...below] : below;
  }
}

/** The functions of the page; what it loads never comes. */
interface Functions {
  readonly ruleTexts: (schema: object) => string[];
  readonly trying: (method: string, path: string, operation: object) => Element;
}

const page = readFileSync(new URL("../../../../templates/documentation/page.js", import.meta.url), "utf8");
const context = createContext({
  document: { createElement: (tag: string) => new Element(tag) },
  location: { href: "http://127.0.0.1/documentation" },
  fetch: () => new Promise(() => undefined),
  URL,
});
runInContext(page, context);
const { ruleTexts, trying } = context as unknown as Functions; // function declarations of a script are members of its context

test.each([
  [{ minLength: 1 }, "at least 1 character"],
  [{ minLength: 2 }, "at least 2 characters"],
  [{ maxLength: 1 }, "at most 1 character"],
  [{ minLength: 1, maxLength: 1 }, "1 character"],
  [{ minLength: 0, maxLength: 1 }, "0 to 1 character"],
  [{ minItems: 1 }, "at least 1 item"],
  [{ minItems: 3, maxItems: 3 }, "3 items"],
])("%j reads %s", (schema, text) => {
  expect([...ruleTexts(schema)]).toEqual([text]);
});

test("a parameter with an enum is a list to choose from, which an optional one may leave out", () => {
  const parameters = [
    { name: "sort", in: "query", schema: { type: "string", enum: ["up", "down"] }, example: "down" },
    { name: "kind", in: "path", required: true, schema: { type: "integer", enum: [1, 2] } },
    { name: "all", in: "query", schema: { type: "boolean" } },
    { name: "word", in: "query", schema: { type: "string" } },
  ];
  const form = trying("get", "/{kind}", { parameters });
  const lists = form
    .all("select")
    .map((list) => [
      list.attributes.name,
      list.all("option").map(({ attributes }) => (attributes.selected === undefined ? attributes.value : `[${attributes.value}]`)),
    ]);
  expect(lists).toEqual([
    ["sort", ["", "up", "[down]"]],
    ["kind", ["1", "2"]],
    ["all", ["", "true", "false"]],
  ]);
  expect(form.all("input").map(({ attributes }) => attributes.name)).toEqual(["word"]);
});
