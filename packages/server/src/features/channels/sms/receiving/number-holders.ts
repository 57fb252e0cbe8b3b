// Finds the organization that an inbound text is for: the holder of the number, or the last user of the shared sender.
import { batched } from '../../../../platform/batch.ts';
import type { Database } from '../../../../platform/db/database.ts';
import type { NumbersFeature } from '../../numbers/index.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { ReceivedSms } from './received-sms.ts';

/** Without a number the text came to the shared sender. */
export type Holder = { organization_id: string; agent_id: string | null; number_id: string | null };

type Deps = {
  db: Database;
  conversations: ConversationStore;
  numbers: Pick<NumbersFeature, 'holders'>;
  default_sender: string | null;
};

const max_cached = 10_000;
const keyOf = (text: ReceivedSms) => `${text.provider} ${text.to}`;

export function numberHolders(deps: Deps) {
  // Only numbers without an agent. The statement that stores a text checks the cached holder again.
  const cache = new Map<string, Holder>();
  // Texts that arrive together share one query.
  const read = batched<ReceivedSms, Holder | null>(async (texts) => {
    const holders = await readHolders(deps, texts);
    for (const [index, text] of texts.entries()) {
      const holder = holders[index]!;
      if (cache.size >= max_cached) cache.clear();
      if (holder?.number_id != null && holder.agent_id === null) cache.set(keyOf(text), holder);
      else cache.delete(keyOf(text));
    }
    return holders;
  });

  return { read, cached: (text: ReceivedSms): Holder | null => cache.get(keyOf(text)) ?? null };
}

async function readHolders(deps: Deps, texts: ReceivedSms[]): Promise<(Holder | null)[]> {
  const numbers = await deps.numbers.holders(deps.db, [...new Set(texts.map((text) => text.to))]);
  return Promise.all(
    texts.map(async (text) => {
      const number = numbers.find(({ e164, provider }) => e164 === text.to && provider === text.provider);
      if (number) {
        const { organization_id, sms_agent_id, id } = number;
        return { organization_id, agent_id: sms_agent_id, number_id: id };
      }
      if (text.to !== deps.default_sender) return null;
      const last = text.organization_id
        ? { organization_id: text.organization_id }
        : await deps.conversations.organizationOfReply(deps.db, text.to, text.from);
      return last && { organization_id: last.organization_id, agent_id: null, number_id: null };
    }),
  );
}
