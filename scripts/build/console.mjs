import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { licencesOf } from "./licences.mjs";

/** Builds the page of the console (templates/console) by Vite: its HTML, its style and its script, which the runtime joins. */
export async function builtConsole(root) {
  const folder = join(root, "templates", "console");
  const { output } = await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    publicDir: false,
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2022",
      // Browsers that know light-dark(): without it every color is written twice.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      modulePreload: false,
      cssCodeSplit: false,
      lib: { entry: join(folder, "main.tsx"), formats: ["iife"], name: "pipewrightConsole", fileName: "page", cssFileName: "page" },
    },
  }).then((result) => (Array.isArray(result) ? result[0] : result));
  const { code, modules } = output.find(({ type }) => type === "chunk");
  const style = output.find(({ fileName }) => fileName.endsWith(".css")).source;
  return {
    page: readFileSync(join(folder, "page.html"), "utf8"),
    style: String(style),
    script: `${licencesOf(root, Object.keys(modules))}${code}`,
  };
}
