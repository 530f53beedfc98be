import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver/node";
import type { Analyst } from "./analysis/analyst.ts";
import type { Answer, PlainDiagnostic } from "./analysis/message.ts";
import { isInside, pathOf, uriOf } from "./paths.ts";
import { keyOf, type Project, projectOf } from "./projects.ts";
import type { Session } from "./session.ts";

/** The wait after a change, in milliseconds: a burst of keys is one change. */
export const quietMs = 40;

/** The version of a buffer at the begin of an analysis. */
interface Version {
  readonly version: number;
  readonly uri: string;
}

/** Sends the client the diagnostics of `check`, for all files of its projects, and keeps them current. */
export class Publisher {
  readonly #session: Session;
  readonly #analyst: Analyst;
  readonly #waiting = new Map<string, Project>();
  readonly #problems = new Map<string, string | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #looked: PromiseWithResolvers<void> | undefined;

  constructor(session: Session, analyst: Analyst) {
    this.#session = session;
    this.#analyst = analyst;
  }

  /** Requests an analysis of a project. */
  changed(project: Project | undefined): void {
    if (project === undefined) return;
    this.#session.listings.delete(keyOf(project));
    this.#waiting.set(keyOf(project), project);
    this.#looked ??= Promise.withResolvers();
    this.#session.looked = this.#looked.promise;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lookAtAll(), quietMs);
  }

  /** Requests an analysis of all projects, and forgets projects that no longer exist. */
  changedAll(): void {
    for (const project of this.#open().values()) this.changed(project);
    this.forgetClosed();
  }

  /** Removes the diagnostics of files without a project, for example of a file outside all projects that was closed. */
  forgetClosed(): void {
    const open = this.#open();
    for (const path of this.#session.found.keys()) {
      const own = this.#session.projectOf(path);
      // The project is searched only once for each file, since the search compares folders, and there may be hundreds of files and
      // projects.
      const isOpen = own === undefined ? [...open.values()].some(({ folder }) => isInside(path, folder)) : open.has(keyOf(own));
      if (!isOpen) this.#send(path, [], undefined);
    }
  }

  /** The projects of the client's folders, and the projects of open files outside these folders. */
  #open(): ReadonlyMap<string, Project> {
    const alone = this.#session.buffers.all().flatMap(({ uri }) => this.#session.projectOf(pathOf(uri) ?? "") ?? []);
    return new Map([...this.#session.projects, ...alone].map((each) => [keyOf(each), each] as const));
  }

  /** A file in `modules` or `vars` is no project by itself: it belongs to a project around it. */
  #owns(project: Project, path: string): boolean {
    const own = this.#session.projectOf(path);
    return own === undefined ? isInside(path, project.folder) : keyOf(own) === keyOf(project);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
    this.#looked?.resolve();
  }

  async #lookAtAll(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (let next = first(this.#waiting); next !== undefined; next = first(this.#waiting)) {
      this.#waiting.delete(keyOf(next));
      await this.#lookAt(next);
    }
    this.#isLooking = false;
    this.#looked?.resolve();
    this.#looked = undefined;
  }

  async #lookAt(project: Project): Promise<void> {
    if (!this.#open().has(keyOf(project))) return;
    const { folder, paths } = project;
    const { buffers, settings } = this.#session;
    const open = buffers.all().flatMap((buffer) => {
      const path = pathOf(buffer.uri);
      return path === undefined || !isInside(path, folder)
        ? []
        : [{ path, version: buffer.version, text: withoutMark(buffer.getText()), uri: buffer.uri }];
    });
    const texts = new Map(open.map(({ path, text }) => [path, text]));
    const answer = await this.#analyst.look({ folder, paths, environment: settings.environment, texts });
    // The only file of the project may have been closed meanwhile, or its folder removed.
    if (!this.#open().has(keyOf(project))) return;
    this.#tell(project, answer, new Map(open.map(({ path, version, uri }) => [path, { version, uri }])));
  }

  #tell(project: Project, answer: Answer, versions: ReadonlyMap<string, Version>): void {
    this.#sayProblem(project, answer.problem);
    const byPath = Map.groupBy(answer.found, ({ path }) => path);
    const isOurs = (path: string): boolean => this.#owns(project, path);
    const before = [...this.#session.found.keys()].filter(isOurs);
    for (const path of new Set([...before, ...byPath.keys(), ...[...versions.keys()].filter(isOurs)])) {
      const version = versions.get(path);
      // A newer version of the text has other places, and is analysed next.
      const isStale = version !== undefined && this.#session.bufferOf(path)?.version !== version.version;
      if (isStale || (projectOf(path, this.#session.projects)?.folder ?? project.folder) !== project.folder) continue;
      this.#send(path, byPath.get(path) ?? [], version);
    }
  }

  /** Logs once the reason why a project cannot be analysed. */
  #sayProblem(project: Project, problem: string | undefined): void {
    if (problem !== undefined && this.#problems.get(keyOf(project)) !== problem)
      this.#session.connection.console.error(`${project.folder}: ${problem}`);
    this.#problems.set(keyOf(project), problem);
  }

  #send(path: string, now: readonly PlainDiagnostic[], known: Version | undefined): void {
    if (now.length === 0 && known === undefined) this.#session.found.delete(path);
    else this.#session.found.set(path, now);
    const { showsPages } = this.#session.client;
    const diagnostics = now.map((one) => shown(one, showsPages));
    const version = known === undefined ? {} : { version: known.version };
    void this.#session.connection.sendDiagnostics({ uri: known?.uri ?? uriOf(path), ...version, diagnostics });
  }
}

const first = (waiting: ReadonlyMap<string, Project>): Project | undefined => waiting.values().next().value;

/** The text without its byte order mark, as files of the disk are read, too. */
const withoutMark = (text: string): string => (text.startsWith("\ufeff") ? text.slice(1) : text);

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
} as const;

/** The scheme of documents that the server makes: pages of diagnostics. */
export const pageScheme = "pipewright-page";

/** A diagnostic in the form of the protocol. */
export function shown({ range, severity, code, message, hint, related }: PlainDiagnostic, showsPages: boolean): Diagnostic {
  return {
    range,
    severity: severities[severity],
    code,
    ...(showsPages ? { codeDescription: { href: `${pageScheme}:/${code}.md` } } : {}),
    source: "pipewright",
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(related.length === 0
      ? {}
      : { relatedInformation: related.map((each) => ({ location: { uri: uriOf(each.path), range: each.range }, message: each.message })) }),
  };
}
