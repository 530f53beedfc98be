import type { JSX } from "preact";
import { applyFix, type DevState } from "./api.ts";
import { LastSave } from "./changes.tsx";
import { Doing } from "./parts.tsx";
import { line, plural, shown } from "./text.ts";

/** The mistakes of the project that `dev` serves, each with its place and, where there is one, its remedy. */
export function ProblemsPage({ state }: { readonly state: DevState | undefined }): JSX.Element {
  const { diagnostics = [], unmet = [], version = 0, isBroken = false } = state ?? {};
  const served = version === 0 ? "Nothing is served yet." : `Version ${version} is served.`;
  return (
    <main class="problems">
      <h1>Problems</h1>
      <p class="lead" role="status">
        {diagnostics.length + unmet.length === 0 ? `Nothing is wrong. ${served}` : `${plural(diagnostics.length, "finding")}. `}
        {isBroken ? `${served} What was saved last is not.` : ""}
      </p>
      {unmet.map((need) => (
        <article key={need} class="finding error">
          <h2>Cannot be served</h2>
          <p>{line(need)}</p>
        </article>
      ))}
      {diagnostics.map((each) => (
        <article key={`${each.file} ${each.line} ${each.column} ${each.code} ${each.message}`} class={`finding ${each.severity}`}>
          <h2>
            {line(each.message)} <small>{each.code}</small>
          </h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          <pre tabIndex={0}>{shown(each.frame)}</pre>
          {each.hint === undefined ? null : <p class="quiet">{line(each.hint)}</p>}
          {each.fix === undefined ? null : (
            <Doing does={() => applyFix(each)} done="written">
              {line(each.fix.title)}
            </Doing>
          )}
        </article>
      ))}
      <LastSave version={version} />
    </main>
  );
}
