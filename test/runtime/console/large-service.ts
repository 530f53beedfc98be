import { openHistory } from "#runtime/capture/open.ts";
import type { Entry } from "#runtime/capture/recording.ts";
import { ownFolder, placeOf } from "../../harness/captured.ts";
import { type ConsoleService, consoleService } from "./console-service.ts";

// A service as large as a console has to show it without effort: 1,000 interfaces and 10,000 recorded runs.

const [interfaces, runs] = [1_000, 10_000] as const;

const many = (part: number): string => `name: Part ${part}
interfaces:
${Array.from(
  { length: interfaces / 10 },
  (_, i) =>
    `  part${part}/number${i}: { method: GET, route: /part${part}/number${i}/:id, capture: all, actions: [{ name: A, json_output: [1] }] }`,
).join("\n")}
`;

function entry(n: number): Entry {
  const at = Date.now() - (runs - n) * 10;
  const summary = {
    ...{ run_uuid: `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`, parent: null, config: `Part ${n % 10}` },
    ...{ interface: `part${n % 10}/number${n % 100}`, trigger: "http", started: new Date(at).toISOString(), ms: n % 90 },
    status: n % 7 === 0 ? 500 : 200,
  };
  return { ...summary, at, text: JSON.stringify({ ...summary, request: { params: {}, headers: {}, body: null }, actions: [] }) };
}

/** The questions of the pages that list all of it. */
export const largeQuestions: readonly string[] = [
  "/api/v1/map?limit=500",
  "/api/v1/runs?limit=200",
  "/api/v1/runs?limit=200&status=5xx",
  "/api/v1/figures",
  "/api/v1/cluster",
];

export async function largeService(): Promise<{ readonly one: ConsoleService; readonly close: () => Promise<void> }> {
  const folder = ownFolder();
  const env = { ...folder.env, PIPEWRIGHT_DATABASE_URL: `sqlite:${folder.folder}.db` };
  const history = openHistory(placeOf(env));
  for (let n = 0; n < runs; n += 500) await history.write(Array.from({ length: 500 }, (_, i) => entry(n + i)));
  await history.close();
  const one = await consoleService(env, ...Array.from({ length: 10 }, (_, part) => many(part)));
  return {
    one,
    close: async () => {
      await one.served.close();
      folder.remove();
    },
  };
}

/** Scrolls a list by most of a screen in each frame, as a quick hand does, and then to its end; gives the number of frames. */
export const scrolled = `(async () => {
  const list = document.querySelector(".list");
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let frames = 0;
  for (; frames < 150; frames++) {
    list.scrollTop = frames * 600;
    await frame();
  }
  list.scrollTop = list.scrollHeight;
  await frame();
  await frame();
  const last = [...list.querySelectorAll("li")].at(-1);
  return { isThrough: last.getAttribute("aria-posinset") === last.getAttribute("aria-setsize"), frames };
})()`;
