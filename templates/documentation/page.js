// Shows docs.json. Whatever the document says is set as text, never as markup.

/** An element; children are elements or texts, nothing else becomes one. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== ""));
  return node;
}

const at = (path) => path.reduce((value, key) => value?.[key], api);
const resolve = (part) => (part?.$ref === undefined ? part : at(part.$ref.slice(2).split("/")));

/** Paragraphs, lists, `code` and **strong**: as much Markdown as descriptions use. */
function prose(text = "") {
  const blocks = text.split(/\n\s*\n/).map((block) => {
    const lines = block.split("\n");
    if (lines.every((line) => /^\s*[-*] /.test(line)))
      return el(
        "ul",
        {},
        lines.map((line) => el("li", {}, inline(line.replace(/^\s*[-*] /, "")))),
      );
    return el("p", {}, inline(block));
  });
  return el("div", { class: "prose" }, blocks);
}

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (/^`.+`$/s.test(part)) return el("code", {}, part.slice(1, -1));
    return /^\*\*.+\*\*$/s.test(part) ? el("strong", {}, part.slice(2, -2)) : part;
  });
}

const methodBadge = (method) => el("span", { class: `method ${method}` }, method.toUpperCase());

/** A path that breaks after its slashes where it has to. */
const pathText = (path) =>
  el(
    "span",
    { class: "path" },
    path
      .split(/(\{[^}]+\})|(?<=\/)(?=[^/])/)
      .filter((part) => part !== undefined && part !== "")
      .flatMap((part) => [part.startsWith("{") ? el("b", {}, part) : part, part.endsWith("/") ? el("wbr") : undefined]),
  );

/** Text with lines of its own, which scrolls when it is focused. */
const listing = (label, ...children) => el("pre", { tabindex: "0", role: "region", "aria-label": label }, children);

// What a schema says.

function typeText(schema) {
  const { type, format, items, enum: words, nullable } = schema;
  const base = type === "array" ? `list of ${typeText(resolve(items) ?? {})}` : (type ?? (words === undefined ? "any" : "one of"));
  return `${base}${format === undefined ? "" : ` · ${format}`}${nullable ? " or null" : ""}`;
}

function ruleTexts(schema) {
  const size = (least, most, what) => {
    if (least === undefined && most === undefined) return undefined;
    const counted = (count) => `${count} ${what}${count === 1 ? "" : "s"}`;
    if (least === most) return counted(least);
    if (most === undefined) return `at least ${counted(least)}`;
    return least === undefined ? `at most ${counted(most)}` : `${least} to ${counted(most)}`;
  };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, enum: words, default: preset } = schema;
  return [
    size(schema.minLength, schema.maxLength, "character"),
    size(schema.minItems, schema.maxItems, "item"),
    minimum === undefined ? undefined : `${exclusiveMinimum ? "above" : "from"} ${minimum}`,
    maximum === undefined ? undefined : `${exclusiveMaximum ? "below" : "up to"} ${maximum}`,
    pattern === undefined ? undefined : `matches ${pattern}`,
    words === undefined ? undefined : words.map((word) => JSON.stringify(word)).join(", "),
    preset === undefined ? undefined : `default ${JSON.stringify(preset)}`,
  ].filter((rule) => rule !== undefined);
}

function field(name, schema, required, depth) {
  const target = resolve(schema) ?? {};
  const rules = ruleTexts(target);
  return el(
    "li",
    {},
    el("span", { class: "name" }, name),
    el("span", { class: "type" }, typeText(target)),
    required ? el("span", { class: "needed" }, "required") : undefined,
    rules.length === 0 ? undefined : el("span", { class: "rules" }, rules.join(" · ")),
    target.description === undefined ? undefined : prose(target.description),
    depth < 6 ? members(target, depth + 1) : undefined,
  );
}

/** The members of an object, or of the objects in a list. */
function members(schema, depth = 0) {
  const target = resolve(schema) ?? {};
  if (target.type === "array") return members(resolve(target.items), depth);
  const { properties = {}, required = [], additionalProperties } = target;
  const rows = Object.entries(properties).map(([name, one]) => field(name, one, required.includes(name), depth));
  if (typeof additionalProperties === "object") rows.push(field("…", additionalProperties, false, depth));
  return rows.length === 0 ? undefined : el("ul", { class: "fields" }, rows);
}

