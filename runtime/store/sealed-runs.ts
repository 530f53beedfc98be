import { openText, sealText } from "../keys/envelope.ts";
import type { Checkpoint, ClaimedRun, OpenWait, RunDetails, RunStore, Then } from "./runs.ts";

/**
 * Runs whose texts are sealed in the database (AES-256-GCM): inputs, outputs, payloads of callbacks and results. Names, paths and times
 * stay readable, because the database searches by them. The first key seals; each key opens.
 *
 * Each text is bound to its run and its place in the run. A text that cannot be opened is given as it was stored, so that the node which
 * claims the run finds no JSON and leaves the run waiting. A text that was stored before there was a key is given unchanged.
 */
export function sealedRuns(store: RunStore, keys: readonly Uint8Array[]): RunStore {
  const { seal, open } = sealOf(keys);
  const openedPoints = (id: string, points: readonly Checkpoint[]): readonly Checkpoint[] =>
    points.map(({ path, output }) => ({ path, output: open(output, outputOf(id, path)) }));
  const sealedPoints = (id: string, points: readonly Checkpoint[]): readonly Checkpoint[] =>
    points.map(({ path, output }) => ({ path, output: seal(output, outputOf(id, path)) }));
  const openedWait = (wait: OpenWait): OpenWait =>
    wait.payload === undefined ? wait : { ...wait, payload: open(wait.payload, payloadOf(wait.tokenHash)) };
  const opened = (run: ClaimedRun): ClaimedRun => ({
    ...run,
    input: open(run.input, inputOf(run.id)),
    checkpoints: openedPoints(run.id, run.checkpoints),
    waits: run.waits.map(openedWait),
  });
  const openedDetails = (run: RunDetails): RunDetails => ({
    ...run,
    result: run.result === null ? null : open(run.result, resultOf(run.id)),
  });
  const sealedEnd = (id: string, { finish, ...then }: Then): Then =>
    finish === undefined ? then : { ...then, finish: { ...finish, result: seal(finish.result, resultOf(id)) } };

  return {
    isLasting: store.isLasting,
    create: (run) => store.create({ ...run, input: seal(run.input, inputOf(run.id)) }),
    claim: async (lease, plans, limit) => (await store.claim(lease, plans, limit)).map(opened),
    renew: (lease, held) => store.renew(lease, held),
    checkpoint: (held, points, then) => store.checkpoint(held, sealedPoints(held.id, points), sealedEnd(held.id, then)),
    resume: (tokenHash, payload) => store.resume(tokenHash, seal(payload, payloadOf(tokenHash))),
    cancel: (id) => store.cancel(id),
    retry: (id, again) => store.retry(id, again),
    outputs: async (id) => openedPoints(id, await store.outputs(id)),
    expireNode: (node) => store.expireNode(node),
    attend: (node, onSeen) => store.attend(node, onSeen),
    probe: (node) => store.probe(node),
    expireGone: () => store.expireGone(),
    nextDue: (plans) => store.nextDue(plans),
    list: (filter) => store.list(filter),
    show: async (id) => {
      const run = await store.show(id);
      return run === undefined ? undefined : openedDetails(run);
    },
    stuck: (plans, limit) => store.stuck(plans, limit),
    prune: (before) => store.prune(before),
    now: () => store.now(),
    close: () => store.close(),
  };
}

/** Seals and opens one text. */
interface Seal {
  readonly seal: (text: string, place: string) => string;
  readonly open: (text: string, place: string) => string;
}

function sealOf(keys: readonly Uint8Array[]): Seal {
  const [own] = keys;
  return {
    seal: (text, place) => (own === undefined ? text : sealText(text, own, place)),
    open: (text, place) => {
      for (const key of keys) {
        const plain = openText(text, key, place);
        if (plain !== undefined) return plain;
      }
      return text;
    },
  };
}

// The place to which a text is bound: it cannot be opened at any other place. No id holds a line break.

const inputOf = (id: string): string => `${id}\ninput`;
const outputOf = (id: string, path: string): string => `${id}\noutput\n${path}`;
const resultOf = (id: string): string => `${id}\nresult`;
const payloadOf = (tokenHash: string): string => `${tokenHash}\npayload`;
