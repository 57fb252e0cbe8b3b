// Hands queued texts to the carrier, once: what may have been sent is looked for before it is sent again.
import type { SmsErrorCode } from '@parley/contract/sms';
import type { MovableClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { untilCut } from '../../platform/drain.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Carrier, SendResult } from '../../providers/carrier/carrier.ts';
import type { Carriers } from '../../providers/carrier/registry.ts';
import { type DispatchStore, type DueText, isMessageTaken } from './dispatch-store.ts';
import type { SuppressionStore } from './suppression-store.ts';

const batch = 50;
const lease_seconds = 90;
/** A text that could not be handed over for so long is stale: a code nobody waits for any more. */
const give_up_seconds = 15 * 60;
/** After a lost answer: how long the carrier's list may lag behind, and how long a callback may take. */
const settle_seconds = 30;
const confirm_seconds = 10 * 60;
/** When to ask about a text whose receipt did not come: from minutes to hours, for three days. */
const receipt_seconds = [600, 3600, 6 * 3600, 24 * 3600, 48 * 3600];

export function smsDispatcher(deps: {
  db: Database;
  store: DispatchStore;
  suppressions: SuppressionStore;
  carriers: Carriers;
  clock: MovableClock;
  ids: Ids;
  log: Log;
}) {
  const { db, store, clock, log } = deps;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  const after = (seconds: number) => new Date(clock.ms() + seconds * 1000);
  const backoff = (attempts: number) => Math.min(2 ** attempts, 120);
  const age = (since: Date | string) => (clock.ms() - new Date(since).getTime()) / 1000;

  const fail = (text: DueText, error_code: SmsErrorCode) =>
    db.transaction(async (tx) => {
      const failed = await store.fail(tx, text, error_code, clock.now());
      if (failed && error_code === 'recipient_opted_out' && !text.is_suppressed) {
        await deps.suppressions.add(tx, {
          id: deps.ids.next(),
          organization_id: text.organization_id,
          recipient: text.to,
          channel: 'sms',
          reason: 'carrier_refusal',
          source: 'carrier',
          created_at: clock.now().toISOString(),
        });
      }
    });

  const accepted = (text: DueText, provider_message_id: string) =>
    db.transaction((tx) =>
      store.outcome(tx, text, { status: 'sent' }, clock.now(), {
        provider_message_id,
        next_attempt_at: after(receipt_seconds[0]!),
      }),
    );

  /** False when another text with the same words was faster. */
  const adopted = (text: DueText, provider_message_id: string): Promise<boolean> =>
    accepted(text, provider_message_id).then(
      () => true,
      (error) => {
        if (isMessageTaken(error)) return false;
        throw error;
      },
    );

  const send = async (carrier: Carrier, text: DueText): Promise<void> => {
    const { id: sms_id, from, to, body } = text;
    // An adapter that throws has a bug, but the text may be out all the same.
    const result = await carrier.sms
      .send({ sms_id, from, to, body })
      .catch((error): SendResult => ({ outcome: 'lost', detail: String(error) }));
    switch (result.outcome) {
      case 'accepted':
        await accepted(text, result.provider_message_id);
        return;
      case 'not_sent':
        log.info(
          { sms_id, error_code: result.error_code, detail: result.detail },
          'the carrier refused a text',
        );
        await fail(text, result.error_code);
        return;
      case 'busy':
        if (age(text.requested_at) > give_up_seconds) await fail(text, 'carrier_unavailable');
        else await store.tryAgain(text, after(Math.max(result.retry_after_seconds, backoff(text.attempts))));
        return;
      case 'lost':
        log.warn({ sms_id, detail: result.detail }, 'the answer to a text was lost; looking for it');
        await store.lookAgain(text, after(5));
    }
  };

  /** An earlier attempt may have reached the carrier. */
  const look = async (carrier: Carrier, text: DueText, handed_at: Date): Promise<void> => {
    const { id: sms_id, from, to, body } = text;
    // The carrier lives in the world's time, however far the sandbox has moved ours.
    const since = new Date(handed_at.getTime() - clock.offset_ms());
    const found = await carrier.sms.find({ sms_id, from, to, body }, since);
    if (found.outcome === 'found') {
      const ids = found.candidates.map((candidate) => candidate.provider_message_id);
      const taken = await store.known(text.provider, ids);
      for (const id of ids) if (!taken.has(id) && (await adopted(text, id))) return;
    }
    if (found.outcome === 'found' || found.outcome === 'absent') {
      if (age(handed_at) < settle_seconds) await store.lookAgain(text, after(settle_seconds));
      else if (age(text.requested_at) > give_up_seconds) await fail(text, 'carrier_unavailable');
      else await store.tryAgain(text, clock.now());
      return;
    }
    // Only a callback can tell, or the carrier cannot be asked now. Sending again might send twice, so in the end
    // the text is given up with a word that says that nobody knows.
    if (age(handed_at) >= confirm_seconds) await fail(text, 'unconfirmed');
    else if (found.outcome === 'cannot_tell') {
      await store.lookAgain(text, new Date(handed_at.getTime() + confirm_seconds * 1000));
    } else await store.lookAgain(text, after(backoff(text.attempts + 3)));
  };

  /** The receipt did not come: callbacks get lost too. */
  const askOutcome = async (carrier: Carrier, text: DueText): Promise<void> => {
    const known = await carrier.sms.outcome(text.provider_message_id!);
    if (known.outcome === 'known' && known.text.status !== 'sent') {
      const news = known.text;
      await db.transaction((tx) => store.outcome(tx, text, news, clock.now(), {}));
      return;
    }
    const next = receipt_seconds.find((seconds) => seconds > age(text.sent_at!) + 60);
    await store.lookAgain(
      text,
      next === undefined ? null : new Date(Date.parse(text.sent_at!) + next * 1000),
    );
  };

  const handle = async (text: DueText): Promise<void> => {
    const carrier = deps.carriers.byName(text.provider);
    if (!carrier) {
      if (text.status === 'queued' && age(text.requested_at) > give_up_seconds)
        await fail(text, 'carrier_unavailable');
      else await store.tryAgain(text, after(60));
    } else if (text.status === 'sent') await askOutcome(carrier, text);
    else if (text.was_handed_at !== null) await look(carrier, text, text.was_handed_at);
    else if (text.is_suppressed && !carrier.isRepeatable?.(text.to)) await fail(text, 'recipient_opted_out');
    else await send(carrier, text);
  };

  /** Sends what is due until nothing is. */
  const run = async (): Promise<void> => {
    while (!stopped) {
      const due = await store.claim(batch, clock.now(), after(lease_seconds));
      if (due.length === 0) return;
      await Promise.all(
        due.map((text) =>
          handle(text).catch((error) =>
            log.warn({ sms_id: text.id, err: error }, 'a text was not settled; its lease will end'),
          ),
        ),
      );
    }
  };

  const kick = (): void => {
    if (stopped) return;
    if (running) {
      again = true;
      return;
    }
    again = false;
    running = run()
      .catch((error) => log.warn({ err: error }, 'texts cannot be read; trying again'))
      .finally(() => {
        running = null;
        if (again) kick();
      });
  };

  return {
    /** Starts sending at once, after a commit that queued something. */
    kick,
    nextDue: () => store.nextDue(),
    async drain(): Promise<void> {
      kick();
      while (running) await running;
    },
    /** A text that goes on after the cut is looked for at the carrier when its lease ends. */
    async stop(cut?: AbortSignal): Promise<void> {
      stopped = true;
      while (running && !cut?.aborted) await untilCut(running, cut);
    },
  };
}
export type SmsDispatcher = ReturnType<typeof smsDispatcher>;
