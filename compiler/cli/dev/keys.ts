import { spawn } from "node:child_process";
import type { Terminal } from "../project.ts";

/** The functions behind the keys of `dev`. */
export interface KeyActions {
  readonly reload: () => Promise<void>;
  readonly url: string;
  readonly quit: () => void;
  /** Shows the routes. */
  readonly routes: () => void;
}

const help = `keys:  r reload   o open in a browser   l list the routes   q quit   h help\n`;

/** Listens to keys where somebody sits at the terminal; gives what ends that. */
export function listenToKeys(actions: KeyActions, terminal: Terminal): () => void {
  if (terminal.keys === undefined) return () => undefined;
  terminal.err(help);
  return terminal.keys((key) => {
    switch (key) {
      case "r":
        void actions.reload();
        break;
      case "o":
        open(actions.url, terminal);
        break;
      case "l":
        actions.routes();
        break;
      case "q":
        actions.quit();
        break;
      case "h":
      case "?":
        terminal.err(help);
    }
  });
}

/** The browser of the desktop; where there is none the address is said. */
function open(url: string, terminal: Terminal): void {
  const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  spawn(program, [url], { stdio: "ignore", detached: true })
    .on("error", () => terminal.err(`open ${url}\n`))
    .unref();
}
