// Hands queued texts to the carrier, once: what may have been sent is looked for before it is sent again.
import type { SmsErrorCode } from '@parley/contract/sms';
import type { MovableClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { untilCut } from '../../platform/drain.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { SendResult } from '../../providers/carrier/carrier.ts';
import {
  type Admission,
  admissionText,
  type GuardedCarrier,
  type GuardedCarriers,
  type HandOverDecision,
  type Stopped,
  stoppedBecause,
} from '../admission/index.ts';
import { switch_age_ms } from '../limits/index.ts';
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
  carriers: GuardedCarriers;
  admission: Pick<Admission, 'admit'>;
  clock: MovableClock;
  ids: Ids;
  log: Log;
}) {
  const { db, store, clock, log } = deps;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let releasing: NodeJS.Timeout | undefined;

  const after = (seconds: number) => new Date(clock.ms() + seconds * 1000);
  const backoff = (attempts: number) => Math.min(2 ** attempts, 120);
  const age = (since: Date | string) => (clock.ms() - new Date(since).getTime()) / 1000;

  const fail = (text: DueText, error_code: SmsErrorCode, more: { admission?: string } = {}) =>
    db.transaction(async (tx) => {
      const failed = await store.fail(tx, text, error_code, clock.now(), more);
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

  const accepted = (text: DueText, provider_message_id: string, more: { admission?: string } = {}) =>
    db.transaction((tx) =>
      store.outcome(tx, text, { status: 'sent' }, clock.now(), {
        provider_message_id,
        next_attempt_at: after(receipt_seconds[0]!),
        ...more,
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

  const send = async (
    carrier: GuardedCarrier,
    text: DueText,
    decision: Extract<HandOverDecision, { outcome: 'allow' }>,
  ): Promise<void> => {
    const { id: sms_id, from, to, body } = text;
    const admission = admissionText(decision);
    // An adapter that throws has a bug, but the text may be out all the same.
    const result = await carrier.sms
      .send({ sms_id, from, to, body }, decision.admitted)
      .catch((error): SendResult => ({ outcome: 'lost', detail: String(error) }));
    switch (result.outcome) {
      case 'accepted':
        await accepted(text, result.provider_message_id, { admission });
        return;
      case 'not_sent':
        log.info(
          { sms_id, error_code: result.error_code, detail: result.detail },
          'the carrier refused a text',
        );
        await fail(text, result.error_code, { admission });
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

  /** A rule stopped the text before the carrier was called. */
  const stopAtRule = async (text: DueText, decision: Stopped): Promise<void> => {
    const { outcome, check, retry_after_seconds } = decision;
    const admission = admissionText(decision);
    if (outcome === 'defer' && age(text.requested_at) < give_up_seconds) {
      await store.hold(text, after(retry_after_seconds), admission);
      return;
    }
    log.info({ sms_id: text.id, ...stoppedBecause(decision) }, 'a text was not allowed to leave');
    await fail(text, check === 'suppression' ? 'recipient_opted_out' : 'not_allowed', { admission });
  };

  const handOver = async (carrier: GuardedCarrier, text: DueText): Promise<void> => {
    const decision = await deps.admission.admit('hand_over', {
      organization_id: text.organization_id,
      channel: 'sms',
      origin: text.origin === 'carrier' ? 'api' : text.origin,
      recipients: [text.to],
      provider: carrier.name,
      consent: text.origin === 'api' ? 'warranted' : 'inbound_message',
      suppressed: text.is_suppressed && !carrier.isRepeatable?.(text.to) ? [text.to] : [],
    });
    await (decision.outcome === 'allow' ? send(carrier, text, decision) : stopAtRule(text, decision));
  };

  /** An earlier attempt may have reached the carrier. */
  const look = async (carrier: GuardedCarrier, text: DueText, handed_at: Date): Promise<void> => {
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
  const askOutcome = async (carrier: GuardedCarrier, text: DueText): Promise<void> => {
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
    else await handOver(carrier, text);
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
    /** The kill switch was changed: what it held back asks again, once every process has seen the change. */
    switched(): void {
      clearTimeout(releasing);
      releasing = setTimeout(() => {
        store
          .release(clock.now())
          .then(kick)
          .catch((error) => log.warn({ err: error }, 'held texts ask again at their own time'));
      }, 2 * switch_age_ms).unref();
    },
    async drain(): Promise<void> {
      kick();
      while (running) await running;
    },
    /** A text that goes on after the cut is looked for at the carrier when its lease ends. */
    async stop(cut?: AbortSignal): Promise<void> {
      stopped = true;
      clearTimeout(releasing);
      while (running && !cut?.aborted) await untilCut(running, cut);
    },
  };
}
export type SmsDispatcher = ReturnType<typeof smsDispatcher>;
