// Keeps conversations current: adds new emails, texts and calls, and merges the conversations of one contact.
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { UnitOfWork } from '../../platform/unit-of-work/unit-of-work.ts';
import type { ContactRecord, Projection } from '../projector/index.ts';
import { addToConversation, type ContactParties, linkContact, type OrganizationState } from './assignment.ts';
import { type Item, type ItemRecord, itemOf } from './conversation-item.ts';
import { conversationEvents } from './events.ts';
import { contactParties, type ProjectionStore } from './projection-store.ts';

type Deps = { clock: Clock; store: ProjectionStore; unitOfWork: UnitOfWork; moveItems: MoveItems };
/** Starts the job that moves the items of merged conversations. */
export type MoveItems = (
  tx: Transaction,
  organization_id: string,
  merged: { into: string; from: string },
) => Promise<void>;

export const conversationProjection = (deps: Deps): Projection => ({
  name: 'conversations',
  nouns: ['email', 'sms', 'call', 'contact'],
  async project(tx, { records, deleted }) {
    const contacts = records.filter((record): record is ContactRecord => record.noun === 'contact');
    const items = records.filter((record): record is ItemRecord => record.noun !== 'contact');
    await deps.store.lockOrganizations(tx, [...records, ...deleted]);
    await deps.store.removeItems(tx, deleted);
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
  },
});

const stateOf = (states: Map<string, OrganizationState>, organization_id: string) =>
  states.get(organization_id)!;

/** The items that are in no conversation yet, oldest first. */
async function newItems({ store }: Deps, tx: Transaction, records: readonly ItemRecord[]): Promise<Item[]> {
  const known = await store.knownItems(tx, records);
  const fresh = records.filter(({ id }) => !known.has(id));
  const facts = await store.mailFacts(tx, fresh);
  return fresh
    .map((record) =>
      itemOf(record, { isOwn: facts.isOwn(record.organization_id), isAnswer: facts.isAnswer(record) }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

export async function saveState(
  { store, unitOfWork, moveItems }: Omit<Deps, 'clock'>,
  tx: Transaction,
  state: OrganizationState,
): Promise<void> {
  await store.save(tx, state);
  for (const merged of state.changes.merged) await moveItems(tx, state.organization_id, merged);
  await store.findWaiting(tx, state.organization_id, [...state.changes.changed]);
  const events = conversationEvents(state);
  if (events.length > 0) await unitOfWork.commitIn(tx, [{ events }]);
}

export type { ContactParties };
