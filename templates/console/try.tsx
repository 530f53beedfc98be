import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { InterfaceFacts, Json } from "./api.ts";
import { Status, Value } from "./parts.tsx";
import { line, milliseconds } from "./text.ts";

// Only `dev` has this form, which sends requests to the interface as any client does. The console of a service has no such form, because it
// must change nothing.

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly body: unknown;
}

/** A form that sends a request to the interface: a field for each parameter of its route and its contract, and the body. */
export function TryIt({ facts }: { readonly facts: InterfaceFacts }): JSX.Element | null {
  const [, method, route = ""] = /^([A-Z]+) (.*)$/s.exec(facts.reached.find(({ kind }) => kind === "http")?.text ?? "") ?? [];
  const names = [...route.matchAll(/[:*](\w+)/g)].map(([, name = ""]) => name);
  const known = isObject(facts.schemas.params) ? Object.keys(propertiesOf(facts.schemas.params)) : [];
  const asked = known.filter((name) => !names.includes(name));
  const hasBody = method !== undefined && !["GET", "HEAD", "DELETE"].includes(method);
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(() => (hasBody ? JSON.stringify(exampleOf(facts), null, 2) : ""));
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState("");
  if (method === undefined) return null;
  const send = async (): Promise<void> => {
    const path = route.replace(/[:*](\w+)\??/g, (_, name: string) => encodeURIComponent(fields[name] ?? ""));
    const query = new URLSearchParams(asked.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])));
    const began = performance.now();
    const response = await fetch(`${path}${query.size > 0 ? `?${query}` : ""}`, {
      method: method === "ANY" ? "POST" : method,
      ...(hasBody ? { headers: { "content-type": "application/json" }, body } : {}),
    });
    const text = await response.text();
    setAnswer({ status: response.status, ms: performance.now() - began, body: parsed(text) });
  };
  return (
    <section class="card">
      <h2>Try it</h2>
      <form
        class="try"
        onSubmit={(event) => {
          event.preventDefault();
          setProblem("");
          send().catch((error: unknown) => setProblem(String(error)));
        }}
      >
        {[...names, ...asked].map((name) => (
          <Field
            key={name}
            name={name}
            value={fields[name] ?? ""}
            isRequired={names.includes(name)}
            write={(value) => setFields((before) => ({ ...before, [name]: value }))}
          />
        ))}
        {hasBody ? <BodyField value={body} write={setBody} /> : null}
        <div class="wide">
          <button type="submit">Send {method}</button>
        </div>
      </form>
      <div role="status">
        {problem === "" ? null : <p class="problem">{problem}</p>}
        {answer === undefined ? null : <Answered {...answer} />}
      </div>
    </section>
  );
}

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly isRequired: boolean;
  readonly write: (value: string) => void;
}

const Field = ({ name, value, isRequired, write }: FieldProps): JSX.Element => (
  <label>
    <span>{line(name)}</span>
    <input value={value} required={isRequired} autocomplete="off" onInput={({ currentTarget }) => write(currentTarget.value)} />
  </label>
);

const BodyField = ({ value, write }: Pick<FieldProps, "value" | "write">): JSX.Element => (
  <label class="wide">
    <span>Body</span>
    <textarea
      rows={Math.min(14, Math.max(4, value.split("\n").length))}
      spellcheck={false}
      value={value}
      onInput={({ currentTarget }) => write(currentTarget.value)}
    />
  </label>
);

const Answered = ({ status, ms, body }: Answer): JSX.Element => (
  <>
    <p>
      <Status of={status} /> in {milliseconds(ms)}
    </p>
    <Value label="Answer" of={body} />
  </>
);

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const propertiesOf = (schema: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> =>
  isObject(schema.properties) ? schema.properties : schema;

/** The example of the contract, or the smallest value that its schema accepts. */
const exampleOf = ({ schemas }: InterfaceFacts): unknown => schemas.input_example ?? sampleOf(schemas.input, 0);

function sampleOf(schema: Json | undefined, depth: number): unknown {
  if (!isObject(schema) || depth > 6) return {};
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "string":
      return "";
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "array":
      return [sampleOf(schema.items, depth + 1)];
    case "null":
      return null;
    default:
      return isObject(schema.properties)
        ? Object.fromEntries(Object.entries(schema.properties).map(([name, of]) => [name, sampleOf(of, depth + 1)]))
        : {};
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
