// Claims texts that are due and sends them, in a loop that runs while there are any.
import { untilCut } from '../../platform/drain.ts';
import { continueTrace } from '../../platform/tracing/trace.ts';
import { switch_age_ms } from '../limits/index.ts';
import { processText, type SendDeps } from './send-sms.ts';

const batch_size = 50;
const lease_seconds = 90;

/** `idle`; `running`; `again`: running, and texts were queued since the last claim; `stopped`: claims nothing any more. */
type State = 'idle' | 'running' | 'again' | 'stopped';
type Loop = { state: State; run: Promise<void> | null };

export function smsDispatcher(deps: SendDeps) {
  const { store, clock, log } = deps;
  const loop: Loop = { state: 'idle', run: null };
  let release: NodeJS.Timeout | undefined;

  return {
    /** Starts sending, after a commit that queued a text. */
    wake: () => wake(deps, loop),

    nextDue: () => store.nextDue(),

    /** The kill switch was changed: held texts are tried again once every process has seen the change. */
    switched(): void {
      clearTimeout(release);
      release = setTimeout(() => {
        store
          .release(clock.now())
          .then(() => wake(deps, loop))
          .catch((error) => log.warn({ err: error }, 'held texts not released, they wait for their time'));
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
  const { store, clock, log } = deps;
  while (loop.state !== 'stopped') {
    const now = clock.now();
    const due = await store.claim(batch_size, now, new Date(now.getTime() + lease_seconds * 1000));
    if (due.length === 0) return;
    await Promise.all(
      due.map((text) =>
        continueTrace(deps, text, { name: 'sms.dispatch' }, () => processText(deps, text)).catch((error) =>
          log.warn({ sms_id: text.id, err: error }, 'text not settled, retrying when its lease ends'),
        ),
      ),
    );
  }
}
