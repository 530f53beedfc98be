import { own } from "../value/json.ts";
import type { Config } from "./interface.ts";
import type { Act, Run } from "./run.ts";

/** The addition of the link to a config: where its interfaces and their actions stand in the YAML. */
interface ActionPlaces {
  readonly file: string;
  readonly interfaces: Readonly<Record<string, { readonly at?: string; readonly actions: Readonly<Record<string, string>> }>>;
}

/** Read when something has failed for the first time: until then a config carries them as a text that costs nothing. */
const read = new WeakMap<Config, ActionPlaces>();

function placesOf(config: Config): ActionPlaces | undefined {
  const cached = read.get(config);
  if (cached !== undefined || config.action_places === undefined) return cached;
  const places = JSON.parse(config.action_places) as ActionPlaces; // the compiler has written it
  read.set(config, places);
  return places;
}

/** `file:line:column` of an action in the YAML; nothing in a config that was not linked. */
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

/** A place in the file of the config is a line and a column alone. */
function whole({ file }: ActionPlaces, place: string | undefined): { readonly at?: string } {
  if (place === undefined) return {};
  return { at: /^\d+:\d+$/.test(place) ? `${file}:${place}` : place };
}
