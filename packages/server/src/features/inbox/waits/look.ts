// Evaluates the conditions of a wait against the records.
import type { WaitCondition, WaitNoun } from '@parley/contract/inbox/waits';
import { momentOf } from '../../../platform/ids.ts';
import { turns } from '../../../platform/in-turns.ts';
import { verificationCode } from '../message-waits/index.ts';
import type { FactsStore } from './following/facts-store.ts';
import { codeChannels, keyOfConversation, keyOfRecord } from './keys.ts';
import type { Match, WaitRow } from './wait-row.ts';

export type MessageFilter = {
  since: Date;
  from?: string | undefined;
  to?: string | undefined;
  conversation_ids?: readonly string[] | undefined;
  /** Only what a person wrote, and only if the sender is proven. */
  is_reply?: boolean | undefined;
};
export type ReceivedText = { id: string; at: string; text: string };

/** Received messages of one channel, without those in quarantine. */
export type ReceivedMessages = {
  first(organization_id: string, filter: MessageFilter): Promise<{ id: string; at: string } | null>;
  /** The texts in which a code may be, oldest first, after a message. */
  texts(
    organization_id: string,
    filter: MessageFilter & { after: string | null; limit: number },
  ): Promise<ReceivedText[]>;
};

export type LookDeps = {
  facts: FactsStore;
  received: Record<'email' | 'sms', ReceivedMessages>;
  /** The conversation with this id, thread or former id. */
  resolveConversation(organization_id: string, id: string): Promise<string | null>;
  /** The threads that a conversation token covers. */
  tokenThreads(organization_id: string, id: string): Promise<readonly string[]>;
};

export type Look = {
  match: Match | null;
  /** Keys that the wait should have from now on. */
  keys: string[];
  /** A conversation does not exist yet: a message was sent a moment ago. Look again soon. */
  is_unresolved: boolean;
  /** There were too many messages for one look: later ones were not evaluated. */
  seen_until: Date | null;
};

type Found = Pick<Match, 'at' | 'noun' | 'id'> & Partial<Pick<Match, 'code' | 'outcome'>>;
type Looking = {
  deps: LookDeps;
  wait: WaitRow;
  since: Date;
  look: Look;
  /** Only these, for the wait of a conversation token. */
  threads: readonly string[] | null;
};

const texts_per_page = 50;
const max_pages = 20;

/** `since`: messages that were received earlier were evaluated before. */
export async function lookFor(deps: LookDeps, wait: WaitRow, since: Date): Promise<Look> {
  const look: Look = { match: null, keys: [], is_unresolved: false, seen_until: null };
  const { organization_id, only_thread_id } = wait;
  const threads = only_thread_id === null ? null : await deps.tokenThreads(organization_id, only_thread_id);
  for (const [index, condition] of wait.any_of.entries()) {
    const hit = await find({ deps, wait, since, look, threads }, condition);
    if (!hit || Date.parse(hit.at) > Date.parse(wait.expires_at)) continue;
    const match: Match = { index, kind: condition.kind, outcome: null, code: null, ...hit };
    if (!look.match || isEarlier(match, look.match)) look.match = match;
  }
  return look;
}

const isEarlier = (one: Match, other: Match) =>
  one.at < other.at || (one.at === other.at && one.id < other.id);

function find(looking: Looking, condition: WaitCondition): Promise<Found | null> {
  switch (condition.kind) {
    case 'reply':
      return findReply(looking, condition);
    case 'email':
    case 'sms':
      return firstMessage(looking, condition.kind, partiesOf(condition));
    case 'code':
      return findCode(looking, condition);
    case 'call':
      return findCall(looking, condition);
    case 'outcome':
      return findOutcome(looking, condition);
    case 'approval':
      return findApproval(looking, condition);
    case 'result':
      return findResult(looking, condition);
  }
}

type Filter = Omit<MessageFilter, 'since'>;

const partiesOf = ({
  from,
  to,
}: {
  from?: string | null | undefined;
  to?: string | null | undefined;
}): Filter => ({
  from: from ?? undefined,
  to: to ?? undefined,
});

/** A wait of a conversation token sees its conversation only. */
function within({ threads }: Looking, filter: Filter): Filter {
  if (threads === null) return filter;
  const { conversation_ids = threads } = filter;
  return { ...filter, conversation_ids: conversation_ids.filter((id) => threads.includes(id)) };
}

async function firstMessage(looking: Looking, noun: 'email' | 'sms', filter: Filter): Promise<Found | null> {
  const { deps, wait, since } = looking;
  const message = await deps.received[noun].first(wait.organization_id, {
    ...within(looking, filter),
    since,
  });
  return message && { noun, ...message };
}

