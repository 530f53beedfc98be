import { any } from "#runtime/shapes/shape.ts";
import type { ActionShapes } from "../../5-analyse/shapes/index.ts";
import { type Code, code, empty, type Line, lines, list, name, property } from "../code.ts";
import { type Names, pascal } from "../names.ts";
import { cut, isOpen } from "./cut.ts";
import { moduleTypes, shapeType } from "./shape-type.ts";

/** The types of the data of the actions of one interface and of its loops: one type for each list with known data. */
export class DataTypes {
  readonly #names: Names;
  readonly #lines: Line[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  /** The printed types, in the order of their first use. */
  get lines(): readonly Line[] {
    return this.#lines;
  }

  /**
   * The parameter of the function that declares a list of actions: the run, with the type of the data that other parts read, if it is
   * known. `owner` names the interface, `loop` the action of the loop.
   */
  run(actions: ReadonlyMap<string, ActionShapes>, owner: string, loop?: Code): Code {
    const members = [...actions].flatMap(([action, { read }]) => {
      const shape = cut(read ?? any);
      return isOpen(shape) ? [] : [[action, shape] as const];
    });
    if (members.length === 0) return name("cx");
    const type = this.#names.fresh(`${pascal(owner)}Data`);
    const printed = members.map(([action, shape]) => code`\n  ${property(action)}: ${shapeType(shape, moduleTypes, "  ")};`);
    const whose = loop === undefined ? empty : code` of the loop ${loop}`;
    this.#lines.push(
      ...lines(code`/** Data that the actions${whose} leave when they succeed, as far as others read them. */`),
      ...lines(code`interface ${type} {${list(printed, "")}\n}`),
      { text: empty },
    );
    return code`cx: pw.RunOf<${type}>`;
  }
}