/** A value of the schema, for a sample. */
function sample(schema, depth = 0) {
  const target = resolve(schema) ?? {};
  if (target.example !== undefined) return target.example;
  if (target.default !== undefined) return target.default;
  if (target.enum !== undefined) return target.enum[0];
  if (target.type === "array") return depth > 4 ? [] : [sample(target.items, depth + 1)];
  if (target.properties !== undefined && depth < 5) {
    return Object.fromEntries(Object.entries(target.properties).map(([name, one]) => [name, sample(one, depth + 1)]));
  }
  const simple = { number: target.minimum ?? 1, integer: target.minimum ?? 1, boolean: true, object: {} };
  return simple[target.type] ?? (target.format === "uuid" ? "00000000-0000-4000-8000-000000000000" : "text");
}

// Samples of code, and trying.

function json(value) {
  const text = JSON.stringify(value, null, 2);
  const parts = text.split(/("(?:[^"\\]|\\.)*"(?=\s*:)|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/);
  const kind = (part, i) => (parts[i + 1]?.trimStart().startsWith(":") ? "k" : part.startsWith('"') ? "s" : "n");
  return parts.map((part, i) => (i % 2 === 0 ? part : el("span", { class: kind(part, i) }, part)));
}

/** The address of this service: beside this page, unless the document names another one. */
const here = new URL(".", location.href).href.replace(/\/$/, "");
const base = () => (api.servers?.[0]?.url ?? "/").replace(/^\/$/, here);

