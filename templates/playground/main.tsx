import { examples, version } from "pipewright:examples";
import { type JSX, render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Brand } from "../console/brand.tsx";
import { Compiler, type Outcome, times } from "./client.ts";
import type { Files } from "./compiled.ts";
import { Editor, type Place, type Spot } from "./editor.tsx";
import { Output } from "./output.tsx";
import { filesOf, fragmentOf } from "./share.ts";
import "../console/theme.css";
import "../console/graph.css";
import "./page.css";

/** Words of the page about what it has just done. */
const words = {
  unreadable: "The link could not be read, so an example is shown.",
  unchanged: "The link could not be read; nothing was changed.",
  tooLong: "This is too long for a link.",
  copied: "The link is copied. All of the YAML is in it.",
  inAddress: "The link is in the address bar. All of the YAML is in it.",
} as const;

/** The edited files, the name of the open one, and the place that was chosen elsewhere on the page. */
interface Project {
  readonly files: Files;
  readonly open: string;
  readonly place?: Place;
}

const projectOf = (files: Files): Project => ({ files, open: files[0]?.[0] ?? "" });

function Playground({ start, refused }: { readonly start: Files; readonly refused: boolean }): JSX.Element {
  const [project, setProject] = useState(projectOf(start));
  const [outcome, setOutcome] = useState<Outcome>();
  const [said, setSaid] = useState<string>(refused ? words.unreadable : "");
  const compiler = useRef<Compiler>(undefined);
  const { files, open, place } = project;
  useEffect(() => {
    compiler.current ??= new Compiler("worker.js", setOutcome);
    const alarm = setTimeout(() => compiler.current?.compile(files), outcome === undefined ? 0 : times.still);
    return () => clearTimeout(alarm);
  }, [files]);
  const opened = (found: Files | undefined): void => {
    setSaid(found === undefined ? words.unchanged : "");
    if (found !== undefined) setProject(projectOf(found));
  };
  useLinks(opened);
  const change = (file: string, edit: (old: string) => string): void =>
    setProject({ files: files.map(([name, old]) => [name, name === file ? edit(old) : old] as const), open });
  const go = (file: string, spot: Spot): void =>
    setProject({ files, open: files.some(([name]) => name === file) ? file : open, place: { spot } });
  const choose = (template: string): void => {
    const example = examples.find((each) => each.template === template);
    if (example === undefined) return;
    history.replaceState(undefined, "", location.pathname);
    setSaid("");
    setProject(projectOf(example.files));
  };
  const share = async (): Promise<void> => {
    const fragment = await fragmentOf(files);
    if (fragment === undefined) return setSaid(words.tooLong);
    history.replaceState(undefined, "", fragment);
    await navigator.clipboard?.writeText(location.href).then(
      () => setSaid(words.copied),
      () => setSaid(words.inAddress),
    );
  };
  return (
    <>
      <header>
        <h1>
          <Brand /> <span class="about">playground</span>
        </h1>
        <Examples files={files} choose={choose} />
        <button type="button" id="share" onClick={() => void share()}>
          Share
        </button>
      </header>
      <p class="said" role="status">
        {said}
      </p>
      <main>
        <Editor
          {...{ files, open, place }}
          write={(text) => change(open, () => text)}
          diagnostics={outcome?.is === "compiled" ? outcome.compiled.diagnostics : []}
          choose={(name) => setProject({ files, open: name })}
        />
        <Output
          outcome={outcome}
          go={go}
          mend={({ file, start, end, text }) => change(file, (old) => old.slice(0, start) + text + old.slice(end))}
        />
      </main>
      <footer>
        <p>
          pipewright {version}. Everything happens in this page; nothing is sent. What the command does beside it: it asks jq itself about
          filters, proves patterns linear, reads variables and environments, and links, runs and tests the service.
        </p>
      </footer>
    </>
  );
}

/** Hears of links that are opened while the page is shown: of their files, or of undefined for a link that cannot be read. */
function useLinks(opened: (found: Files | undefined) => void): void {
  useEffect(() => {
    const read = (): void => {
      if (location.hash.length >= 2) void filesOf(location.hash).then(opened);
    };
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
}

/** The choice of an example of the cookbook. */
const Examples = ({ files, choose }: { readonly files: Files; readonly choose: (template: string) => void }): JSX.Element => (
  <label class="choice">
    <span class="hidden">Example of the cookbook</span>
    <select
      id="example"
      value={examples.find((each) => each.files === files)?.template ?? ""}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="" disabled hidden>
        Your own
      </option>
      {examples.map(({ template, title }) => (
        <option key={template} value={template}>
          {title}
        </option>
      ))}
    </select>
  </label>
);

async function begin(app: HTMLElement): Promise<void> {
  const isShared = location.hash.length > 1;
  const found = isShared ? await filesOf(location.hash) : undefined;
  app.replaceChildren();
  render(<Playground start={found ?? examples[0]?.files ?? []} refused={isShared && found === undefined} />, app);
}

const app = document.getElementById("app");
if (app !== null) void begin(app);
