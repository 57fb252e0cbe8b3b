// The sandbox carrier: no account, no network, and a fixed outcome for every reserved number.
import { randomInt } from 'node:crypto';
import type { Carrier, CarrierEvent, Offer, OfferQuery, TextOutcome } from '../carrier.ts';
import type { SandboxPhones } from '../sandbox-phones.ts';
import {
  isRepeatable,
  purchases,
  stock,
  type TextBehaviour,
  textRecipients,
  verificationOutcomes,
} from './reserved-numbers.ts';
import { sandboxVoice } from './voice.ts';

export { default_sms_sender, poolNumbers } from './reserved-numbers.ts';

const outcomes: Record<TextBehaviour, TextOutcome> = {
  delivered: { status: 'delivered' },
  undelivered: { status: 'undelivered', error_code: 'unreachable' },
  failed: { status: 'failed', error_code: 'rejected' },
  opted_out: { status: 'failed', error_code: 'recipient_opted_out' },
  unconfirmed: { status: 'sent' },
  answers_stop: { status: 'delivered' },
  echoes: { status: 'delivered' },
  answers_code: { status: 'delivered' },
  answer_lost: { status: 'delivered' },
};

/** The sandbox remembers nothing: an id says what became of the text, so a restart changes no outcome. */
const messageId = (behaviour: TextBehaviour, sms_id: string) => `sandbox-${behaviour}-${sms_id}`;
const behaviourOf = (to: string): TextBehaviour => textRecipients[to] ?? 'delivered';

