// What the carrier tells about texts: those that came in, and what became of those that went out.
import { isDeepStrictEqual } from 'node:util';
import type { Sms } from '@parley/contract/sms';
import { segmentsOf } from '@parley/contract/sms-segments';
import { batched } from '../../platform/batch.ts';
import { type Clock, isoTime } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { CountOutcome } from '../../platform/metrics.ts';
import type { NewEvent, Outbox } from '../../platform/outbox.ts';
import type { CarrierEvent } from '../../providers/carrier/carrier.ts';
import type { GuardedCarriers } from '../admission/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';
import { answer_job } from './agent-replies.ts';
import { conversationId } from './conversation-id.ts';
import { type DispatchStore, isMessageTaken } from './dispatch-store.ts';
import { optOutWord } from './opt-out-words.ts';
import type { InboundSms, SmsRow, SmsStore } from './store.ts';
import type { SuppressionStore } from './suppression-store.ts';

type Received = Extract<CarrierEvent, { kind: 'text_received' }> & {
  provider: string;
  /** Of the sandbox: who the shared sender belongs to this time. */
  organization_id?: string;
};
type Changed = Extract<CarrierEvent, { kind: 'text_changed' }> & { provider: string };

/** Who a text is for; without a number it came to the shared sender. */
type Holder = { organization_id: string; agent_id: string | null; number_id: string | null };
const max_seen = 10_000;
/** One answer to STOP or HELP in so long, and one to START: two machines that text each other fall silent. */
const keyword_pause_ms = 300_000;

const answers = {
  stop: 'You will get no more texts from this number. Reply START to get them again.',
  start: 'You will get texts from this number again. Reply STOP to stop them.',
  help: 'This is an automated service. Reply STOP to get no more texts from this number.',
} as const;

/** Text from the wire: no NUL, no half characters, no more than a long text can hold. */
const clean = (text: string, max: number) => text.replaceAll('\0', '').slice(0, max).toWellFormed();

