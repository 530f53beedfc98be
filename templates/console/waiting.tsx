import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type DurableRun, orderRun, readWaiting, readWaits } from "./api.ts";
import { refusalOf, useLoaded } from "./load.ts";
import { Problem, Value } from "./parts.tsx";
import { line, moment } from "./text.ts";

interface Ordered {
  readonly run: DurableRun;
  readonly name: "resume" | "cancel";
}

/** Durable runs that wait for a callback. After a confirmation the user can resume a run in place of the callback, or cancel it. */
export function WaitingPage(): JSX.Element {
  const [turn, setTurn] = useState(0);
  const [ordered, setOrdered] = useState<Ordered>();
  const { value: runs, problem } = useLoaded(readWaiting, [turn], 5_000);
  const close = (): void => {
    setOrdered(undefined);
    setTurn(turn + 1);
  };
  return (
    <main class="waiting">
      <h1>Waiting runs</h1>
      <Problem of={problem} />
      {runs?.length === 0 ? <p class="empty">No durable run waits for a callback.</p> : null}
      <ul>
        {(runs ?? []).map((run) => (
          <li key={run.id} class="card">
            <b>{line(run.interface)}</b> {line(run.config)} <code>{line(run.id)}</code>
            <p class="quiet">
              since {moment(run.created)}
              {run.due === null ? "" : `, until ${moment(run.due)}`}
            </p>
            <div class="doing">
              {(["resume", "cancel"] as const).map((name) => (
                <button
                  key={name}
                  type="button"
                  class={name === "cancel" ? "quiet-button" : ""}
                  onClick={() => setOrdered({ run, name })}
                  aria-label={`${titles[name]} ${run.id}`}
                >
                  {titles[name]}
                </button>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {ordered === undefined ? null : <Confirm {...ordered} close={close} />}
    </main>
  );
}

const titles = { resume: "Resume", cancel: "Cancel" } as const;

function Confirm({ run, name, close }: Ordered & { readonly close: () => void }): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  const [action, setAction] = useState("");
  const [body, setBody] = useState("null");
  const [problem, setProblem] = useState("");
  useEffect(() => box.current?.showModal(), []);
  const give = async (): Promise<void> => {
    const sent = name === "cancel" ? undefined : { ...(action === "" ? {} : { action }), body: JSON.parse(body) };
    await orderRun(run.id, name, sent);
    box.current?.close();
  };
  return (
    <dialog ref={box} onClose={close} aria-labelledby="confirm">
      <form
        class="try"
        onSubmit={(event) => {
          event.preventDefault();
          give().catch((error: unknown) => setProblem(refusalOf(error).message));
        }}
      >
        <h2 id="confirm" class="wide">
          {titles[name]} this run of {line(run.interface)}?
        </h2>
        {name === "cancel" ? (
          <p class="wide">What it has not done yet will not be done.</p>
        ) : (
          <>
            <Waits of={run} />
            <label class="wide">
              <span>Action, where several wait</span>
              <input value={action} autocomplete="off" onInput={({ currentTarget }) => setAction(currentTarget.value)} />
            </label>
            <label class="wide">
              <span>Body of the callback, as JSON</span>
              <textarea rows={4} spellcheck={false} value={body} onInput={({ currentTarget }) => setBody(currentTarget.value)} />
            </label>
          </>
        )}
        <p class="problem wide" role="alert" hidden={problem === ""}>
          {line(problem)}
        </p>
        <div class="wide doing">
          <button type="submit">{titles[name]} the run</button>
          <button type="button" class="quiet-button" onClick={() => box.current?.close()}>
            Back
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** All waits of the run, by the action names that the form accepts. */
function Waits({ of: { id } }: { readonly of: DurableRun }): JSX.Element | null {
  const { value: waits = [] } = useLoaded(() => readWaits(id), [id]);
  if (waits.length === 0) return null;
  const isCall = waits.some(({ question }) => question !== undefined);
  return (
    <div class="wide">
      {waits.map(({ action, until, question }) => (
        <div key={action}>
          <p>
            <b>{line(action)}</b> <span class="quiet">until {moment(until)}</span>
          </p>
          {question === undefined ? null : <Value label="The call" of={question} />}
        </div>
      ))}
      {isCall ? (
        <p class="quiet">
          <code>null</code> and <code>{'{"approved": true}'}</code> let a call run, <code>{'{"approved": false, "reason": "…"}'}</code>{" "}
          refuses it.
        </p>
      ) : null}
    </div>
  );
}
