// The tool with which an agent records that a person refuses further contact, on every channel in the same way.
import type { Database } from '../../../../platform/db/database.ts';
import type { ConsentRevocations } from '../../../rules/consents/index.ts';
import { type AgentTool, failed, type ToolContext, type ToolOutcome } from '../agent-tool.ts';
import { builtInTool, done } from './built-in-tool.ts';
import { isQuoted } from './consent-quote.ts';

export type RefusalToolDeps = {
  db: Pick<Database, 'transaction'>;
  revocations: Pick<ConsentRevocations, 'revoke' | 'suspect'>;
};

export type RefusalToolSetup = {
  context: ToolContext;
  /** The call, or the message that is answered. */
  item_id: string;
  /** The sender of the email is not proven, so it may not speak for the person. */
  is_unproven?: boolean | undefined;
  /** What the other party said or wrote last. */
  personTurns(): readonly string[];
};

const max_quote_chars = 500;

const texts = {
  call: {
    description:
      'Records that the person does not want to be called or written to any more. Use it immediately when they say so in any words, then say goodbye and use end_call.',
    recorded: 'recorded: confirm it, say goodbye and use end_call',
  },
  sms: {
    description: 'The person refuses further messages. Records it; nothing is sent to them any more.',
    recorded: 'recorded',
  },
  email: {
    description: 'The person refuses further messages. Records it; nothing is sent to them any more.',
    recorded: 'recorded',
  },
} as const;

/** Null when the other party hides its number: then it is not known who refuses. */
export function doNotContactTool(deps: RefusalToolDeps, setup: RefusalToolSetup): AgentTool | null {
  const { context } = setup;
  if (context.person === null) return null;
  const { description, recorded } = texts[context.channel];
  return builtInTool({
    name: 'do_not_contact',
    description,
    properties: {
      scope: {
        type: 'string',
        enum: ['this_channel', 'all'],
        description: 'all: they refuse every contact. Default: this_channel.',
      },
      quote: { type: 'string', description: 'Their own words with which they refused, exactly.' },
    },
    // Nothing can be sent afterwards. A call goes on until they were told.
    runs_alone: context.channel !== 'call',
    run: ({ arguments: { scope, quote } }) =>
      recordRefusal(deps, setup, scope === 'all', quote).then(
        () => done(recorded),
        () => notRecorded(context),
      ),
  });
}

/** What the contact rules of the organization say about a stop is applied: see `revoke`. */
function recordRefusal(
  { db, revocations }: RefusalToolDeps,
  setup: RefusalToolSetup,
  is_for_all: boolean,
  quote: unknown,
): Promise<void> {
  const { organization_id, conversation_id, channel, person } = setup.context;
  const who = { organization_id, recipient: person! };
  const { item_id } = setup;
  if (setup.is_unproven)
    return db.transaction((tx) => revocations.suspect(tx, { ...who, channel: 'email', item_id }));
  const revoked_by = { kind: 'agent', item_id, conversation_id, quote: proofOf(setup, quote) } as const;
  return db.transaction((tx) => revocations.revoke(tx, { ...who, channel, revoked_by, is_for_all }));
}

/** A refusal never fails because of its quote: words that the person did not say are replaced by their last ones. */
function proofOf({ personTurns }: RefusalToolSetup, quote: unknown): string | null {
  const turns = personTurns();
  const words = isQuoted(quote, turns) ? (quote as string) : turns.at(-1);
  return words?.replaceAll('\0', '').slice(0, max_quote_chars).toWellFormed() || null;
}

/** The person is told the truth. */
const notRecorded = ({ channel }: ToolContext): ToolOutcome =>
  failed(
    'unreachable',
    channel === 'email'
      ? 'Not recorded because of an error: say that they can also answer with the word unsubscribe.'
      : 'Not recorded because of an error: say that they can also send a text with the word STOP.',
  );
