import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build } from "vite";
import { licencesOf } from "./licences.mjs";
import { hasMeaning, withoutMeaning } from "./records.mjs";

/**
 * Exports of Node's modules that have stand-ins, since the phases use them. The bundle must need no other export of Node, or the build
 * fails.
 */
const standIns = {
  "node:buffer": ["isUtf8"],
  "node:crypto": ["createHash", "createPublicKey"],
  "node:net": ["isIP"],
};

/** Builds the playground (templates/playground), as texts by file names: a page, its style, its script, and the compiler as a worker. */
export async function builtPlayground(root) {
  const folder = join(root, "templates", "playground");
  const page = await bundled(root, join(folder, "main.tsx"), "page");
  const worker = await bundled(root, join(folder, "worker.ts"), "worker");
  return {
    "index.html": readFileSync(join(folder, "page.html"), "utf8"),
    "page.css": page.style,
    "page.js": page.script,
    "worker.js": worker.script,
  };
}

async function bundled(root, entry, name) {
  const { output } = await build({
    root: join(root, "templates", "playground"),
    configFile: false,
    logLevel: "error",
    publicDir: false,
    plugins: [recordsAlone, withoutNode(root), examples(root)],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2022",
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      modulePreload: false,
      cssCodeSplit: false,
      // `Buffer` is a global of Node that browsers lack.
      rolldownOptions: { transform: { inject: { Buffer: [join(root, "templates/playground/node/buffer.ts"), "Bytes"] } } },
      lib: { entry, formats: ["iife"], name: "pipewrightPlayground", fileName: name, cssFileName: name },
    },
  }).then((result) => (Array.isArray(result) ? result[0] : result));
  const { code, imports, modules } = output.find(({ type }) => type === "chunk");
  const left = [...new Set(code.match(/the playground has no [\w:/.]+/g))].concat(imports);
  if (left.length > 0) throw new Error(`${entry}: ${left.join(", ")}`);
  const style = output.find(({ fileName }) => fileName.endsWith(".css"))?.source ?? "";
  return { style: String(style), script: `${licencesOf(root, Object.keys(modules))}${code}` };
}

const noThreads = 'export const inWorker = () => { throw new Error("no threads"); };\nexport const replyOf = inWorker;';

/**
 * Leaves out how features run, as the published command does, since the compiler needs only their records. Code of threads is replaced by
 * stubs: stage 1 of a feature may refer to threads, but the playground starts none.
 */
const recordsAlone = {
  name: "records-alone",
  enforce: "pre",
  load(id) {
    if (hasMeaning.test(id)) return withoutMeaning(id, readFileSync(id, "utf8"));
    if (/[\\/]runtime[\\/]threads[\\/]worker\.ts$/.test(id)) return noThreads;
    return /[\\/]runtime[\\/]threads[\\/]kinds[\\/][\w-]+\.code\.ts$/.test(id) ? 'export const code = "";' : undefined;
  },
};

/**
 * Replaces Node's modules: exports that are used come from stand-ins, and every other export throws. The bundler must find all of the
 * others unused.
 */
const withoutNode = (root) => ({
  name: "without-node",
  enforce: "pre",
  // Native modules (`.node`) belong to database drivers.
  resolveId: (id) =>
    isBuiltin(id) || id.endsWith(".node") ? { id: `\0node:${id.replace(/^node:/, "")}`, moduleSideEffects: false } : undefined,
  async load(id) {
    if (!id.startsWith("\0node:")) return undefined;
    if (id.endsWith(".node")) return "";
    const module = id.slice(1);
    const own = standIns[module] ?? [];
    const others = Object.keys(await import(module)).filter((name) => !own.includes(name) && /^[A-Za-z_$][\w$]*$/.test(name));
    const file = join(root, "templates", "playground", "node", `${module.slice("node:".length)}.ts`);
    const lines = others.map((name) => {
      const absent = `/* @__PURE__ */ absent(${JSON.stringify(`the playground has no ${module}.${name}`)})`;
      return name === "default" ? `export default ${absent};` : `const _${name} = ${absent}; export { _${name} as ${name} };`;
    });
    if (own.length > 0) lines.push(`export { ${own.join(", ")} } from ${JSON.stringify(file)};`);
    return `const absent = (what) => { throw new Error(what); };\n${lines.join("\n")}`;
  },
});

/** The examples: the title of each page of the cookbook, and the YAML of the template that it begins with. */
const examples = (root) => ({
  name: "examples",
  resolveId: (id) => (id === "pipewright:examples" ? `\0${id}` : undefined),
  load(id) {
    if (id !== "\0pipewright:examples") return undefined;
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return `export const examples = ${JSON.stringify(examplesOf(root))}; export const version = ${JSON.stringify(version)};`;
  },
});

/** The examples in the order of docs/cookbook.md. */
export function examplesOf(root) {
  const pages = readFileSync(join(root, "docs", "cookbook.md"), "utf8").matchAll(/^\| `[\w-]+` \| \[[^\]]+\]\((cookbook\/[\w-]+\.md)\)/gm);
  return [...pages].map(([, page]) => {
    const text = readFileSync(join(root, "docs", page), "utf8");
    const title = /^# (.+)$/m.exec(text)[1];
    const template = /pipewright init \S+ --template (\S+)/.exec(text)[1];
    return { title, template, files: filesOf(join(root, "templates", template)) };
  });
}

/**
 * The configurations of a template, and its modules behind them; tests and values of variables are left out, since only the command uses
 * them.
 */
function filesOf(folder) {
  const list = (path) => readdirSync(join(folder, path), { withFileTypes: true }).filter((item) => item.isFile());
  const isConfig = (name) => /\.yaml$/.test(name) && !/\.test\.yaml$/.test(name);
  const folders = readdirSync(folder).includes("modules") ? ["", "modules/"] : [""];
  return folders.flatMap((path) =>
    list(path)
      .map(({ name }) => name)
      .filter(isConfig)
      .map((name) => [`${path}${name}`, readFileSync(join(folder, path, name), "utf8")]),
  );
}
