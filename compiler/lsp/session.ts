import { type Connection, TextDocuments } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { PlainDiagnostic } from "./analysis/message.ts";
import { pathOf, uriOf } from "./paths.ts";
import { filesOf, keyOf, type Project, projectOf, projectsIn } from "./projects.ts";
import { type SourceFile, SourceFiles } from "./source-file.ts";

/** The settings of a client. */
export interface LspSettings {
  /** The environment that is checked, as by `--env`. */
  readonly environment?: string;
  /** True to show code lenses above interfaces. */
  readonly lenses: boolean;
  /** True to show printed lines in hovers. */
  readonly printed: boolean;
}

export const presetSettings: LspSettings = { lenses: true, printed: true };

/** The features of a client that change the server's messages. */
export interface ClientFacts {
  /** True when the client can show documents of the server, such as the pages of diagnostics. */
  readonly showsPages: boolean;
  /** True when the client has its own commands for lenses. */
  readonly ownCommands: boolean;
  readonly watchesFiles: boolean;
  readonly refreshesLenses: boolean;
  readonly hasFolders: boolean;
  readonly hasSettings: boolean;
}

const plainClient: ClientFacts = {
  showsPages: false,
  ownCommands: false,
  watchesFiles: false,
  refreshesLenses: false,
  hasFolders: false,
  hasSettings: false,
};

/** One client, its buffers and its projects. */
export class Session {
  readonly connection: Connection;
  readonly buffers = new TextDocuments(TextDocument);
  readonly files: SourceFiles;
  /** The state of the session: before `initialize`, until `shutdown`, and after it. */
  life: "new" | "open" | "over" = "new";
  settings: LspSettings = presetSettings;
  client: ClientFacts = plainClient;
  /** Diagnostics that the client was sent, by path. */
  readonly found = new Map<string, readonly PlainDiagnostic[]>();
  /** Resolves when the diagnostics are those of the current texts. */
  looked: Promise<void> = Promise.resolve();
  /** The files of each project on the disk, kept until one of them changes. */
  readonly listings = new Map<string, readonly string[]>();
  #folders: readonly string[] = [];
  #projects: readonly Project[] | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
    this.files = new SourceFiles((path) => this.bufferOf(path));
  }

  /** The folders of the editor. */
  set folders(folders: readonly string[]) {
    this.#folders = folders;
    this.#projects = undefined;
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  /** Forgets the projects, so that they are searched again, because a package.json has changed. */
  forgetProjects(): void {
    this.#projects = undefined;
  }

  get projects(): readonly Project[] {
    this.#projects ??= projectsIn(this.#folders);
    return this.#projects;
  }

  projectOf(path: string): Project | undefined {
    return projectOf(path, this.projects);
  }

  /** The buffer of a file. Clients may write the same address in different ways. */
  bufferOf(path: string): TextDocument | undefined {
    return this.buffers.get(uriOf(path)) ?? this.buffers.all().find(({ uri }) => pathOf(uri) === path);
  }

  /** The address of a file, in the client's form if the file is open there. */
  uriOf(path: string): string {
    return this.bufferOf(path)?.uri ?? uriOf(path);
  }

  /** The file that a request is about; undefined for a file outside our projects. */
  source(uri: string): SourceFile | undefined {
    const path = pathOf(uri);
    const project = path === undefined ? undefined : this.projectOf(path);
    const source = path === undefined || project === undefined ? undefined : this.files.of(path, project);
    return source?.role === "none" ? undefined : source;
  }

  /** The files of a project with a role, also open files that are not yet saved. */
  filesOf(project: Project): readonly SourceFile[] {
    const listed = this.listings.get(keyOf(project)) ?? filesOf(project);
    this.listings.set(keyOf(project), listed);
    const open = this.buffers.all().flatMap(({ uri }) => pathOf(uri) ?? []);
    const own = open.filter((path) => this.projectOf(path)?.folder === project.folder);
    const paths = new Set([...listed, ...own]);
    return [...paths].flatMap((path) => this.files.of(path, project) ?? []).filter(({ role }) => role !== "none");
  }
}
