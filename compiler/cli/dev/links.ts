import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { visibleLine } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";

/**
 * A place such as `notes.yaml:12:9` as a link (OSC 8) for terminals with colours. In the terminal of VS Code it opens the line, elsewhere
 * the file.
 */
export function linked(place: string, { cwd, colors, env }: Pick<Terminal, "cwd" | "colors" | "env">): string {
  const text = visibleLine(place);
  const [, file, line, column = "1"] = /^(.+?):(\d+)(?::(\d+))?$/s.exec(place) ?? [];
  if (!colors.out || file === undefined) return text;
  const { href, pathname } = pathToFileURL(resolve(cwd, file));
  const address = env.TERM_PROGRAM === "vscode" ? `vscode://file${pathname}:${line}:${column}` : href;
  return `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;
}