function requestOf(operation) {
  const media = operation.requestBody?.content?.["application/json"];
  const body = media === undefined ? undefined : (media.example ?? sample(media.schema));
  const parameters = operation.parameters ?? [];
  const value = (one) => String(one.example ?? sample(one.schema));
  const query = parameters
    .filter((one) => one.in === "query" && one.required)
    .map((one) => `${one.name}=${encodeURIComponent(value(one))}`);
  const headers = (operation.security ?? []).flatMap(Object.keys).map((name) => at(["components", "securitySchemes", name]));
  const named = [
    ...headers.map((scheme) => (scheme.type === "http" ? ["authorization", "Bearer TOKEN"] : [scheme.name, "TOKEN"])),
    ...parameters.filter((one) => one.in === "header" && one.required).map((one) => [one.name, value(one)]),
  ];
  return {
    body,
    query: query.length === 0 ? "" : `?${query.join("&")}`,
    headers: body === undefined ? named : [["content-type", "application/json"], ...named],
  };
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(method, path, operation) {
  const { body, query, headers } = requestOf(operation);
  const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${quoted(`${base()}${path}${query}`)}`];
  for (const [name, value] of headers) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`  -d ${quoted(JSON.stringify(body, null, 2))}`);
  return lines.join(" \\\n");
}

function script(method, path, operation) {
  const { body, query, headers } = requestOf(operation);
  const options = [`  method: "${method.toUpperCase()}",`];
  if (headers.length > 0) options.push(`  headers: ${JSON.stringify(Object.fromEntries(headers))},`);
  if (body !== undefined) options.push(`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),`);
  return `const response = await fetch(${JSON.stringify(`${base()}${path}${query}`)}, {\n${options.join("\n")}\n});\nconst result = await response.json();`;
}

function samples(method, path, operation) {
  const texts = { curl: curl(method, path, operation), JavaScript: script(method, path, operation) };
  const shown = listing("Request", texts.curl);
  const tabs = Object.keys(texts).map((name, i) =>
    el("button", { type: "button", "aria-pressed": String(i === 0), onclick: ({ currentTarget }) => choose(currentTarget, name) }, name),
  );
  const choose = (tab, name) => {
    for (const one of tabs) one.setAttribute("aria-pressed", String(one === tab));
    shown.replaceChildren(texts[name]);
  };
  const copy = el("button", { type: "button", class: "copy", onclick: () => copied(copy, shown.textContent) }, "Copy");
  return el("div", { class: "panel" }, el("div", {}, tabs, copy), shown);
}

async function copied(button, text) {
  const done = await navigator.clipboard.writeText(text).then(
    () => "Copied",
    () => "Not allowed",
  );
  button.textContent = done;
  setTimeout(() => button.replaceChildren("Copy"), 1500);
}

/** The texts among which a value is chosen; undefined where any other may be right. */
function choicesOf({ enum: words, type }) {
  if (words !== undefined) return words.filter((word) => word !== null).map(String);
  return type === "boolean" ? ["true", "false"] : undefined;
}

/** A list to choose from. What is not required may be left out. */
function choice(name, choices, { required, preset }) {
  const option = (value) => el("option", { value, selected: value === String(preset) }, value === "" ? "not sent" : value);
  return el("select", { name, required }, [...(required ? [] : [""]), ...choices].map(option));
}

/** A form that sends the request to this host. */
function trying(method, path, operation) {
  const { body, headers } = requestOf(operation);
  const input = (name, { value = "", placeholder = "", required = false }) => [
    name,
    el("input", { name, value, placeholder, required, autocomplete: "off", spellcheck: "false" }),
  ];
  const entryOf = ({ name, schema, required = false, example }) => {
    const choices = choicesOf(resolve(schema) ?? {});
    if (choices !== undefined) return [name, choice(name, choices, { required, preset: example })];
    return input(name, required ? { value: example, placeholder: "required", required: true } : { value: example });
  };
  const parameters = (operation.parameters ?? []).map((one) => ({ one, entry: entryOf(one) }));
  const isNamed = (name) => name === "content-type" || parameters.some(({ one }) => one.name === name);
  const extra = headers.filter(([name]) => !isNamed(name)).map(([name, placeholder]) => input(name, { placeholder }));
  const text = body === undefined ? undefined : el("textarea", { name: "body", spellcheck: "false" }, JSON.stringify(body, null, 2));
  const result = el("div");
  // Read out is what became of the request, not every line of the answer.
  const outcome = el("p", { class: "hidden", role: "status" });
  const button = el("button", { type: "submit" }, "Send");
  const send = async (event) => {
    event.preventDefault();
    const filled = parameters.reduce(
      (url, { one, entry }) => (one.in === "path" ? url.replace(`{${one.name}}`, encodeURIComponent(entry[1].value)) : url),
      path,
    );
    const filledIn = (where) =>
      parameters.filter(({ one, entry }) => one.in === where && entry[1].value !== "").map(({ entry }) => [entry[0], entry[1].value]);
    const query = new URLSearchParams(filledIn("query"));
    const sent = Object.fromEntries([
      ...filledIn("header"),
      ...extra.filter(([, { value }]) => value !== "").map(([name, { value }]) => [name, value]),
      ...(text === undefined ? [] : [["content-type", "application/json"]]),
    ]);
    button.disabled = true;
    const { said, shown } = await answer(`${here}${filled}${query.size === 0 ? "" : `?${query}`}`, {
      method: method.toUpperCase(),
      headers: sent,
      body: text?.value,
    });
    outcome.replaceChildren(said);
    result.replaceChildren(shown);
    button.disabled = false;
  };
  const controls = [...parameters.map(({ entry }) => entry), ...extra, ...(text === undefined ? [] : [["body", text]])];
  const labels = controls.map(([name, control]) => el("label", {}, name, control));
  return el("div", { class: "panel try" }, el("div", {}, "Try it"), el("form", { onsubmit: send }, labels, button), outcome, result);
}

async function answer(url, options) {
  const began = performance.now();
  try {
    const response = await fetch(url, { ...options, cache: "no-store", credentials: "omit" });
    const text = await response.text();
    const ms = Math.round(performance.now() - began);
    const head = el("div", {}, el("span", { class: `status${response.ok ? "" : " fails"}` }, String(response.status)), `${ms} ms`);
    return { said: `Answered with ${response.status}`, shown: el("div", { class: "panel" }, head, listing("Answer", shownBody(text))) };
  } catch (error) {
    const said = `The request could not be sent: ${error.message}`;
    return { said, shown: el("pre", {}, said) };
  }
}

function shownBody(text) {
  try {
    return json(JSON.parse(text));
  } catch {
    return text === "" ? "(empty)" : text;
  }
}

// The page.

function responseOf([code, given]) {
  const response = resolve(given);
  const [[type, media] = []] = Object.entries(response.content ?? {});
  const inner =
    media === undefined
      ? undefined
      : [
          el("p", { class: "media" }, type),
          members(media.schema),
          media.example === undefined
            ? undefined
            : el("div", { class: "panel" }, el("div", {}, "Example"), listing("Example", json(media.example))),
        ];
  return el(
    "details",
    { class: "response", open: code.startsWith("2") && media?.schema.$ref === undefined },
    el("summary", {}, el("span", { class: `status${/^[45]/.test(code) ? " fails" : ""}` }, code), response.description),
    el("div", {}, inner),
  );
}

function operationOf({ method, path, operation }) {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const media = requestBody?.content?.["application/json"];
  const rows = (where) =>
    parameters
      .filter((one) => one.in === where)
      .map((one) => field(one.name, { ...one.schema, description: one.description }, one.required, 0));
  const [inPath, inQuery, inHeader] = [rows("path"), rows("query"), rows("header")];
  return el(
    "article",
    { id: operationId },
    el("header", {}, el("h3", {}, summary), el("div", { class: "route" }, methodBadge(method), pathText(path))),
    el(
      "div",
      {},
      description === summary ? undefined : prose(description),
      inPath.length === 0 ? undefined : [el("h4", {}, "Path"), el("ul", { class: "fields" }, inPath)],
      inQuery.length === 0 ? undefined : [el("h4", {}, "Query"), el("ul", { class: "fields" }, inQuery)],
      inHeader.length === 0 ? undefined : [el("h4", {}, "Headers"), el("ul", { class: "fields" }, inHeader)],
      media === undefined
        ? undefined
        : [el("h4", {}, "Body"), members(media.schema) ?? el("p", { class: "quiet" }, typeText(resolve(media.schema) ?? {}))],
      el("h4", {}, "Responses"),
      Object.entries(responses).map(responseOf),
    ),
    el("div", { class: "side" }, samples(method, path, operation), trying(method, path, operation)),
  );
}

/** All operations by their first tag, in the order of the tags. */
function groups() {
  const all = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  return api.tags
    .map(({ name, description }) => ({ name, description, operations: all.filter(({ operation }) => operation.tags[0] === name) }))
    .filter(({ operations }) => operations.length > 0);
}

function show() {
  const found = groups();
  document.title = api.info.title;
  document.getElementById("brand").textContent = api.info.title;
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0);
  const chips = [`version ${api.info.version}`, `${count} operation${count === 1 ? "" : "s"}`, base()].map((text) =>
    el("span", { class: "chip" }, text),
  );
  const head = el(
    "header",
    { id: "top" },
    el("h1", {}, api.info.title),
    el("div", { class: "facts" }, chips, el("a", { class: "chip", href: "docs.json" }, "OpenAPI 3.0.3")),
    prose(api.info.description),
  );
  const sections = found.map(({ name, description, operations }) => [
    el("h2", { class: "group" }, name),
    found.length > 1 && !description.startsWith("The interfaces ") ? prose(description) : undefined,
    operations.map(operationOf),
  ]);
  const nothing = count === 0 ? [el("p", { class: "note" }, "Nothing of this service is served over HTTP.")] : [];
  document.getElementById("content").replaceChildren(head, ...nothing, ...sections.flat(Infinity).filter((part) => part !== undefined));
  list(found, "");
  const search = document.getElementById("search");
  search.addEventListener("input", () => list(found, search.value));
  const menu = folding();
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
      return;
    event.preventDefault();
    menu.open = true;
    search.focus();
  });
  watch();
  // The element that the address names is there only now.
  if (location.hash.length > 1) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

function list(found, words) {
  const wanted = words.toLowerCase().split(/\s+/);
  const fits = ({ method, path, operation }) =>
    wanted.every((word) => `${method} ${path} ${operation.summary} ${operation.tags}`.toLowerCase().includes(word));
  const parts = found.map(({ name, operations }) => ({ name, left: operations.filter(fits) })).filter(({ left }) => left.length > 0);
  const entry = ({ method, operation }) =>
    el("li", {}, el("a", { href: `#${operation.operationId}` }, methodBadge(method), operation.summary));
  const blocks = parts.map(({ name, left }) => el("section", { "aria-label": name }, el("h2", {}, name), el("ul", {}, left.map(entry))));
  const none = words === "" ? "No operations" : `No operation fits “${words}”`;
  document.getElementById("index").replaceChildren(...(blocks.length === 0 ? [el("p", { class: "none" }, none)] : blocks));
}

/** The list of operations stands beside them where there is room, and else is a menu. */
function folding() {
  const menu = document.getElementById("menu");
  const narrow = matchMedia("(max-width: 46rem)");
  const fold = () => {
    menu.open = !narrow.matches;
  };
  fold();
  narrow.addEventListener("change", fold);
  menu.addEventListener("click", ({ target }) => {
    if (target.closest("a") !== null) fold();
  });
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !narrow.matches) return;
    fold();
    menu.querySelector("summary").focus();
  });
  return menu;
}

/** Marks the operation in view. */
function watch() {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const link = document.querySelector(`nav a[href="#${CSS.escape(target.id)}"]`);
        if (isIntersecting) link?.setAttribute("aria-current", "true");
        else link?.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  for (const article of document.querySelectorAll("article")) observer.observe(article);
}

let api;
fetch("docs.json")
  .then((response) => {
    if (!response.ok) throw new Error(`the service answered with ${response.status}`);
    return response.json();
  })
  .then((document) => {
    api = document;
    show();
  })
  .catch((error) => {
    const said = el("p", { class: "note", role: "alert" }, `The document could not be loaded: ${error.message}.`);
    document.getElementById("content").replaceChildren(said);
  });
