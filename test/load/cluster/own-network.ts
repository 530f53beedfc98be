import { execFileSync, spawnSync } from "node:child_process";

const ip = (...words: readonly string[]): void => {
  execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });
};

/** A node's place in the network. */
export interface NetworkPlace {
  readonly address: string;
  /** The words before those of a program that is to run there. */
  readonly enter: readonly string[];
  /** Drops every packet in both directions, as a cable that is pulled out does: neither side is notified. */
  readonly cut: () => void;
  readonly mend: () => void;
  readonly leave: () => void;
}

/** True where this process may make network namespaces: as root, with iproute2 and a kernel that has them. */
export function mayMakeNetworks(): boolean {
  const name = `pw-try-${process.pid}`;
  const isMade = process.getuid?.() === 0 && spawnSync("ip", ["netns", "add", name], { stdio: "ignore" }).status === 0;
  if (isMade) ip("netns", "del", name);
  return isMade;
}

/** A network of this machine, in addresses that are kept for measurements (RFC 2544). Each node has a namespace of its own in it. */
export class OwnNetwork {
  /** The address of this process, which is never cut off. */
  readonly host: string;
  readonly subnet: string;
  readonly #base = `198.18.${process.pid % 250}`;
  readonly #bridge = `pwb${process.pid}`;
  readonly #places = new Set<NetworkPlace>();
  #last = 1;

  constructor() {
    this.host = `${this.#base}.1`;
    this.subnet = `${this.#base}.0/24`;
    ip("link", "add", this.#bridge, "type", "bridge");
    ip("addr", "add", `${this.host}/24`, "dev", this.#bridge);
    ip("link", "set", this.#bridge, "up");
  }

  join(): NetworkPlace {
    const number = ++this.#last;
    if (number > 254) throw new Error("the network has no more addresses");
    const address = `${this.#base}.${number}`;
    const [space, outer, inner] = [`pwn${process.pid}-${number}`, `pwo${process.pid}.${number}`, `pwi${process.pid}.${number}`];
    ip("netns", "add", space);
    ip("link", "add", outer, "type", "veth", "peer", "name", inner);
    ip("link", "set", inner, "netns", space);
    ip("link", "set", outer, "master", this.#bridge);
    ip("link", "set", outer, "up");
    const within = (...words: readonly string[]): void => ip("-n", space, ...words);
    within("addr", "add", `${address}/24`, "dev", inner);
    within("link", "set", inner, "up");
    within("link", "set", "lo", "up");
    const place: NetworkPlace = {
      address,
      enter: ["ip", "netns", "exec", space],
      // Without its bridge the other end still takes packets, which then go nowhere.
      cut: () => ip("link", "set", outer, "nomaster"),
      mend: () => ip("link", "set", outer, "master", this.#bridge),
      leave: () => {
        if (this.#places.delete(place)) ip("netns", "del", space);
      },
    };
    this.#places.add(place);
    return place;
  }

  close(): void {
    for (const place of [...this.#places]) place.leave();
    ip("link", "del", this.#bridge);
  }
}
