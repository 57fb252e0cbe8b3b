// Providers that note each hand-over with its moment, and that can be told to be busy or to fall silent.
import type { Channel } from '@parley/contract/access/admin';
import type { CallOrder, Carrier, OutgoingText } from '../../src/providers/carrier/carrier.ts';
import type { MailTransport, OutgoingMail } from '../../src/providers/mail/transport.ts';
import { people as sandbox_people } from '../calls.ts';
import { type Book, empty_book } from './rules.ts';

export type HandOver = {
  channel: Channel;
  /** The call, the text, or the email; for a forward the received email. */
  record_id: string;
  recipients: readonly string[];
  at_ms: number;
  /** The number of the request, which the sequence writes into every message. Null for replies of agents and the service. */
  tag: number | null;
  /** False when the provider said that it did nothing. */
  is_taken: boolean;
  /** Calls: the longest time that the order allows. */
  max_duration_seconds: number | null;
  /** Emails: the text and the link that unsubscribes. */
  text: string;
  unsubscribe_url: string | null;
  /** The rules of all organizations at that moment. */
  book: Book;
};

/** `works`; `busy`: does nothing and says so; `silent`: takes everything and never responds, until the process crashes. */
export type Mood = 'works' | 'busy' | 'silent';

export type Recorder = {
  mood: Mood;
  book: Book;
  /** Oldest first. */
  handed: HandOver[];
  /** Records that a silent provider took. */
  lost: Set<string>;
  /** The request of each call. An order contains no text, so it cannot contain the number of the request. */
  call_tags: Map<string, number>;
  /** The providers of one process. After `die` they do nothing, because a dead process calls nobody. */
  providers(): {
    carrier(real: Carrier): Carrier;
    transport(real: MailTransport): MailTransport;
    die(): void;
  };
};

const tag_pattern = /#(\d+)#/;
export const tagged = (tag: number, text: string) => `${text} #${tag}#`;
const tagIn = (text: string): number | null => {
  const match = tag_pattern.exec(text);
  return match ? Number(match[1]) : null;
};

const never = <T>(): Promise<T> => new Promise<T>(() => {});

export function handOverRecorder(clock: { ms(): number }): Recorder {
  const recorder: Recorder = {
    mood: 'works',
    book: empty_book,
    handed: [],
    lost: new Set(),
    call_tags: new Map(),
    providers: () => providersOf(recorder, clock),
  };
  return recorder;
}

function providersOf(recorder: Recorder, clock: { ms(): number }) {
  let is_dead = false;
  /** What the provider does; `silent` and `busy` do not reach the sandbox. */
  async function take<T>(
    noted: Omit<HandOver, 'at_ms' | 'is_taken' | 'book'>,
    does: { work(): Promise<T>; busy: T },
  ): Promise<T> {
    if (is_dead) return never();
    const { mood, book } = recorder;
    recorder.handed.push({ ...noted, at_ms: clock.ms(), is_taken: mood !== 'busy', book });
    if (mood === 'silent') {
      recorder.lost.add(noted.record_id);
      return never();
    }
    return mood === 'busy' ? does.busy : does.work();
  }
  const isTaken = (id: string) =>
    recorder.handed.some(({ record_id, is_taken }) => record_id === id && is_taken);

  return {
    die() {
      is_dead = true;
    },
    carrier: (real: Carrier): Carrier => ({
      ...real,
      sms: {
        ...real.sms,
        send: (text) =>
          take(noteText(text), {
            work: () => real.sms.send(text),
            busy: { outcome: 'busy', retry_after_seconds: 5, detail: 'test' },
          }),
        find: async (text, since) =>
          isTaken(text.sms_id) ? real.sms.find(text, since) : { outcome: 'absent' },
      },
      voice: real.voice && {
        ...real.voice,
        place: (order) =>
          take(noteCall(recorder, order), {
            work: () => real.voice!.place({ ...order, to: answersAs(order) }),
            busy: { outcome: 'busy', retry_after_seconds: 1, detail: 'test' },
          }),
      },
    }),
    transport: (real: MailTransport): MailTransport => ({
      ...real,
      send: (mail, signal) =>
        take(noteMail(mail), {
          work: () => real.send(mail, signal),
          busy: { accepted: false, reason: 'connection_failed', retryable: true, detail: {} },
        }),
    }),
  };
}

/** The longest time of a call in which the person refuses to be contacted: an order contains no text that says so. */
export const stop_call_seconds = 59;

/** Only who refuses to be contacted answers: what else is said in calls is the subject of other tests. */
const answersAs = ({ max_duration_seconds }: CallOrder) =>
  max_duration_seconds === stop_call_seconds ? sandbox_people.converses : sandbox_people.busy;

const noteText = ({ sms_id, to, body }: OutgoingText) => ({
  channel: 'sms' as const,
  record_id: sms_id,
  recipients: [to],
  tag: tagIn(body),
  max_duration_seconds: null,
  text: '',
  unsubscribe_url: null,
});

const noteCall = (recorder: Recorder, { call_id, to, max_duration_seconds }: CallOrder) => ({
  channel: 'calls' as const,
  record_id: call_id,
  recipients: [to],
  tag: recorder.call_tags.get(call_id) ?? null,
  max_duration_seconds,
  text: '',
  unsubscribe_url: null,
});

function noteMail({ email_id, envelope, shown }: OutgoingMail) {
  const { text, headers } = shown();
  const [, unsubscribe_url = null] = /<(http[^>]+)>/.exec(headers['List-Unsubscribe'] ?? '') ?? [];
  return {
    channel: 'emails' as const,
    record_id: email_id,
    recipients: envelope.to,
    tag: tagIn(text ?? ''),
    max_duration_seconds: null,
    text: text ?? '',
    unsubscribe_url,
  };
}
