import { findHtml } from "../lib/html.ts";
import { answer } from "../lib/worker-port.ts";

answer(findHtml);
