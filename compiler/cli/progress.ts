import type { Terminal } from "./project.ts";

/** How far long work has come. */
export interface Progress extends Disposable {
  /** A step begins; the one before it is done. */
  step(name: string, detail: string): void;
  /** Something to be read, beside the steps. */
  note(text: string): void;
  /** The last step is done. Without it, that step has failed. */
  done(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 80;

/** On a terminal a line that moves, elsewhere a line for each step as it begins, with `quiet` nothing. All of it on stderr. */
export function progressOn(terminal: Terminal, { quiet = false }: { readonly quiet?: boolean | undefined }): Progress {
  if (quiet) return { step: () => undefined, note: () => undefined, done: () => undefined, [Symbol.dispose]: () => undefined };
  return terminal.isLive === true ? moving(terminal) : plain(terminal);
}

const plain = ({ err }: Terminal): Progress => ({
  step: (name, detail) => err(`${name}: ${detail}\n`),
  note: (text) => err(`${text}\n`),
  done: () => undefined,
  [Symbol.dispose]: () => undefined,
});

/** The step under way is written again and again; what is done stays. */
function moving({ err }: Terminal): Progress {
  let current: string | undefined;
  let frame = 0;
  const draw = (): void => {
    if (current !== undefined) err(`${clear}${frames[frame++ % frames.length]} ${current}`);
  };
  const timer = setInterval(draw, frameMs);
  timer.unref();
  const finish = (): void => {
    if (current !== undefined) err(`${clear}✓ ${current}\n`);
    current = undefined;
  };
  return {
    step(name, detail) {
      finish();
      current = `${name}: ${detail}`;
      draw();
    },
    note(text) {
      err(`${clear}${text}\n`);
      draw();
    },
    done: finish,
    [Symbol.dispose]() {
      clearInterval(timer);
      // The reason of a failure is printed below.
      if (current !== undefined) err(`${clear}✗ ${current}\n`);
    },
  };
}

/** To the beginning of the line, which is wiped. */
const clear = "\r\u001b[2K";
