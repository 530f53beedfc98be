import { findHtml } from "../../formats/html.ts";
import { answer } from "../worker-port.ts";

answer(findHtml);
