import { parseYaml } from "../../formats/yaml.ts";
import { answer } from "../worker-port.ts";

answer(parseYaml);
