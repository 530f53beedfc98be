import type { CapturePlan } from "../plan/index.ts";
import type { Host } from "../process/host.ts";
import type { InterfaceCapture } from "../run/interface.ts";
import type { Run } from "../run/run.ts";
import { bundle } from "./bundle.ts";
import { KeptExchanges } from "./exchanges.ts";
import { openHistory } from "./open.ts";
import type { Ending } from "./port.ts";
import { recordOf } from "./record.ts";
import { Recorder } from "./recorder.ts";
import { Window } from "./window.ts";

/** Records the runs of an interface (spec/surfaces 16). A process that records nothing opens no store. */
export function captureRuns(settings: CapturePlan): InterfaceCapture {
  const windows = new WeakMap<Host, Recording>();
  const windowOf = (host: Host, config: string, target: string): Recording => {
    const window = windows.get(host);
    if (window !== undefined) return window;
    const opened = new Recording(new Window(settings, { config, interface: target, bundle }, host), host);
    windows.set(host, opened);
    return opened;
  };
  return {
    ...settings,
    start: (host, config, target) => {
      const { window, recorder } = windowOf(host, config.name, target.name);
      if (!window.over) recorder().begin(window);
    },
    listen: (host, config, target) => (windowOf(host, config.name, target.name).window.over ? undefined : new KeptExchanges()),
    note: (run, status, ending) => {
      const { host, config, interface: target } = run;
      const recording = windows.get(host) ?? windowOf(host, config.name, target.name);
      if (!recording.window.over) note(recording, run, status, ending);
    },
    isOpen: (host, config, target) => !windowOf(host, config.name, target.name).window.over,
    history: (host) => recorderOf(host).history,
  };
}

/** The window of one interface in this process, with the recorder that writes its runs. */
class Recording {
  readonly window: Window;
  readonly #host: Host;
  #recorder: Recorder | undefined;

  constructor(window: Window, host: Host) {
    this.window = window;
    this.#host = host;
  }

  /** The recorder is opened at its first use and kept: while the host closes, it still has to record the runs that the shutdown aborts. */
  readonly recorder = (): Recorder => {
    this.#recorder ??= recorderOf(this.#host);
    return this.#recorder;
  };
}

function note({ window, recorder: open }: Recording, run: Run, status: number, ending: Ending | undefined): void {
  if (run.isRecorded) return;
  run.isRecorded = true;
  const isWanted = window.takes(status);
  if (!isWanted && !window.isBounded) return;
  const recorder = open();
  if (!isWanted) recorder.finished(window);
  else if (recorder.isFull) recorder.drop(window, run.config);
  else recorder.add(window, run.config, recordOf(run, status, ending));
}

/** All interfaces of a process share one recorder. */
const recorderOf = (host: Host): Recorder => host.resource("recorder", () => new Recorder(host, openHistory(host)));
