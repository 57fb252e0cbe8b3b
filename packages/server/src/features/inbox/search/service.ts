// Searches the index and shows what was found.

import type { SearchItem, SearchPage } from '@parley/contract/inbox/search/search';
import { type SearchNoun, type SearchTerm, search_nouns } from '@parley/contract/inbox/search/search-query';
import type { Contact } from '@parley/contract/rules/people/contacts';
import type { Database } from '../../../platform/db/database.ts';
import type { FindIds } from '../../../platform/db/list-filter.ts';
import { cursors } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { momentOf } from '../../../platform/ids.ts';
import { mapInTurns } from '../../../platform/in-turns.ts';
import { authenticityOf as emailAuthenticity } from '../../access/sender-proof/index.ts';
import { type EmailText, readRecords } from '../projector/index.ts';
import { partiesOf, type SearchedRecord } from './document.ts';
import { type Found, findDocuments } from './find.ts';
import { type IndexQuery, indexQuery, type SearchFilters } from './index-query.ts';
import { type Matcher, matchedFields, snippetOf, wordMatcher } from './snippet.ts';
import { type Hit, searchStore } from './store.ts';

export type SearchDeps = {
  db: Database;
  emailText: EmailText;
  readContacts(organization_id: string, ids: readonly string[]): Promise<Contact[]>;
  /** The threads of a conversation; an id that is no conversation is a thread. */
  threadsOf(organization_id: string, conversation_id: string): Promise<string[]>;
  /** The conversation of each thread. */
  conversationsOf(organization_id: string, thread_ids: readonly string[]): Promise<Map<string, string>>;
  is_on: boolean;
  /** How long a search may take before it returns what it has. */
  time_ms?: number;
};

export type SearchRequest = SearchFilters & {
  q?: SearchTerm[] | undefined;
  in?: SearchNoun[] | undefined;
  conversation_id?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** The quarantine is searched only on request. */
const default_nouns = (terms: readonly SearchTerm[]): SearchNoun[] =>
  search_nouns.filter(
    (noun) =>
      noun !== 'quarantine' ||
      terms.some((term) => term.kind === 'in' && !term.is_negated && term.nouns.includes('quarantine')),
  );

const max_contacts = 5;
const max_parties = 20;
const default_time_ms = 1500;
const list = cursors('search');

type MessageRecord = Exclude<SearchedRecord, { noun: 'contact' }>;

export function searchService(deps: SearchDeps) {
  const store = searchStore(deps.db);
  const find = (query: IndexQuery | null, below: string | null, limit: number): Promise<Found> =>
    query === null
      ? Promise.resolve({ hits: [], next: null, is_partial: false })
      : findDocuments(store, query, { limit, below, time_ms: deps.time_ms ?? default_time_ms });

  const requireOn = () => {
    if (!deps.is_on) throw new ApiError('search_off');
  };

  return {
    /** For lists of records of one kind. */
    findIds: (async ({ organization_id, noun, filter, below, limit }) => {
      requireOn();
      const query = indexQuery({
        organization_id,
        terms: filter.q ?? [],
        nouns: [noun],
        filters: filter,
        thread_ids: filter.conversation_ids ?? null,
      });
      const result = await find(query, below, limit);
      return { ids: result.hits.map(({ id }) => id), next: result.next };
    }) satisfies FindIds as FindIds,

    /** `readable`: the nouns that the caller may read; `within`: the only threads that it may see, null for all. */
    async search(
      organization_id: string,
      request: SearchRequest,
      readable: readonly SearchNoun[],
      within: readonly string[] | null = null,
    ): Promise<SearchPage> {
      requireOn();
      const terms = request.q ?? [];
      const below = request.cursor === undefined ? null : list.read(request.cursor);
      const wanted = (request.in ?? default_nouns(terms)).filter((noun) => readable.includes(noun));
      const named =
        request.conversation_id === undefined
          ? null
          : await deps.threadsOf(organization_id, request.conversation_id);
      const thread_ids = within && named ? named.filter((id) => within.includes(id)) : (named ?? within);
      const queryFor = (nouns: SearchNoun[]) =>
        indexQuery({ organization_id, terms, nouns, filters: request, thread_ids });
      const result = await find(queryFor(wanted.filter((noun) => noun !== 'contact')), below, request.limit);
      const has_contacts = wanted.includes('contact') && below === null && terms.length > 0;
      const contacts = has_contacts ? await find(queryFor(['contact']), null, max_contacts) : null;
      return {
        items: await presentHits(
          deps,
          organization_id,
          // The quarantine has texts too, which need a scope of their own.
          result.hits.filter(({ noun }) => readable.includes(noun)),
          terms,
        ),
        contacts: contacts
          ? await deps.readContacts(
              organization_id,
              contacts.hits.map(({ id }) => id),
            )
          : [],
        next_cursor: result.next === null ? null : list.write(result.next),
        is_partial: result.is_partial,
        searched_until: result.next === null ? null : momentOf(result.next).toISOString(),
      };
    },
  };
}
export type SearchService = ReturnType<typeof searchService>;

async function presentHits(
  deps: SearchDeps,
  organization_id: string,
  hits: readonly Hit[],
  terms: readonly SearchTerm[],
): Promise<SearchItem[]> {
  if (hits.length === 0) return [];
  const refs = hits.map((hit) => ({ organization_id, ...hit }));
  const records = new Map(
    (await readRecords(deps.db, refs, { emailText: deps.emailText, is_preview: true })).map((record) => [
      record.id,
      record,
    ]),
  );
  const threads = [...records.values()].flatMap((record) => ('thread_id' in record ? record.thread_id : []));
  const conversations = await deps.conversationsOf(organization_id, threads);
  const matches = wordMatcher(terms);
  const items = await mapInTurns(hits, ({ id }) => {
    const record = records.get(id);
    // A record that was deleted a moment ago, or that is not of this organization, is left out.
    if (!record || record.noun === 'contact' || record.noun === 'conversation') return [];
    if (record.organization_id !== organization_id) return [];
    return [
      { ...presentItem(record, matches), conversation_id: conversations.get(record.thread_id) ?? null },
    ];
  });
  return items.flat();
}

function presentItem(record: MessageRecord, matches: Matcher): Omit<SearchItem, 'conversation_id'> {
  const { from, to } = partiesOf(record);
  const parties = record.direction === 'inbound' ? from : to;
  const people = [...from, ...to].flatMap(({ address, name }) =>
    name === null ? [address] : [address, name],
  );
  const email = record.noun === 'email' ? record : null;
  return {
    noun: record.noun,
    id: record.id,
    thread_id: record.thread_id,
    at: record.requested_at,
    direction: record.direction,
    title: email ? email.subject : null,
    parties: parties.slice(0, max_parties).map(({ address }) => address),
    ...snippetOf(record.text, matches),
    matched: matchedFields(
      {
        subject: email ? [email.subject] : [],
        text: [record.text],
        people,
        attachments: email?.attachment_names ?? [],
      },
      matches,
    ),
    authenticity: authenticityOf(record),
  };
}

function authenticityOf(record: MessageRecord): SearchItem['authenticity'] {
  if (record.direction === 'outbound') return 'own';
  if (record.noun !== 'email') return 'carrier';
  return emailAuthenticity(record);
}
