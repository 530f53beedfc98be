import type { JSX } from "preact";
import { type ModuleChange, readChanges } from "./dev-api.ts";
import { useLoaded } from "./load.ts";
import { Problem } from "./parts.tsx";
import { line, plural, shown } from "./text.ts";

/** What the last save has changed in the printed modules; `version` is the one that is served. */
export function LastSave({ version }: { readonly version: number }): JSX.Element | null {
  const { value: changes, problem } = useLoaded(readChanges, [version], undefined, true);
  if (version === 0) return null;
  return (
    <section class="last-save" aria-labelledby="last-save">
      <h2 id="last-save">Last save</h2>
      <Problem of={problem} />
      {changes?.length === 0 ? (
        <p class="quiet">{version === 1 ? "Nothing was saved yet." : "The printed modules are what they were before."}</p>
      ) : null}
      {(changes ?? []).map((each) => (
        <Change key={each.file} of={each} />
      ))}
    </section>
  );
}

const signs = { added: "+", removed: "-", same: " ", gap: "" } as const;

function Change({ of: { file, added, removed, lines, hidden } }: { readonly of: ModuleChange }): JSX.Element {
  return (
    <article class="card">
      <h3>
        Module of {line(file)}
        <small>
          {plural(added, "line")} added, {plural(removed, "line")} removed
        </small>
      </h3>
      {lines.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <pre class="diff" tabIndex={0}>
          {lines.map(({ kind, text }, i) => (
            <span key={i} class={kind}>
              {kind === "gap" ? "⋯" : `${signs[kind]} ${shown(text)}`}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
      {hidden === undefined ? null : <p class="quiet">{line(hidden)}</p>}
    </article>
  );
}
