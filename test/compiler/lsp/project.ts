import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CompletionItem, Hover, Location, Position } from "vscode-languageserver-protocol/node";
import { Editor } from "../../harness/editor.ts";

/** A folder with files, and an editor that has it open. */
export class OpenProject implements AsyncDisposable {
  readonly folder: string;
  readonly editor: Editor;

  private constructor(folder: string, editor: Editor) {
    this.folder = folder;
    this.editor = editor;
  }

  static async of(files: Readonly<Record<string, string>>, options: Parameters<typeof Editor.open>[1] = {}): Promise<OpenProject> {
    const folder = mkdtempSync(join(tmpdir(), "pipewright-lsp-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return new OpenProject(folder, await Editor.open([folder], options));
  }

  /** Opens a text in which `‸` stands at the cursor, and gives its address and the place of the cursor. */
  async at(name: string, marked: string): Promise<{ readonly textDocument: { readonly uri: string }; readonly position: Position }> {
    const offset = marked.indexOf("‸");
    const text = marked.replace("‸", "");
    const uri = await this.editor.show(join(this.folder, name), text);
    const before = text.slice(0, offset).split("\n");
    return { textDocument: { uri }, position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 } };
  }

  async offers(name: string, marked: string): Promise<readonly CompletionItem[]> {
    return this.editor.ask<CompletionItem[]>("textDocument/completion", await this.at(name, marked));
  }

  async labels(name: string, marked: string): Promise<readonly string[]> {
    return (await this.offers(name, marked)).map(({ label }) => label);
  }

  /** Text that a pointer at the place shows. */
  async shown(name: string, marked: string): Promise<string> {
    const hover = await this.editor.ask<Hover | null>("textDocument/hover", await this.at(name, marked));
    return hover !== null && typeof hover.contents === "object" && "kind" in hover.contents ? hover.contents.value : "";
  }

  /** Places as `file:line:column`, from 1, sorted. */
  async places(method: string, name: string, marked: string): Promise<readonly string[]> {
    const found = await this.editor.ask<Location[]>(method, { ...(await this.at(name, marked)), context: { includeDeclaration: true } });
    return found
      .map(
        ({ uri, range }) =>
          `${uri.slice(uri.indexOf(this.folder) + this.folder.length + 1)}:${range.start.line + 1}:${range.start.character + 1}`,
      )
      .toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.editor[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

/** Two interfaces that share what a configuration can share. */
export const shop = `name: Shop
global:
  databases:
    main: { driver: sqlite, database: shop.db }
  variables:
    GREETING: Hello
  templates:
    thanks: Thank you
  secrets:
    token: { kind: local }
interfaces:
  list:
    route: /items
    actions:
      - name: Items
        database: main
        query: SELECT id, title FROM items
      - name: First
        run_when_succeeded: [Items]
        json_output: { customer: { name: Ann, age: 3 }, tags: [a] }
        post_transforms:
          - keep_attributes: [customer]
      - name: Answer
        run_when_succeeded: [First]
        json_output: { text: "a|First::customer.name->upper|", greeting: a|var::GREETING| }
  other:
    route: /other/:id
    actions:
      - name: First
        input: a|params::id|
`;
