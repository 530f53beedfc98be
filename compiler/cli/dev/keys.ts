import { spawn } from "node:child_process";
import type { Terminal } from "../project.ts";

/** The functions behind the keys of `dev`. */
export interface KeyActions {
  readonly reload: () => Promise<void>;
  readonly url: string;
  readonly quit: () => void;
  /** Runs the contract tests and prints their results. */
  readonly test: () => Promise<void>;
  /** Shows the routes. */
  readonly routes: () => void;
}

const help = `keys:  r reload   o open in a browser   t run the tests   l list the routes   q quit   h help\n`;

/** Listens to keys if a user sits at the terminal; gives the function that ends it. */
export function listenToKeys(actions: KeyActions, terminal: Terminal): () => void {
  if (terminal.keys === undefined) return () => undefined;
  terminal.err(help);
  const test = oneAtATime(actions.test);
  return terminal.keys((key) => {
    switch (key) {
      case "r":
        void actions.reload();
        break;
      case "o":
        open(actions.url, terminal);
        break;
      case "t":
        void test();
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

/** The work, which is not begun again while it runs. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isBusy = false;
  return async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await work();
    } finally {
      isBusy = false;
    }
  };
}

/** Opens the browser of the desktop. Without one, the address is printed. */
function open(url: string, terminal: Terminal): void {
  const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  spawn(program, [url], { stdio: "ignore", detached: true })
    .on("error", () => terminal.err(`open ${url}\n`))
    .unref();
}
