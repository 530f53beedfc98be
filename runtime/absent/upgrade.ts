import type { Asking, Upgrades as Present } from "../triggers/http/upgrade.ts";

/** Stands in for the upgrades of a service that speaks only HTTP: no request asks it for another protocol. */
export class Upgrades implements Pick<Present, keyof Present> {
  serve(): void {}

  at(): undefined {}

  isPlain(): boolean {
    return false;
  }

  isAsked(): boolean {
    return false;
  }

  receive({ socket }: Asking): void {
    socket.destroy();
  }

  async end(): Promise<void> {}
}
