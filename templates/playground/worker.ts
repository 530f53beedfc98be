import { compile } from "./compile.ts";
import type { Answer, Question } from "./compiled.ts";
import { closeOutside } from "./outside.ts";

// The compiler in a thread of its own, which the page ends when it takes too long. It needs nothing from outside, and so has no way there.
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
