import type { Host } from "../host.ts";
import type { InterfaceCapture } from "../interface.ts";
import type { CapturePlan } from "../plan.ts";
import type { Run } from "../run.ts";
import { bundle } from "./bundle.ts";
import { openHistory } from "./open.ts";
import type { Ending } from "./port.ts";
import { recordOf } from "./record.ts";
import { Recorder } from "./recorder.ts";
import { Window } from "./window.ts";

/** What records the runs of an interface (surfaces.md 16). A process that records nothing opens nothing. */
export function captureRuns(settings: CapturePlan): InterfaceCapture {
  const windows = new WeakMap<Host, Window>();
  const windowOf = (host: Host, config: string, target: string): Window => {
    const known = windows.get(host);
    if (known !== undefined) return known;
    const opened = new Window(settings, { config, interface: target, bundle }, host, recorderOf);
    windows.set(host, opened);
    return opened;
  };
  return {
    ...settings,
    start: (host, config, target) => {
      const window = windowOf(host, config.name, target.name);
      if (!window.over) window.recorder.begin(window);
    },
    note: (run, status, ending) => {
      const { host, config, interface: target } = run;
      const window = windows.get(host) ?? windowOf(host, config.name, target.name);
      if (!window.over) note(window, run, status, ending);
    },
    isOpen: (host, config, target) => !windowOf(host, config.name, target.name).over,
    history: (host) => recorderOf(host).history,
  };
}

function note(window: Window, run: Run, status: number, ending: Ending | undefined): void {
  if (run.isRecorded) return;
  run.isRecorded = true;
  const wanted = window.takes(status);
  if (!wanted && !window.isBounded) return;
  const { recorder } = window;
  if (!wanted) recorder.finished(window);
  else if (recorder.isFull) recorder.drop(window, run.config);
  else recorder.add(window, run.config, recordOf(run, status, ending));
}

/** One for all interfaces of a process. */
const recorderOf = (host: Host): Recorder => host.resource("recorder", () => new Recorder(host, openHistory(host)));
