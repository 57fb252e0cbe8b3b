// Hands one claimed text to its carrier, once: a text that may have been sent is looked up before it is sent again.

import type { SmsErrorCode } from '@parley/contract/channels/sms/sms';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { MovableClock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { orDuplicate } from '../../../../platform/db/duplicate.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { max_lost_runs, type SetAsideDeps, setAside } from '../../../../platform/set-aside.ts';
import type { Solo } from '../../../../platform/solo.ts';
import type { Tracing } from '../../../../platform/tracing/trace.ts';
import type { SendResult } from '../../../../providers/carrier/carrier.ts';
import {
  type Admission,
  type AdmissionRequest,
  admissionText,
  type GuardedCarrier,
  type GuardedCarriers,
  type HandOverDecision,
  handOverTerms,
  refusedAtCommit,
  type Stopped,
  stoppedBecause,
} from '../../../rules/admission/index.ts';
import type { ConsentRevocations } from '../../../rules/consents/index.ts';
import { conversationId } from '../receiving/conversation-id.ts';
import { chargeAndPayload } from '../sms-payload.ts';
import { type SuppressionStore, suppressRefused } from '../suppression-store.ts';
import type { SmsAttempt } from './attempt-log-store.ts';
import type { DispatchStore, DueText, FailureDetails } from './dispatch-store.ts';

export type SendDeps = SetAsideDeps & {
  db: Database;
  store: DispatchStore;
  suppressions: SuppressionStore;
  revocations: Pick<ConsentRevocations, 'revoke'>;
  carriers: GuardedCarriers;
  admission: Pick<Admission, 'admit'>;
  clock: MovableClock;
  solo: Solo;
  tracing: Tracing | null;
};

type Allowed = Extract<HandOverDecision, { outcome: 'allow' }>;

/** A text that could not be handed over for this long is outdated: a code in it has expired by then. */
const give_up_seconds = 15 * 60;
/** A scheduled text, such as a reminder, is less urgent. */
const scheduled_give_up_seconds = 24 * 3600;
/** After a lost response: how long the carrier's list may lag behind, and how long a callback may take. */
const settle_seconds = 30;
const confirm_seconds = 10 * 60;
/** When to ask the carrier about a text without a delivery report: after minutes, then hours, up to two days. */
const receipt_seconds = [600, 3600, 6 * 3600, 24 * 3600, 48 * 3600];

const after = ({ clock }: SendDeps, seconds: number) => new Date(clock.ms() + seconds * 1000);
const backoff = (attempts: number) => Math.min(2 ** attempts, 120);
const age = ({ clock }: SendDeps, since: Date | string) => (clock.ms() - new Date(since).getTime()) / 1000;
/** Counts from the end of its wait for a time or an approval. */
const isOutdated = (deps: SendDeps, { scheduled_at, released_at, requested_at }: DueText) =>
  age(deps, released_at ?? requested_at) >
  (scheduled_at === null ? give_up_seconds : scheduled_give_up_seconds);

/** The next step of one text that is due. */
export async function processText(deps: SendDeps, text: DueText): Promise<void> {
  if (text.starts > max_lost_runs) return setTextAside(deps, text);
  const carrier = deps.carriers.byName(text.provider);
  if (!carrier) {
    // The process may run without the settings of the carrier that has the text already.
    const may_be_taken = text.was_handed_at !== null;
    if (text.status === 'queued' && isOutdated(deps, text))
      await fail(deps, text, may_be_taken ? 'unconfirmed' : 'carrier_unavailable');
    else if (may_be_taken) await deps.store.lookAgain(text, after(deps, 60));
    else await deps.store.tryAgain(text, after(deps, 60));
  } else if (text.status === 'sent') await requestReceipt(deps, carrier, text);
  else if (text.was_handed_at !== null) await findSent(deps, carrier, text, text.was_handed_at);
  else await handOver(deps, carrier, text);
}

/** Two processes ended while they worked on the text. */
const setTextAside = (deps: SendDeps, text: DueText): Promise<void> =>
  deps.db.transaction(async (tx) => {
    const detail = 'The service ended twice while it worked on this text.';
    const error_code = text.was_handed_at === null ? 'carrier_unavailable' : 'unconfirmed';
    if (text.status === 'queued') await deps.store.fail(tx, text, error_code, deps.clock.now(), { detail });
    else await deps.store.stopLooking(tx, text);
    await setAside(deps).add(tx, [
      {
        queue: 'texts',
        kind: 'sms',
        organization_id: text.organization_id,
        object_id: text.id,
        reason: 'process_ended',
        lost_runs: text.starts - 1,
        failed_runs: text.attempts,
        queued_at: new Date(text.requested_at),
      },
    ]);
  });

const fail = (deps: SendDeps, text: DueText, error_code: SmsErrorCode, more: FailureDetails = {}) =>
  deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const failed = await deps.store.fail(tx, text, error_code, now, more);
    if (failed && error_code === 'recipient_opted_out' && !text.is_suppressed)
      await suppressRefused(deps, tx, text);
  });