async function findReply(
  looking: Looking,
  condition: Extract<WaitCondition, { kind: 'reply' }>,
): Promise<Found | null> {
  const { deps, wait, since, look } = looking;
  const { conversation_id, channel = null } = condition;
  const filter = { conversation_ids: [conversation_id.toLowerCase()], is_reply: true };
  // A message in the same thread is found before the projector has seen it.
  const nouns = (['email', 'sms'] as const).filter((noun) => (channel ?? noun) === noun);
  const direct = [];
  for (const noun of nouns) direct.push(await firstMessage(looking, noun, filter));
  const id = await deps.resolveConversation(wait.organization_id, conversation_id);
  if (id === null) look.is_unresolved = true;
  else if (id !== conversation_id.toLowerCase()) look.keys.push(keyOfConversation(id));
  const of = { since, channel, thread_ids: looking.threads };
  const item = id === null ? null : await deps.facts.firstReply(wait.organization_id, id, of);
  const replies: (Found | null)[] = [
    ...direct,
    item && { noun: item.noun, id: item.id, at: item.released_at ?? momentOf(item.id).toISOString() },
  ];
  return replies.reduce((first, each) => (each && (!first || each.at < first.at) ? each : first), null);
}

async function findCode(
  looking: Looking,
  condition: Extract<WaitCondition, { kind: 'code' }>,
): Promise<Found | null> {
  const codes: Found[] = [];
  for (const noun of codeChannels(condition)) {
    const code = await firstCode(looking, noun, within(looking, partiesOf(condition)));
    if (code) codes.push(code);
  }
  return codes.sort((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
}

async function firstCode(looking: Looking, noun: 'email' | 'sms', filter: Filter): Promise<Found | null> {
  const { deps, wait, since, look } = looking;
  let after: string | null = null;
  for (let page = 0; page < max_pages; page++) {
    const texts: ReceivedText[] = await deps.received[noun].texts(wait.organization_id, {
      ...filter,
      since,
      after,
      limit: texts_per_page,
    });
    const between = turns();
    for (const { id, at, text } of texts) {
      await between();
      const code = verificationCode(text);
      if (code !== null) return { noun, id, at, code };
    }
    if (texts.length < texts_per_page) return null;
    after = texts.at(-1)!.id;
  }
  const until = momentOf(after!);
  if (!look.seen_until || until < look.seen_until) look.seen_until = until;
  return null;
}

async function findCall(
  { deps, wait }: Looking,
  { call_id, until }: Extract<WaitCondition, { kind: 'call' }>,
): Promise<Found | null> {
  const call = await deps.facts.callState(wait.organization_id, call_id);
  // A call that ends without an answer is never answered: waiting on would be in vain.
  const at = until === 'answered' ? (call?.answered_at ?? call?.ended_at) : call?.ended_at;
  return at ? foundOne('call', call_id, at) : null;
}

async function findOutcome(
  { deps, wait }: Looking,
  { noun, id }: Extract<WaitCondition, { kind: 'outcome' }>,
): Promise<Found | null> {
  const { facts } = deps;
  const outcome = await (noun === 'email' ? facts.emailOutcome : facts.smsOutcome)(wait.organization_id, id);
  return outcome && { ...foundOne(noun, id, outcome.at), outcome: outcome.outcome };
}

async function findApproval(
  { deps, wait }: Looking,
  { approval_id }: Extract<WaitCondition, { kind: 'approval' }>,
): Promise<Found | null> {
  const decision = await deps.facts.approvalDecision(wait.organization_id, approval_id);
  return decision && foundOne('approval', approval_id, decision.at);
}

async function findResult(
  { deps, wait, look }: Looking,
  { noun, id }: Extract<WaitCondition, { kind: 'result' }>,
): Promise<Found | null> {
  const { organization_id } = wait;
  if (noun === 'call') {
    const result = await deps.facts.callResult(organization_id, id);
    return result && foundOne('call', id, result.at);
  }
  const conversation_id = await deps.resolveConversation(organization_id, id);
  if (conversation_id === null) {
    look.is_unresolved = true;
    return null;
  }
  if (conversation_id !== id.toLowerCase()) look.keys.push(keyOfRecord(conversation_id));
  const result = await deps.facts.conversationResult(organization_id, conversation_id, wait.since);
  return result && foundOne('conversation', conversation_id, result.at);
}

const foundOne = (noun: WaitNoun, id: string, at: string): Found => ({ noun, id: id.toLowerCase(), at });
