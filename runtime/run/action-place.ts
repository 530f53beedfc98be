import { own } from "../value/json.ts";
import type { Config } from "./interface.ts";
import type { Act, Run } from "./run.ts";

/** The places in the YAML of the interfaces of a config and of their actions; the link adds them. */
interface ActionPlaces {
  readonly file: string;
  readonly interfaces: Readonly<Record<string, { readonly at?: string; readonly actions: Readonly<Record<string, string>> }>>;
}

/** Places by config. Each config carries them as a text, which is parsed only after the first failure. */
const read = new WeakMap<Config, ActionPlaces>();

function placesOf(config: Config): ActionPlaces | undefined {
  const cached = read.get(config);
  if (cached !== undefined || config.action_places === undefined) return cached;
  const places = JSON.parse(config.action_places) as ActionPlaces; // the compiler has written it
  read.set(config, places);
  return places;
}

/** `file:line:column` of an action in the YAML; empty when the config was not linked. */
export function placeOfAction({ run, name }: Act): { readonly at?: string } {
  const places = placesOf(run.config);
  if (places === undefined) return {};
  let path = name;
  for (let { loop } = run; loop !== undefined; loop = loop.run.loop) path = `${loop.name}/${path}`;
  return whole(places, own(own(places.interfaces, run.interface.name)?.actions ?? {}, path));
}

/** The place of the interface of a run. */
export function placeOfInterface({ config, interface: { name } }: Run): { readonly at?: string } {
  const places = placesOf(config);
  return places === undefined ? {} : whole(places, own(places.interfaces, name)?.at);
}

/** Adds the file to a place that is a line and a column in the file of the config. */
function whole({ file }: ActionPlaces, place: string | undefined): { readonly at?: string } {
  if (place === undefined) return {};
  return { at: /^\d+:\d+$/.test(place) ? `${file}:${place}` : place };
}