export function smsReceiver(deps: {
  db: Database;
  store: SmsStore;
  dispatch: DispatchStore;
  suppressions: SuppressionStore;
  numbers: Pick<NumbersFeature, 'holders'>;
  carriers: GuardedCarriers;
  outbox: Outbox;
  clock: Clock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  enqueue: Jobs['enqueue'];
  default_sender: string | null;
  automatic_replies: number;
  /** After the commit: somebody may wait for this, and something may have been queued. */
  committed(organization_ids: Set<string>): void;
}) {
  const { db, store, suppressions, clock, ids, log } = deps;

  // Whom a number without an agent belonged to when it was last looked up. Storing asks again, in the same statement.
  const seen = new Map<string, Holder>();
  const seenKey = (text: Received) => `${text.provider} ${text.to}`;
  const remember = (text: Received, holder: Holder | null): void => {
    if (seen.size >= max_seen) seen.clear();
    if (holder?.agent_id === null) seen.set(seenKey(text), holder);
    else seen.delete(seenKey(text));
  };

  /** Whom a text is for, asked for all that come together. */
  const holderOf = batched<Received, Holder | null>(async (texts) => {
    const numbers = await deps.numbers.holders(db, [...new Set(texts.map((text) => text.to))]);
    return Promise.all(
      texts.map(async (text) => {
        const number = numbers.find(({ e164, provider }) => e164 === text.to && provider === text.provider);
        const holder = number
          ? { organization_id: number.organization_id, agent_id: number.sms_agent_id, number_id: number.id }
          : null;
        remember(text, holder);
        if (holder || text.to !== deps.default_sender) return holder;
        const organization_id =
          text.organization_id ?? (await store.lastSharedSender(db, text.to, text.from))?.organization_id;
        return organization_id ? { organization_id, agent_id: null, number_id: null } : null;
      }),
    );
  });

  const inboundRow = (text: Received, organization_id: string): InboundSms => {
    // Before the id, which carries its own time: whoever asks for texts since this moment must find this one.
    const requested_at = isoTime(clock.ms());
    const { encoding, segments } = segmentsOf(text.body);
    return {
      id: ids.next(),
      organization_id,
      conversation_id: conversationId(organization_id, text.to, text.from),
      from: text.from,
      to: text.to,
      body: text.body,
      segments,
      encoding,
      provider: text.provider,
      provider_message_id: text.provider_message_id,
      requested_at,
    };
  };

  const answerRow = (inbound: InboundSms, body: string): SmsRow => ({
    ...inbound,
    id: ids.next(),
    direction: 'outbound',
    from: inbound.to,
    to: inbound.from,
    body,
    status: 'queued',
    error_code: null,
    ...segmentsOf(body),
    provider_message_id: null,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
    metadata: {},
    origin: 'keyword',
    answers_id: inbound.id,
    is_shared_sender: false,
    next_attempt_at: inbound.requested_at,
    attempts: 0,
    claims: 0,
    handed_at: null,
    admission: null,
  });

  /** Opt-out words are dealt with here; null means that the text is for people and agents. */
  const heedWord = async (
    tx: Transaction,
    inbound: InboundSms,
  ): Promise<'stop' | 'start' | 'help' | null> => {
    const word = optOutWord(inbound.body);
    const { organization_id, from: recipient } = inbound;
    if (word === null) return null;
    let says = false;
    if (word === 'stop') {
      // Only the first STOP is confirmed: one confirmation is all the law allows.
      says = await suppressions.add(tx, {
        id: ids.next(),
        organization_id,
        recipient,
        channel: 'sms',
        reason: 'opt_out',
        source: 'keyword',
        created_at: inbound.requested_at,
      });
    } else if (word === 'start') {
      says = await suppressions.lift(tx, organization_id, recipient);
      // Nothing to lift: "yes" was an answer to a question.
      if (!says) return null;
    } else {
      const since = new Date(clock.ms() - 86_400_000);
      const written = await store.automaticSince(tx, organization_id, inbound.conversation_id, since);
      says = written < deps.automatic_replies;
    }
    const { conversation_id } = inbound;
    const since = new Date(clock.ms() - keyword_pause_ms);
    // The answer to START is counted apart: whoever stopped by mistake hears that texts flow again.
    const bodies = word === 'start' ? [answers.start] : [answers.stop, answers.help];
    if (says && (await store.wasAnswered(tx, organization_id, { conversation_id, bodies, since })))
      says = false;
    const carrier = deps.carriers.byName(inbound.provider);
    const canAnswer = recipient.startsWith('+') && carrier?.capabilities.answers_opt_out_keywords === false;
    if (says && canAnswer) await store.insertAnswer(tx, answerRow(inbound, answers[word]));
    return word;
  };

  type Inbound = { row: InboundSms; holder: Holder };
  const rowsOf = (texts: Inbound[]) => texts.map(({ row }) => row);
  const eventOf = ({ organization_id, id, from, to, body }: InboundSms): NewEvent => ({
    organization_id,
    type: 'sms.received',
    resource_id: id,
    data: { id, from, to, body },
  });
  const told = (texts: Inbound[], fresh: Set<string>): boolean[] => {
    const rows = rowsOf(texts).filter(({ id }) => fresh.has(id));
    for (const _ of rows) deps.countOutcome('sms', 'inbound', 'received', null);
    deps.committed(new Set(rows.map(({ organization_id }) => organization_id)));
    return texts.map(({ row }) => fresh.has(row.id));
  };

  // Both answer whether the text was stored. One that asks nothing of the service itself needs no more than one statement.
  const storePlain = batched<Inbound, boolean>(async (texts) => {
    const rows = rowsOf(texts);
    const number_ids = texts.map(({ holder }) => holder.number_id);
    const write = (known: 'fails' | 'left_out') =>
      deps.outbox.writeWith(db, store.inboundInsertionOf(rows, { number_ids, known }), rows.map(eventOf));
    const fresh = await write('fails').catch((error) => {
      if (isMessageTaken(error)) return write('left_out');
      throw error;
    });
    return told(texts, fresh);
  });
  const storeAndAct = batched<Inbound, boolean>(async (texts) => {
    const fresh = await db.transaction(async (tx) => {
      const stored = await tx.rows<{ id: string }>(
        store.inboundInsertionOf(rowsOf(texts), { number_ids: texts.map(() => null), known: 'left_out' }),
      );
      const ids = new Set(stored.map(({ id }) => id));
      const added = texts.filter(({ row }) => ids.has(row.id));
      for (const { row, holder } of added) {
        const word = await heedWord(tx, row);
        if (word !== null || holder.agent_id === null) continue;
        const { organization_id, id } = row;
        const payload = { organization_id, sms_id: id, agent_id: holder.agent_id };
        await deps.enqueue(tx, { kind: answer_job, payload });
      }
      await deps.outbox.write(tx, rowsOf(added).map(eventOf));
      return ids;
    });
    return told(texts, fresh);
  });

  /** Null for a text that is known already, or for nobody. */
  const receive = async (text: Received): Promise<InboundSms | null> => {
    const is_plain = optOutWord(text.body) === null;
    let holder = (is_plain && seen.get(seenKey(text))) || (await holderOf(text));
    while (holder) {
      const row = inboundRow(text, holder.organization_id);
      const keep = is_plain && holder.agent_id === null ? storePlain : storeAndAct;
      if (await keep({ row, holder })) return row;
      // Known already, or the number has another holder by now, or an agent.
      const current: Holder | null = await holderOf(text);
      if (isDeepStrictEqual(current, holder)) break;
      holder = current;
    }
    const { provider, provider_message_id } = text;
    log.info({ provider, provider_message_id }, 'a text came in for nobody, or a second time');
    return null;
  };

  const changeGroup = batched<Changed, Sms | null>((changes) =>
    db.transaction(async (tx) => {
      const results: (Sms | null)[] = [];
      for (const { provider, provider_message_id, sms_id, text } of changes) {
        const subject = await deps.dispatch.subject(tx, provider, provider_message_id, sms_id);
        const moved =
          subject &&
          (await deps.dispatch.outcome(tx, subject, text, clock.now(), {
            provider_message_id,
            next_attempt_at: new Date(clock.ms() + 600_000),
          }));
        if (moved && moved.error_code === 'recipient_opted_out') {
          await suppressions.add(tx, {
            id: ids.next(),
            organization_id: moved.organization_id,
            recipient: moved.to,
            channel: 'sms',
            reason: 'carrier_refusal',
            source: 'carrier',
            created_at: clock.now().toISOString(),
          });
        }
        if (!subject) log.info({ provider, provider_message_id }, 'carrier event for an unknown text');
        results.push(moved);
      }
      return results;
    }),
  );

  const received = (text: Received) =>
    receive({
      ...text,
      from: clean(text.from, 40),
      to: clean(text.to, 40),
      body: clean(text.body, 4000),
    });

  return {
    /** Of the sandbox: a text as if it had come from outside. */
    received,

    async handleEvents(provider: string, events: CarrierEvent[]): Promise<void> {
      for (const each of events) {
        if (each.kind === 'text_received') await received({ ...each, provider });
        if (each.kind === 'text_changed') await changeGroup({ ...each, provider });
      }
    },
  };
}
export type SmsReceiver = ReturnType<typeof smsReceiver>;