const accepted = (deps: SendDeps, text: DueText, provider_message_id: string) =>
  deps.db.transaction((tx) =>
    deps.store.outcome(tx, text, { status: 'sent' }, deps.clock.now(), {
      provider_message_id,
      next_attempt_at: after(deps, receipt_seconds[0]!),
    }),
  );

async function handOver(deps: SendDeps, carrier: GuardedCarrier, text: DueText): Promise<void> {
  if (!text.has_sender) return void (await fail(deps, text, 'invalid_sender'));
  const decision = await deps.admission.admit('hand_over', requestFor(carrier, text));
  if (decision.outcome !== 'allow') return stopAtRule(deps, text, decision);
  // Stored before the carrier is called: afterwards a delivery report or a crash may come before our own write.
  const is_ours = decision.commit
    ? await countNow(deps, text, decision, decision.commit)
    : await deps.store.admitted(deps.db, text, admittedNow(deps, decision));
  if (is_ours) await send(deps, carrier, text, decision);
}

const admittedNow = ({ clock }: SendDeps, decision: Allowed) => ({
  admission: admissionText(decision),
  now: clock.now(),
  counted: decision.counted,
});

const requestFor = (carrier: GuardedCarrier, text: DueText): AdmissionRequest => ({
  organization_id: text.organization_id,
  channel: 'sms',
  origin: text.origin === 'carrier' ? 'api' : text.origin,
  recipients: [text.to],
  // From the numbers that are used, not as stored: the limit of a sender to one conversation depends on it.
  conversation_id: conversationId(text.organization_id, text.from, text.to),
  provider: carrier.name,
  consent: text.origin === 'api' ? 'warranted' : 'inbound_message',
  suppressed: text.is_suppressed && !carrier.isRepeatable?.(text.to) ? [text.to] : [],
  ...chargeAndPayload(text),
  ...handOverTerms(text.terms),
});

