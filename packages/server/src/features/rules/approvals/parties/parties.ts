// What is known about recipients: whether a person vouched for them, and whether they were ever contacted.
import { readHostName } from '@parley/contract/schema/host-name';
import { addressKey, readAddress } from '@parley/contract/schema/mailbox';
import { validationError } from '../../../../platform/http/api-error.ts';
import { keyedTtlCache } from '../../../../platform/ttl-cache.ts';
import { partyOf } from '../../known-parties/index.ts';
import type { PartyFacts, PartyStore } from './party-store.ts';

/** As old as the cached rules at most. */
const max_age_ms = 1000;
const max_entries = 50_000;

export function partyFacts(store: PartyStore) {
  const cache = keyedTtlCache<PartyFacts>({ max_age_ms, max_entries });

  const factsOf = (organization_id: string, recipients: readonly string[]): Promise<PartyFacts[]> =>
    Promise.all(
      recipients.map((recipient) => {
        const party = partyOf(recipient);
        return cache.get(`${organization_id} ${party}`, () => store.facts(organization_id, party));
      }),
    );

  return {
    async unvouched(
      organization_id: string,
      recipients: readonly string[],
      trusted: readonly string[],
    ): Promise<string[]> {
      const entries = trustedSet(trusted);
      const open = recipients.filter((recipient) => !isTrusted(entries, partyOf(recipient)));
      if (open.length === 0) return [];
      const facts = await factsOf(organization_id, open);
      return open.filter((_, index) => !facts[index]!.is_vouched);
    },

    /** On this process; the others load them again within a second. */
    forget(organization_id: string, parties: readonly string[]): void {
      for (const party of parties) cache.forget(`${organization_id} ${party}`);
    },

    async newOnes(organization_id: string, recipients: readonly string[]): Promise<string[]> {
      const facts = await factsOf(organization_id, recipients);
      return recipients.filter((_, index) => !facts[index]!.is_known);
    },

    /** Recipients that nobody vouched for, whatever was exchanged with them. */
    async unnamed(organization_id: string, recipients: readonly string[]): Promise<string[]> {
      const facts = await factsOf(organization_id, recipients);
      return recipients.filter((_, index) => !facts[index]!.is_vouched);
    },
  };
}
export type Parties = ReturnType<typeof partyFacts>;

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();
function trustedSet(trusted: readonly string[]): ReadonlySet<string> {
  const set = sets.get(trusted) ?? new Set(trusted);
  sets.set(trusted, set);
  return set;
}

const isTrusted = (entries: ReadonlySet<string>, party: string) =>
  entries.has(party) || (party.includes('@') && entries.has(party.slice(party.lastIndexOf('@') + 1)));

/** As they are stored: addresses and domains in the spelling that comparisons use, numbers as E.164. */
export function readTrusted(recipients: readonly string[]): string[] {
  const problems: Parameters<typeof validationError>[0] = [];
  const read = recipients.map((text, index) => {
    const party = readOne(text);
    if (party === null) {
      const message = 'Expected an email address, a phone number such as +14155550123, or a domain';
      problems.push({ path: `body.recipients[${index}]`, message, code: 'invalid' });
    }
    return party ?? '';
  });
  if (problems.length > 0) throw validationError(problems);
  return [...new Set(read)];
}

function readOne(text: string): string | null {
  if (text.startsWith('+')) return /^\+[1-9][0-9]{5,14}$/.test(text) ? text : null;
  if (!text.includes('@')) return text.includes('.') ? readHostName(text) : null;
  const address = readAddress(text);
  return address === null ? null : addressKey(address);
}
