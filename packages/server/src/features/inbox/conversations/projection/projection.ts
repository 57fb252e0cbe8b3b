// Keeps conversations current: adds new emails, texts and calls, and merges the conversations of one contact.
import type { Clock } from '../../../../platform/clock.ts';
import type { Transaction } from '../../../../platform/db/database.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { ContactRecord, EmailText, ProjectedRecord, Projection } from '../../projector/index.ts';
import {
  addToConversation,
  type ContactParties,
  linkContact,
  type OrganizationState,
} from '../changes/assignment.ts';
import { conversationEvents } from '../events.ts';
import { type Item, type ItemRecord, itemOf } from '../items/conversation-item.ts';
import { contactParties, type ProjectionStore } from './projection-store.ts';
import { recount } from './recount.ts';

type Deps = {
  clock: Clock;
  store: ProjectionStore;
  unitOfWork: UnitOfWork;
  moveItems: MoveItems;
  emailText: EmailText;
};
/** Starts the job that moves the items of merged conversations. */
export type MoveItems = (
  tx: Transaction,
  organization_id: string,
  merged: { into: string; from: string },
) => Promise<void>;

export const conversationProjection = (deps: Deps): Projection => ({
  name: 'conversations',
  nouns: ['email', 'sms', 'call', 'contact', 'conversation'],
  async project(tx, { records, deleted }) {
    const contacts = records.filter((record): record is ContactRecord => record.noun === 'contact');
    const { items, apart, recounted } = sorted(records);
    await deps.store.lockOrganizations(tx, [...records, ...deleted]);
    const fewer = await deps.store.removeItems(tx, [
      ...apart,
      ...deleted.filter(({ noun }) => noun !== 'contact' && noun !== 'conversation'),
    ]);
    await deps.store.forgetContacts(tx, deleted);
    const added = await newItems(deps, tx, items);
    const linked = contacts.map((contact) => ({
      ...contactParties(contact),
      organization_id: contact.organization_id,
    }));
    const states = await deps.store.load(tx, {
      items: added,
      contacts: linked,
      now: deps.clock.now().toISOString(),
    });
    for (const contact of linked) linkContact(stateOf(states, contact.organization_id), contact);
    for (const item of added) addToConversation(stateOf(states, item.organization_id), item);
    for (const state of states.values()) await saveState(deps, tx, state);
    await recount(deps, tx, [...fewer, ...recounted]);
  },
});

const isItem = (record: ProjectedRecord): record is ItemRecord =>
  record.noun === 'email' || record.noun === 'sms' || record.noun === 'call';

/** Messages that are kept apart are in no conversation. */
function sorted(records: readonly ProjectedRecord[]) {
  const isApart = (record: ItemRecord) => record.noun !== 'call' && record.is_quarantined;
  const items = records.filter(isItem);
  return {
    items: items.filter((record) => !isApart(record)),
    apart: items.filter(isApart),
    recounted: records.filter(({ noun }) => noun === 'conversation'),
  };
}

const stateOf = (states: Map<string, OrganizationState>, organization_id: string) =>
  states.get(organization_id)!;

/** The items that are in no conversation yet, oldest first. */
async function newItems({ store }: Deps, tx: Transaction, records: readonly ItemRecord[]): Promise<Item[]> {
  const stored_items = await store.knownItems(tx, records);
  const fresh = records.filter(({ id }) => !stored_items.has(id));
  const facts = await store.mailFacts(tx, fresh);
  return fresh
    .map((record) =>
      itemOf(record, { isOwn: facts.isOwn(record.organization_id), isAnswer: facts.isAnswer(record) }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

const reorderedOf = ({ conversations, changes }: OrganizationState): string[] =>
  [...changes.reordered].filter((id) => (conversations.get(id)?.channels.length ?? 0) > 1);

export async function saveState(
  { store, unitOfWork, moveItems }: Omit<Deps, 'clock' | 'emailText'>,
  tx: Transaction,
  state: OrganizationState,
): Promise<void> {
  await store.save(tx, state);
  for (const merged of state.changes.merged) await moveItems(tx, state.organization_id, merged);
  await store.findWaiting(tx, state.organization_id, [...state.changes.changed]);
  await store.orderChannels(tx, state.organization_id, reorderedOf(state));
  const events = conversationEvents(state);
  if (events.length > 0) await unitOfWork.commitIn(tx, [{ events }]);
}

export type { ContactParties };