/** Counts and charges a text that was held when it was created. False when the text must not be sent now. */
async function countNow(
  deps: SendDeps,
  text: DueText,
  decision: Allowed,
  commit: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  try {
    return await deps.db.transaction(async (tx) => {
      if (!(await deps.store.admitted(tx, text, admittedNow(deps, decision)))) return false;
      await commit(tx);
      return true;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await stopAtRule(deps, text, refusedAtCommit(decision, error));
    return false;
  }
}

async function send(
  deps: SendDeps,
  carrier: GuardedCarrier,
  text: DueText,
  decision: Allowed,
): Promise<void> {
  const { store, log } = deps;
  const { id: sms_id, from, to, body, messaging_service_reference } = text;
  // An adapter that throws has a bug, but it may have sent the text.
  const result = await carrier.sms
    .send({ sms_id, from, to, body, messaging_service_reference }, decision.admitted)
    .catch((error): SendResult => ({ outcome: 'lost', detail: String(error) }));
  switch (result.outcome) {
    case 'accepted':
      await accepted(deps, text, result.provider_message_id);
      return;
    case 'not_sent': {
      const { error_code, provider_code = null, detail } = result;
      log.info({ sms_id, error_code, detail }, 'text refused by the carrier');
      await fail(deps, text, error_code, { provider_code, detail });
      return;
    }
    case 'busy': {
      const wait_seconds = Math.max(result.retry_after_seconds, backoff(text.attempts));
      const attempt = attemptOf(deps, 'send', result);
      if (isOutdated(deps, text)) await fail(deps, text, 'carrier_unavailable', { detail: result.detail });
      else await store.tryAgain(text, after(deps, wait_seconds), attempt);
      return;
    }
    case 'lost':
      log.warn({ sms_id, detail: result.detail }, 'no response from the carrier, looking the text up');
      await store.lookAgain(text, after(deps, 5), attemptOf(deps, 'send', result));
  }
}

const attemptOf = (
  { clock }: SendDeps,
  step: SmsAttempt['step'],
  { outcome, detail }: { outcome: string; detail?: string },
): SmsAttempt => ({
  at: clock.now().toISOString(),
  step,
  outcome,
  ...(detail === undefined ? {} : { detail }),
});

/** A rule stopped the text before the carrier was called. */
async function stopAtRule(deps: SendDeps, text: DueText, decision: Stopped): Promise<void> {
  const { check, hold } = decision;
  // Only the kill switch has a time limit here: an approval expires, and other rules name the time of the next attempt.
  if (hold && !(hold.kind === 'kill_switch' && isOutdated(deps, text))) {
    if (await holdBack(deps, text, hold, decision)) return;
  }
  deps.log.info({ sms_id: text.id, ...stoppedBecause(decision) }, 'text stopped by a rule');
  const error_code = check === 'suppression' ? 'recipient_opted_out' : 'not_allowed';
  await fail(deps, text, error_code, { admission: admissionText(decision) });
}

/** False when a limit does not allow another record that waits. */
async function holdBack(deps: SendDeps, text: DueText, hold: Hold, decision: Stopped): Promise<boolean> {
  try {
    await deps.db.transaction(async (tx) => {
      const waiting = { hold, terms: decision.terms, admission: admissionText(decision) };
      if (await deps.store.hold(tx, text, waiting)) await decision.commit?.(tx);
    });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}

/** An earlier attempt may have reached the carrier: looks for the text there. */
async function findSent(
  deps: SendDeps,
  carrier: GuardedCarrier,
  text: DueText,
  handed_at: Date,
): Promise<void> {
  const { store, clock } = deps;
  const { id: sms_id, from, to, body, messaging_service_reference } = text;
  // The carrier uses real time, also where the sandbox clock was moved.
  const since = new Date(handed_at.getTime() - clock.offset_ms());
  const found = await carrier.sms.find({ sms_id, from, to, body, messaging_service_reference }, since);
  if (found.outcome === 'found') {
    const ids = found.candidates.map((candidate) => candidate.provider_message_id);
    const known = await store.known(text.provider, ids);
    for (const id of ids) if (!known.has(id) && (await adopt(deps, text, id))) return;
  }
  if (found.outcome === 'found' || found.outcome === 'absent') {
    if (age(deps, handed_at) < settle_seconds) await store.lookAgain(text, after(deps, settle_seconds));
    else if (isOutdated(deps, text)) await fail(deps, text, 'carrier_unavailable');
    else await store.tryAgain(text, clock.now());
    return;
  }
  // Only a callback can confirm it, or the carrier cannot be reached now. Sending again might send twice, so in the end
  // the text fails as unconfirmed.
  if (age(deps, handed_at) >= confirm_seconds) await fail(deps, text, 'unconfirmed');
  else if (found.outcome === 'cannot_tell') {
    await store.lookAgain(text, new Date(handed_at.getTime() + confirm_seconds * 1000));
  } else
    await store.lookAgain(text, after(deps, backoff(text.attempts + 3)), attemptOf(deps, 'look_up', found));
}

/** False when the carrier's message belongs to another text of ours with the same body. */
const adopt = async (deps: SendDeps, text: DueText, provider_message_id: string): Promise<boolean> =>
  (await orDuplicate('sms_messages', () => accepted(deps, text, provider_message_id))) !== 'duplicate';

/** The delivery report did not arrive: callbacks get lost too. */
async function requestReceipt(deps: SendDeps, carrier: GuardedCarrier, text: DueText): Promise<void> {
  const { db, store, clock } = deps;
  const known = await carrier.sms.outcome(text.provider_message_id!);
  if (known.outcome === 'known' && known.text.status !== 'sent') {
    const report = known.text;
    await db.transaction(async (tx) => {
      const moved = await store.outcome(tx, text, report, clock.now(), {});
      if (moved?.error_code === 'recipient_opted_out') await suppressRefused(deps, tx, text);
    });
    return;
  }
  const next = receipt_seconds.find((seconds) => seconds > age(deps, text.sent_at!) + 60);
  await store.lookAgain(text, next === undefined ? null : new Date(Date.parse(text.sent_at!) + next * 1000));
}
