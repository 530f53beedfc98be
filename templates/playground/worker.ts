import { compile } from "./compile.ts";
import type { Answer, Question } from "./compiled.ts";
import { closeOutside } from "./outside.ts";

// The compiler runs in a thread of its own, which the page ends when a compile takes too long. The compiler needs nothing from outside, so
// that all ways outside are removed.
closeOutside(self);

const say = (answer: Answer): void => self.postMessage(answer);

self.addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const { id, files } = data;
  try {
    say({ id, compiled: compile(files) });
  } catch (error) {
    say({ id, broken: error instanceof Error ? `${error.message}` : String(error) });
  }
});
say({ ready: true });
