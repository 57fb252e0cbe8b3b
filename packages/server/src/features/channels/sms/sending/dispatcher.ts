// Claims texts that are due and sends them, in a loop that runs while there are any.
import { untilCut } from '../../../../platform/drain.ts';
import { continueTrace } from '../../../../platform/tracing/continue-trace.ts';
import { switch_age_ms } from '../../../rules/limits/index.ts';
import type { ClaimedText, DueText } from './dispatch-store.ts';
import { processText, type SendDeps } from './send-sms.ts';

const batch_size = 50;
const lease_seconds = 90;

/** `idle`; `running`; `again`: running, and texts were queued since the last claim; `stopped`: claims nothing any more. */
type State = 'idle' | 'running' | 'again' | 'stopped';
type Loop = {
  state: State;
  run: Promise<void> | null;
  /** The texts that this process works on. */
  working: Set<ClaimedText>;
};

export function smsDispatcher(deps: SendDeps) {
  const { store, clock, log } = deps;
  const loop: Loop = { state: 'idle', run: null, working: new Set() };
  let release: NodeJS.Timeout | undefined;

  return {
    /** Starts sending, after a commit that queued a text. */
    wake: () => wake(deps, loop),

    nextDue: () => store.nextDue(),

    /** The kill switch was changed: waiting texts are tried again once every process has seen the change. */
    switched(): void {
      clearTimeout(release);
      release = setTimeout(() => {
        store
          .release(clock.now())
          .then(() => wake(deps, loop))
          .catch((error) => log.warn({ err: error }, 'waiting texts not released, they wait for their time'));
      }, 2 * switch_age_ms).unref();
    },

    /** Sends everything that is due. */
    async drain(): Promise<void> {
      wake(deps, loop);
      while (loop.run) await loop.run;
    },

    /** A text that is still being sent at the cut is looked up at the carrier when its lease ends. */
    async stop(cut?: AbortSignal): Promise<void> {
      loop.state = 'stopped';
      clearTimeout(release);
      while (loop.run && !cut?.aborted) await untilCut(loop.run, cut);
      if (loop.working.size > 0)
        await store
          .giveBackStarts([...loop.working])
          .catch((error) => log.warn({ err: error }, 'texts that were cut count as lost'));
    },
  };
}
export type SmsDispatcher = ReturnType<typeof smsDispatcher>;

function wake(deps: SendDeps, loop: Loop): void {
  if (loop.state === 'stopped') return;
  if (loop.run) {
    loop.state = 'again';
    return;
  }
  loop.state = 'running';
  loop.run = sendDue(deps, loop)
    .catch((error) => deps.log.warn({ err: error }, 'cannot read due texts'))
    .finally(() => {
      loop.run = null;
      const has_more = loop.state === 'again';
      if (loop.state !== 'stopped') loop.state = 'idle';
      if (has_more) wake(deps, loop);
    });
}

async function sendDue(deps: SendDeps, loop: Loop): Promise<void> {
  while (loop.state !== 'stopped') {
    const { due, leaveSolo } = await claimDue(deps);
    try {
      await Promise.all(due.map((text) => work(deps, loop, text)));
    } finally {
      leaveSolo();
    }
    if (due.length === 0) return;
  }
}

/** At most one of the texts is one that a process did not survive, and no other such work runs beside it. */
async function claimDue({ store, clock, solo }: SendDeps): Promise<{ due: DueText[]; leaveSolo(): void }> {
  const with_lost = solo.tryEnter();
  let is_solo_used = false;
  try {
    const now = clock.now();
    const lease_until = new Date(now.getTime() + lease_seconds * 1000);
    const due = await store.claim({ limit: batch_size, with_lost, now, lease_until });
    is_solo_used = due.some(({ starts }) => starts > 1);
    return { due, leaveSolo: is_solo_used ? solo.leave : () => {} };
  } finally {
    if (with_lost && !is_solo_used) solo.leave();
  }
}

async function work(deps: SendDeps, loop: Loop, text: DueText): Promise<void> {
  loop.working.add(text);
  try {
    await continueTrace(deps, text, { name: 'sms.dispatch' }, () => processText(deps, text));
  } catch (error) {
    deps.log.warn({ sms_id: text.id, err: error }, 'text not settled, retrying when its lease ends');
    await deps.store
      .giveBackStarts([text])
      .catch((failure) => deps.log.warn({ sms_id: text.id, err: failure }, 'the attempt counts as lost'));
  } finally {
    loop.working.delete(text);
  }
}
