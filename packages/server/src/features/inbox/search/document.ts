// Turns a record into its search document: the words of its texts with their places, and filters as further words.
import { createHash } from 'node:crypto';
import type { SearchNoun } from '@parley/contract/inbox/search/search-query';
import { phoneWords, wordsIn, wordsOf } from '@parley/contract/inbox/search/search-words';
import { addressKey } from '@parley/contract/schema/mailbox';
import type { ConversationRef, ProjectedRecord } from '../projector/index.ts';

export const searched_nouns = ['email', 'sms', 'call', 'contact'] as const;
export type SearchedNoun = (typeof searched_nouns)[number];
export type SearchedRecord = Exclude<ProjectedRecord, ConversationRef>;

/** The weight of a word says where it occurs: A subject, B people, C names of files, D text. */
type Weight = 'A' | 'B' | 'C' | 'D';

/** A word with a colon cannot occur in a text, so filters never match texts. */
export const filter_words = {
  organization: (id: string) => `o:${id}`,
  noun: (noun: SearchNoun) => `n:${noun}`,
  direction: (direction: string) => `i:${direction}`,
  thread: (id: string) => `c:${id}`,
  from: (word: string) => `f:${word}`,
  to: (word: string) => `t:${word}`,
  label: (label: string) => `l:${label}`,
  attachment: 'h:attachment',
  metadata: (key: string, value: string) =>
    `m:${createHash('sha256').update(`${key.length}:${key}=${value}`).digest('base64url').slice(0, 16)}`,
};

const max_positions = 100;
const max_metadata_keys = 50;
const max_people = 100;
/** PostgreSQL stores no place beyond it. */
const last_position = 16_383;
/** Between two texts, so that a phrase does not match over the end of one. */
const gap = 5;

/** The words of a document, as the text form of a tsvector. */
function documentWords() {
  const places = new Map<string, string[]>();
  let position = 0;
  const add = (word: string, place: string | null) => {
    let word_places = places.get(word);
    if (!word_places) {
      word_places = [];
      places.set(word, word_places);
    }
    if (place !== null && word_places.length < max_positions) word_places.push(place);
  };
  return {
    filter: (word: string) => add(word, null),
    text(text: string, weight: Weight): void {
      for (const { word } of wordsIn(text)) {
        position = Math.min(position + 1, last_position);
        add(word, `${position}${weight === 'D' ? '' : weight}`);
      }
      position += gap;
    },
    tsvector: (): string =>
      Array.from(places, ([word, at]) =>
        at.length > 0 ? `${quoted(word)}:${at.join(',')}` : quoted(word),
      ).join(' '),
  };
}
type Words = ReturnType<typeof documentWords>;

export const quoted = (word: string): string => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

export type Party = { address: string; name: string | null };

/** The words under which one person is found by from: or to:. */
export function partyWords({ address, name }: Party): string[] {
  const at = address.lastIndexOf('@');
  const named = name === null ? [] : wordsOf(name);
  if (at === -1) return [...phoneWords(address), ...named];
  const key = addressKey(address);
  return [key, key.slice(key.lastIndexOf('@')), ...wordsOf(address), ...named];
}

/** What `from:` or `to:` must match: an address, a `@domain`, a number, or every word of a name. */
export function wantedPartyWords(value: string): string[] {
  const text = value.trim();
  if (/^[^\s@]*@[^\s@]+$/.test(text)) return [addressKey(text)];
  if (/^\+?[\d\s().-]+$/.test(text)) return [text.replaceAll(/\D/g, '')];
  return wordsOf(text);
}

export type SearchDocument = { organization_id: string; id: string; noun: SearchedNoun; words: string };

export function searchDocument(record: SearchedRecord): SearchDocument {
  const { organization_id, id, noun } = record;
  const words = documentWords();
  words.filter(filter_words.organization(organization_id));
  words.filter(filter_words.noun(isApart(record) ? 'quarantine' : noun));
  if (record.noun === 'contact') {
    words.text(record.name, 'A');
    for (const address of [record.phone_e164, record.email])
      if (address !== null) addPeople(words, null, [{ address, name: null }]);
  } else addMessage(words, record);
  return { organization_id, id, noun, words: words.tsvector() };
}

/** Search finds it only with in:quarantine. */
const isApart = (record: SearchedRecord): boolean =>
  (record.noun === 'email' || record.noun === 'sms') && record.is_quarantined;

function addMessage(words: Words, record: Exclude<SearchedRecord, { noun: 'contact' }>): void {
  words.filter(filter_words.thread(record.thread_id));
  words.filter(filter_words.direction(record.direction));
  addMetadata(words, record.metadata);
  if (record.noun !== 'call') for (const label of record.labels) words.filter(filter_words.label(label));
  if (record.noun === 'email') {
    words.text(record.subject, 'A');
    words.text(record.text, 'D');
    for (const name of record.attachment_names) words.text(name, 'C');
    if (record.attachment_names.length > 0) words.filter(filter_words.attachment);
  } else words.text(record.text, 'D');
  const { from, to } = partiesOf(record);
  addPeople(words, filter_words.from, from);
  addPeople(words, filter_words.to, to);
}

export function partiesOf(record: Exclude<SearchedRecord, { noun: 'contact' }>): {
  from: Party[];
  to: Party[];
} {
  if (record.noun !== 'email')
    return {
      from: record.from === null ? [] : [{ address: record.from, name: null }],
      to: [{ address: record.to, name: null }],
    };
  const to = [...record.to_addresses, ...record.cc_addresses, ...record.bcc_addresses];
  return {
    from: [{ address: record.from_address, name: record.from_name }],
    to: to.slice(0, max_people).map((address) => ({ address, name: null })),
  };
}

function addPeople(words: Words, filter: ((word: string) => string) | null, people: readonly Party[]): void {
  for (const person of people) {
    if (filter) for (const word of partyWords(person)) words.filter(filter(word));
    const is_phone = !person.address.includes('@');
    words.text(is_phone ? phoneWords(person.address).join(' ') : person.address, 'B');
    if (person.name !== null) words.text(person.name, 'B');
  }
}

function addMetadata(words: Words, metadata: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(metadata).slice(0, max_metadata_keys)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      words.filter(filter_words.metadata(key, String(value)));
  }
}
