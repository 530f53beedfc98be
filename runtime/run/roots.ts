import type { Host } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import { type Json, type JsonObject, own } from "../value/json.ts";
import type { Config, Interface } from "./interface.ts";
import type { Journal } from "./journal.ts";
import type { Request } from "./received.ts";
import type { Run } from "./run.ts";

/**
 * The roots of markers (spec/language 2.4), under their own names. The run of an item reads most of them from the run of the request. The
 * members of `Run` are explained there.
 */
export abstract class RunRoots {
  readonly host: Host;
  readonly config: Config;
  readonly interface: Interface;
  readonly input: Request;
  journal: Journal | undefined;
  /** The run around this one, when this is the run of an item of a lookup. */
  readonly #parent: RunRoots | undefined;
  /** The run of the request itself. */
  readonly #outer: RunRoots;
  #variables: JsonObject | undefined;
  #loaded: Map<string, Json | Failure> | undefined;
  #secrets: Map<string, Json | Failure> | undefined;
  #params: JsonObject | undefined;

  constructor(host: Host, config: Config, target: Interface, input: Request, parent: RunRoots | undefined) {
    this.host = host;
    this.config = config;
    this.interface = target;
    this.input = input;
    this.#parent = parent;
    this.#outer = parent === undefined ? this : parent.#outer;
  }

  get id(): string {
    return this.input.id;
  }

  get requestId(): string {
    const { caller, id } = this.input;
    return caller?.isTrusted ? caller.text : id;
  }

  get body(): Json {
    return this.input.body;
  }

  /** This run, as the functions of a config take it. */
  protected abstract readonly whole: Run;

  get received(): Request {
    return this.#outer.input;
  }

  get raw_body(): Json {
    return this.#outer.input.raw_body;
  }

  get params(): JsonObject {
    return this.#params ?? this.#parent?.params ?? this.input.params;
  }

  set params(effective: JsonObject) {
    this.#params = effective;
  }

  get headers(): JsonObject {
    return this.#outer.input.headers;
  }

  get ip(): JsonObject {
    return this.#outer.input.ip;
  }

  get request(): JsonObject {
    if (this.#outer !== this) return this.#outer.request;
    const { id, method, path, trigger, headers, body } = this.input;
    const { params } = this;
    const { environment } = this.host;
    return { id, method, path, trigger, interface: this.interface.name, config: this.config.name, environment, headers, params, body };
  }

  env(name: string): Json {
    return this.host.readable(name) ? this.host.env(name) || null : null;
  }

  var(name: string): Json {
    return this.host.variable(name) ?? this.#local(name);
  }

  ap_var(name: string): Json {
    return this.host.variable(name) ?? null;
  }

  state(name: string): Json {
    const value = this.#loaded?.get(name);
    if (value === undefined && this.#parent !== undefined) return this.#parent.state(name);
    if (value instanceof Failure) throw value;
    return value ?? null;
  }

  keep(name: string, value: Json | Failure): void {
    this.#loaded ??= new Map();
    this.#loaded.set(name, value);
  }

  secret(name: string): Json {
    const value = this.#outer.#secrets?.get(name);
    if (value instanceof Failure) throw value;
    return value ?? null;
  }

  hold(name: string, value: Json | Failure): void {
    this.#outer.#secrets ??= new Map();
    this.#outer.#secrets.set(name, value);
  }

  uuid(): string {
    return this.journal?.uuid() ?? this.host.uuid();
  }

  #local(name: string): Json {
    if (this.#outer !== this) return this.#outer.#local(name);
    const variable = this.config.variables === undefined ? undefined : own(this.config.variables, name);
    if (variable === undefined) return null;
    this.#variables ??= {};
    const { journal } = this;
    const evaluate = (): Json => variable(this.whole);
    this.#variables[name] ??= journal === undefined ? evaluate() : journal.named(`variable ${name}`, evaluate);
    return this.#variables[name] ?? null;
  }
}
