import { compile, type Options, selectAll, selectOne } from "css-select";
import * as dom from "domutils";
import { DomHandler, Parser } from "htmlparser2";
import { Failure, Reject } from "../value/failure.ts";
import { messageOf } from "../value/thrown.ts";

type Adapter = NonNullable<Options<Node, Element>["adapter"]>;
type Document = DomHandler["root"];
type Node = Document["children"][number];
type Element = Extract<Node, { readonly attribs: unknown }>;

/** The part of an element that is taken: its text, the HTML in it, or an attribute. */
export type HtmlPart = "text" | "html" | { readonly attribute: string };

export interface HtmlRequest {
  readonly html: string;
  readonly selector: string;
  readonly part: HtmlPart;
  /** Every match, not only the first. */
  readonly all: boolean;
}

const longestSelector = 4096;
const isTag = (node: Node): node is Element => "attribs" in node;

/** Names of SVG may have capitals (`linearGradient`), but those of a selector are read without them. */
const options: Options<Node, Element> = { adapter: { ...dom, isTag, getName: ({ name }) => name.toLowerCase() } as Adapter };

/** choice: browsers stop at half of this depth, and functions that walk the tree need a stack. */
const deepest = 1000;

/** Refuses a selector that does not parse (PW514). */
export function checkSelector(selector: string): void {
  const reject = (reason: string): Reject => new Reject("PW514", `CSS selector: ${reason}`);
  if (selector.trim() === "") throw reject("it is empty");
  if (selector.length > longestSelector) throw reject(`it is longer than ${longestSelector} characters`);
  const bare = selector.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gs, '""');
  // The library reads `a >` as `a`, and a name as one that may begin with any character: `a..b` would find nothing.
  if (/^\s*[>+~]|(?<!\\)[>+~]\s*(?:[,)]|$)/.test(bare)) throw reject("a combinator has nothing on one side");
  if (/(?<!\\)(?:\.\.|\[\s*=)/.test(bare)) throw reject("a name is missing");
  try {
    compile(withoutComments(selector));
  } catch (error) {
    throw reject(
      messageOf(error)
        .replace(/(?<=found )$/, "the end")
        .replace(/ by css-select$/, ""),
    );
  }
}

/** A comment says nothing, and stands in no quotes; the library reads only some. Between two names it is left, since they are two. */
const withoutComments = (selector: string): string =>
  selector.includes("/*")
    ? selector.replace(
        /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.)|(?<![\w-])\/\*.*?\*\/|\/\*.*?\*\/(?![\w-])/gs,
        (_, kept?: string) => kept ?? "",
      )
    : selector;

/** Parts of the elements that a selector finds in a document: the first one or null, or all of them. */
export function findHtml({ html, selector: written, part, all }: HtmlRequest): string | null | (string | null)[] {
  const document = parseHtml(html);
  const selector = withoutComments(written);
  if (all) return selectAll<Node, Element>(selector, document, options).map((element) => partOf(element, part));
  const first = selectOne<Node, Element>(selector, document, options);
  return first === null ? null : partOf(first, part);
}

function partOf(element: Element, part: HtmlPart): string | null {
  if (part === "text") return dom.textContent(element).trim();
  if (part === "html") return dom.getInnerHTML(element, { encodeEntities: "utf8" });
  const name = part.attribute.toLowerCase();
  return Object.hasOwn(element.attribs, name) ? (element.attribs[name] ?? null) : null;
}

/**
 * A document with the elements that HTML implies, as browsers have them: `html`, `head`, `body` and, around the rows of a table, `tbody`.
 * Selectors count on those.
 */
function parseHtml(html: string): Document {
  const document = parsed(html);
  for (const element of elementsIn(document)) if (element.name === "table") adopt(element, withBodies(element.children));
  const root = document.children.find(isElement("html"));
  const nodes = document.children.flatMap((node) => (isElement("html")(node) ? node.children : [node]));
  const [head, body]: [Node[], Node[]] = [[], []];
  let isBody = false;
  for (const node of nodes) {
    const isHead = isElement("head")(node);
    isBody ||= !isHead && !isMetadata(node);
    const part = isBody ? body : head;
    for (const each of isHead || isElement("body")(node) ? node.children : [node]) part.push(each);
  }
  const parts = { head: nodes.find(isElement("head")), body: nodes.find(isElement("body")) };
  adopt(document, [
    adopt(root ?? emptyElement("html"), [adopt(parts.head ?? emptyElement("head"), head), adopt(parts.body ?? emptyElement("body"), body)]),
  ]);
  return document;
}

/**
 * Parses the document as it is written. A tag takes longer the deeper it is nested, so a document that is nested too deeply is refused at
 * once.
 */
function parsed(html: string): Document {
  const tree = new BoundedTree();
  new Parser(tree).end(html);
  return tree.root;
}

class BoundedTree extends DomHandler {
  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    if (this.tagStack.length > deepest) throw new Failure("transform", `HTML is nested deeper than ${deepest} elements`);
  }
}

/** All elements, level by level. */
function elementsIn(document: Document): readonly Element[] {
  const elements: Element[] = [];
  const add = (nodes: readonly Node[]): void => {
    for (const node of nodes) if ("attribs" in node) elements.push(node);
  };
  add(document.children);
  // The list grows while it is read.
  for (const { children } of elements) add(children);
  return elements;
}

/** Children of a table, with each run of rows in a body of its own. */
function withBodies(children: readonly Node[]): readonly Node[] {
  const out: Node[] = [];
  const bodies: { readonly body: Element; readonly rows: Node[] }[] = [];
  let rows: Node[] | undefined;
  for (const node of children) {
    const isRow = isElement("tr")(node);
    if (isRow && rows === undefined) {
      const body = emptyElement("tbody");
      rows = [];
      bodies.push({ body, rows });
      out.push(body);
    } else if (!isRow && "attribs" in node) rows = undefined;
    (rows ?? out).push(node);
  }
  for (const { body, rows } of bodies) adopt(body, rows);
  return out;
}

const isElement =
  (name: string) =>
  (node: Node): node is Element =>
    "attribs" in node && node.name === name;

/** Nodes that stand in the head when they come before everything else. */
const isMetadata = (node: Node): boolean =>
  "attribs" in node
    ? /^(?:title|meta|link|base|style|script|template|noscript)$/.test(node.name)
    : node.type !== "text" || node.data.trim() === "";

/** An element without attributes. */
function emptyElement(name: string): Element {
  const [element] = parsed(`<${name}></${name}>`).children;
  if (element === undefined || !("attribs" in element)) throw new TypeError(`no element ${name}`);
  return element;
}

/** Replaces the children of a node by these. */
function adopt<Parent extends Document | Element>(parent: Parent, children: readonly Node[]): Parent {
  parent.children = [...children];
  for (const [i, node] of children.entries()) {
    node.parent = parent;
    node.prev = children[i - 1] ?? null;
    node.next = children[i + 1] ?? null;
  }
  return parent;
}