export function sandboxCarrier(deps: {
  handleEvents(events: CarrierEvent[]): Promise<void>;
  /** Who can be called; without it nobody can. */
  phones: SandboxPhones | null;
}): Carrier & { voice: ReturnType<typeof sandboxVoice> | null } {
  const voice = deps.phones && sandboxVoice({ ...deps.phones, handleEvents: deps.handleEvents });
  /** The news comes after the answer, as with any carrier. */
  const tell = (events: CarrierEvent[]) => setImmediate(() => void deps.handleEvents(events).catch(() => {}));

  return {
    name: 'sandbox',
    capabilities: {
      simulated: true,
      sms: true,
      sender_names: true,
      answers_opt_out_keywords: false,
      numbers: true,
      verification: true,
      voice: voice !== null,
    },

    sms: {
      async send({ sms_id, from, to, body }) {
        const behaviour = behaviourOf(to);
        if (behaviour === 'failed')
          return { outcome: 'not_sent', error_code: 'rejected', detail: 'reserved number' };
        if (behaviour === 'opted_out') {
          return { outcome: 'not_sent', error_code: 'recipient_opted_out', detail: 'reserved number' };
        }
        const provider_message_id = messageId(behaviour, sms_id);
        const events: CarrierEvent[] = [];
        if (behaviour !== 'unconfirmed' && behaviour !== 'answer_lost') {
          events.push({ kind: 'text_changed', provider_message_id, sms_id, text: outcomes[behaviour] });
        }
        const answer =
          behaviour === 'answers_stop'
            ? 'STOP'
            : behaviour === 'echoes'
              ? body
              : behaviour === 'answers_code'
                ? `Your code is ${codeFor(sms_id)}`
                : null;
        if (answer !== null && from.startsWith('+')) {
          events.push({
            kind: 'text_received',
            provider_message_id: `sandbox-reply-${sms_id}`,
            from: to,
            to: from,
            body: answer,
          });
        }
        tell(events);
        if (behaviour === 'answer_lost') return { outcome: 'lost', detail: 'reserved number' };
        return { outcome: 'accepted', provider_message_id };
      },

      async find({ sms_id, to }) {
        const behaviour = behaviourOf(to);
        if (behaviour === 'failed' || behaviour === 'opted_out') return { outcome: 'absent' };
        return {
          outcome: 'found',
          candidates: [{ provider_message_id: messageId(behaviour, sms_id), created_at: null }],
        };
      },

      async outcome(provider_message_id) {
        const behaviour = /^sandbox-([a-z_]+)-/.exec(provider_message_id)?.[1] as TextBehaviour | undefined;
        return behaviour && behaviour in outcomes
          ? { outcome: 'known', text: outcomes[behaviour] }
          : { outcome: 'absent' };
      },
    },

    isRepeatable,

    numbers: {
      async search(query) {
        const inCountry = stock.filter(({ country_code }) => country_code === query.country_code);
        if (inCountry.length === 0) return { outcome: 'country_not_supported' };
        const fitting = inCountry.filter(
          ({ number_type, capabilities }) =>
            number_type === query.number_type &&
            query.capabilities.every((wanted) => capabilities.includes(wanted)),
        );
        if (fitting.length === 0) return { outcome: 'number_type_not_supported' };
        return { outcome: 'found', offers: fitting.flatMap((range) => offersOf(range, query)) };
      },
      async buy({ reference, e164 }) {
        const behaviour = purchases[e164];
        if (behaviour === 'refused')
          return { outcome: 'refused', code: 'sandbox', detail: 'The number cannot be sold.' };
        if (behaviour === 'taken') return { outcome: 'taken' };
        if (behaviour === 'answer_lost') return { outcome: 'lost', detail: 'reserved number' };
        return {
          outcome: behaviour === 'pending' ? 'pending' : 'bought',
          provider_number_id: `sandbox-${reference}`,
        };
      },
      async findPurchase({ reference, e164 }) {
        if (purchases[e164] === 'refused' || purchases[e164] === 'taken') return { outcome: 'absent' };
        return { outcome: 'bought', provider_number_id: `sandbox-${reference}` };
      },
      registerInbound: async () => ({ outcome: 'done' }),
      release: async () => ({ outcome: 'done' }),
    },

    verification: {
      async submit({ reference, subject_name }) {
        const named = verificationOutcomes.find(({ word }) => subject_name.toLowerCase().includes(word));
        return {
          outcome: 'done',
          provider_verification_id: `sandbox-${named?.word ?? 'approved'}-${reference}`,
        };
      },
      async state(provider_verification_id) {
        const word = provider_verification_id.split('-')[1];
        const named = verificationOutcomes.find((outcome) => outcome.word === word);
        return {
          outcome: 'known',
          state: named?.state ?? 'approved',
          rejection_reason: named?.rejection_reason ?? null,
        };
      },
    },

    voice,
    callState: async (provider_call_id) => ({ outcome: voice?.isLive(provider_call_id) ? 'live' : 'ended' }),
    readCallback: null,
    openMedia: null,
    listener: null,
  };
}

/** Six digits that follow from the text that asked for them. */
const codeFor = (sms_id: string) =>
  String(Number.parseInt(sms_id.slice(-8), 16) % 1_000_000).padStart(6, '0');

function offersOf(range: (typeof stock)[number], query: OfferQuery): Offer[] {
  const {
    prefix,
    first,
    last,
    country_code,
    number_type,
    capabilities,
    monthly_cents,
    setup_cents,
    readiness,
  } = range;
  const width = String(last).length;
  const size = last - first + 1;
  const number = (index: number) => `${prefix}${String(first + (index % size)).padStart(width, '0')}`;
  const start = randomInt(size);
  const numbers =
    query.e164 === undefined
      ? Array.from({ length: Math.min(query.limit, size) }, (_, i) => number(start + i)).filter(
          (e164) => !purchases[e164],
        )
      : Array.from({ length: size }, (_, i) => number(i)).filter((e164) => e164 === query.e164);
  return numbers.map((e164) => ({
    e164,
    country_code,
    number_type,
    capabilities: [...capabilities],
    monthly_cents,
    setup_cents,
    currency: 'USD',
    readiness,
  }));
}
