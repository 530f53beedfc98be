import type { Asking, Upgrades as Present } from "../triggers/http/upgrade.ts";

/** Nobody asks for another protocol where none is spoken. */
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
