import { randomConfigsAgree } from "../../harness/random/agreement.ts";

randomConfigsAgree("requests");
