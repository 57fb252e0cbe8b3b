// Shows the emails, texts and calls of a conversation in one form.
import type { ConversationItem } from '@parley/contract/inbox/conversations';
import { limits } from '@parley/contract/limits';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import { authenticityOf } from '../../../access/sender-proof/index.ts';
import type { EmailText } from '../../projector/index.ts';
import type { CallFacts, EmailFacts, ItemQuery, ItemRow, ItemStore, SmsFacts } from './items-store.ts';

export type { ItemQuery } from './items-store.ts';

type Deps = {
  store: ItemStore;
  /** What the sender of an email wrote, without quotations. */
  emailText: EmailText;
  baseUrl(): string;
};

export const itemReader =
  (deps: Deps) => async (organization_id: string, conversation_id: string, query: ItemQuery) => {
    const { items: rows, next_cursor } = await deps.store.page(organization_id, conversation_id, query);
    const ids = (noun: ItemRow['noun']) => rows.filter((row) => row.noun === noun).map(({ id }) => id);
    const [emails, texts, calls] = await Promise.all([
      deps.store.emails(organization_id, ids('email')),
      deps.store.texts(organization_id, ids('sms')),
      deps.store.calls(organization_id, ids('call')),
    ]);
    const email_items = emails.map(
      async (email) => [email.id, await emailItem(deps, organization_id, email)] as const,
    );
    const facts = new Map<string, Facts>([
      ...(await Promise.all(email_items)),
      ...texts.map((sms) => [sms.id, textItem(sms)] as const),
      ...calls.map((call) => [call.id, callItem(call)] as const),
    ]);
    // A record that was deleted a moment ago is not shown.
    const items = rows.flatMap((row): ConversationItem[] => {
      const facts_of_item = facts.get(row.id);
      if (!facts_of_item) return [];
      const authenticity = row.direction === 'outbound' ? 'own' : facts_of_item.authenticity;
      return [{ ...row, ...facts_of_item, authenticity }];
    });
    return { items, next_cursor };
  };
export type ItemReader = ReturnType<typeof itemReader>;

type Facts = Omit<ConversationItem, keyof ItemRow>;

const limited = (text: string | null) => ({
  text: text === null ? null : text.slice(0, limits.conversation_item_chars),
  is_truncated: text !== null && text.length > limits.conversation_item_chars,
});
const holdOf = (hold: unknown) => (hold ?? null) as Hold | null;

const emailItem = async (
  { emailText, baseUrl }: Deps,
  organization_id: string,
  email: EmailFacts,
): Promise<Facts> => ({
  at: email.at,
  status: email.status,
  hold: holdOf(email.hold),
  end_reason: email.end_reason,
  from: email.from_address,
  to: [...email.to_addresses, ...email.cc_addresses],
  subject: email.subject,
  ...limited(await emailText({ ...email, organization_id })),
  attachments: email.attachments.map((each) => ({
    ...each,
    url: `${baseUrl()}/v1/emails/${email.id}/attachments/${each.id}`,
  })),
  call: null,
  authenticity: authenticityOf(email),
});

const textItem = (sms: SmsFacts): Facts => ({
  at: sms.at,
  status: sms.status,
  hold: holdOf(sms.hold),
  end_reason: sms.end_reason,
  from: sms.from,
  to: [sms.to],
  subject: null,
  ...limited(sms.text),
  attachments: [],
  call: null,
  authenticity: 'carrier',
});

const callItem = (call: CallFacts): Facts => ({
  at: call.at,
  status: call.status,
  hold: holdOf(call.hold),
  end_reason: call.end_reason,
  from: call.from,
  to: [call.to],
  subject: null,
  ...limited(call.text),
  attachments: [],
  call: {
    duration_seconds: call.duration_seconds,
    end_reason: call.end_reason,
    answered_by: call.answered_by,
    turns: call.turns,
    summary: call.summary,
  },
  authenticity: 'carrier',
});
