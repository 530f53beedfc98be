import type { Terminal } from "./project.ts";

/** The progress of long work. */
export interface Progress extends Disposable {
  /** Begins a step, and marks the step before it as done. */
  step(name: string, detail: string): void;
  /** Prints a text beside the steps. */
  note(text: string): void;
  /** Marks the last step as done. Without this call the step counts as failed. */
  done(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 80;

/** Shows progress on stderr: one changing line on a terminal, elsewhere a line at the begin of each step, and nothing with `quiet`. */
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

/** Progress on a terminal: the line of the current step is rewritten, lines of finished steps stay. */
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
      // The reason of a failure is printed on the next lines.
      if (current !== undefined) err(`${clear}✗ ${current}\n`);
    },
  };
}

/** The codes that move to the begin of the line and clear it. */
const clear = "\r\u001b[2K";
