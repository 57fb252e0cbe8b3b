// The HTTP operation of search. A caller finds only what its scopes allow it to read.
import { search } from '@parley/contract/inbox/search/search';
import { type SearchNoun, search_nouns } from '@parley/contract/inbox/search/search-query';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Caller, routesOf } from '../../../platform/http/context.ts';
import type { SearchService } from './service.ts';

const scopes: Record<SearchNoun, string> = {
  email: 'emails:read',
  sms: 'sms:read',
  call: 'calls:read',
  contact: 'contacts:read',
  quarantine: 'emails:read',
};

/** What a conversation token reads; its threads limit it further. */
const token_nouns: SearchNoun[] = ['email', 'sms', 'call'];

const readableNouns = ({ scopes: held, conversation }: Caller): SearchNoun[] =>
  conversation
    ? token_nouns
    : search_nouns.filter((noun) => held.includes('*') || held.includes(scopes[noun]));

export const searchRoutes = (service: SearchService) =>
  routesOf(search, {
    query: ({ query }, { caller, organization_id }) => {
      const readable = readableNouns(caller);
      if (readable.length === 0)
        throw new ApiError('insufficient_scope', {
          detail: `This credential lacks the scopes ${Object.values(scopes).join(', ')}: it needs one of them.`,
        });
      return service.search(organization_id, query, readable, caller.conversation?.thread_ids);
    },
  });
