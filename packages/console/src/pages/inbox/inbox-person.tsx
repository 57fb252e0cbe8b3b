// The person of a conversation: the contact, numbers and addresses with their consents, the assignee, labels, and other conversations.
import { ActionIcon, NativeSelect } from '@mantine/core';
import type { Conversation } from '@parley/sdk';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { humanize, PlainBadge, StatusBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { LastAction } from '../../parts/last-action.tsx';
import { PageLink } from '../../parts/link.tsx';
import { OperatorKeyInUse } from '../../parts/operator-key.tsx';
import { Facts, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { countPeople, useOwnMember } from '../../state/inbox.ts';
import { useAgents } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';
import { channelsFor } from '../contacts/consent-form.tsx';
import { ContactForm, DoNotContactForm } from '../contacts/contact-form.tsx';
import { useMembers } from '../organization/subject-names.ts';
import { Labels } from './inbox-labels.tsx';
import { MergeDialog } from './inbox-merge.tsx';

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="person-part" aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);

type Participant = Conversation['participants'][number];
const othersOf = ({ participants }: Conversation) => participants.filter(({ role }) => role !== 'own');

const channel_words = { call: 'Calls', email: 'Emails', sms: 'Texts' };

function MayContact({ recipient, channel }: { recipient: string; channel: keyof typeof channel_words }) {
  const check = useQuery({
    queryKey: ['consents', 'check', recipient, channel, 'conversational'],
    queryFn: () => parley.consents.check({ recipient, channel, purpose: 'conversational' }),
  });
  if (!check.data) return null;
  const { allowed } = check.data;
  return (
    <PlainBadge tone={allowed ? 'good' : 'bad'}>
      {`${channel_words[channel]} ${allowed ? 'allowed' : 'not allowed'}`}
    </PlainBadge>
  );
}

const Address = ({
  of: { address, name, role, contact_id },
  has_name,
}: {
  of: Participant;
  has_name: boolean;
}) => (
  <li>
    {has_name && name && name !== address && (
      <div>{contact_id ? <PageLink to={`/contacts/${contact_id}`}>{name}</PageLink> : name}</div>
    )}
    <div className="row spread">
      <span className="break">{address}</span>
      <PageLink to="/consents" search={{ recipient: address }} className="small">
        Consents
      </PageLink>
    </div>
    {role === 'copied' && <div className="small muted">Copied</div>}
    <div className="row badges">
      {channelsFor(address).map((channel) => (
        <MayContact key={channel} recipient={address} channel={channel} />
      ))}
    </div>
  </li>
);

function Addresses({ conversation }: { conversation: Conversation }) {
  const hidden = conversation.participants_total - conversation.participants.length;
  return (
    <Part title={conversation.kind === 'group' ? 'People' : 'Numbers and addresses'}>
      <ul className="addresses">
        {othersOf(conversation).map((each) => (
          <Address key={each.address} of={each} has_name={conversation.kind === 'group'} />
        ))}
      </ul>
      {hidden > 0 && <p className="small muted">And {hidden} more.</p>}
    </Part>
  );
}

function KnownContact({ id }: { id: string }) {
  const contact = useQuery({ queryKey: ['contacts', id], queryFn: () => parley.contacts.get(id) });
  return (
    <Read query={contact}>
      {(found) => (
        <>
          <Facts
            of={[
              [
                'Name',
                <PageLink key="name" to={`/contacts/${id}`}>
                  {found.name}
                </PageLink>,
              ],
              ...(found.role ? [['Role', found.role] as [string, ReactNode]] : []),
              ...(found.time_zone ? [['Time zone', found.time_zone] as [string, ReactNode]] : []),
              [
                'Do not contact',
                <PlainBadge key="refused" tone={found.do_not_contact ? 'bad' : 'still'}>
                  {found.do_not_contact ? 'yes' : 'no'}
                </PlainBadge>,
              ],
            ]}
          />
          <div className="row">
            <DialogButton size="row" label="Edit" title={`Edit ${found.name}`}>
              {(close) => <ContactForm contact={found} close={close} />}
            </DialogButton>
            <DialogButton
              size="row"
              label={found.do_not_contact ? 'Allow contact' : 'Do not contact'}
              title={`${found.do_not_contact ? 'Allow contact' : 'Do not contact'}: ${found.name}`}
            >
              {(close) => <DoNotContactForm contact={found} close={close} />}
            </DialogButton>
            <OperatorKeyInUse />
          </div>
        </>
      )}
    </Read>
  );
}

function UnknownContact({ conversation }: { conversation: Conversation }) {
  const [person] = othersOf(conversation);
  if (!person) return <p className="muted">Nobody else takes part.</p>;
  const way = person.channel === 'email' ? { email: person.address } : { phone_e164: person.address };
  return (
    <div className="row spread">
      <span className="muted">Not a contact yet.</span>
      <DialogButton size="row" label="Add contact" title={`Add contact ${person.address}`}>
        {(close) => <ContactForm first={{ name: person.name ?? '', ...way }} close={close} />}
      </DialogButton>
    </div>
  );
}

function Assignee({ conversation: { id, assignee } }: { conversation: Conversation }) {
  const agents = useAgents().data ?? [];
  const members = useMembers();
  const me = useOwnMember();
  const assign = useAction(
    (value: string) => {
      const [kind, chosen] = value.split(':') as ['agent' | 'member', string];
      return parley.conversations.update(id, { assignee: chosen ? { kind, id: chosen } : null });
    },
    { changes: ['conversations'], message: 'Saved.', toast_error: true },
  );
  const current = assignee ? `${assignee.kind}:${assignee.id}` : '';
  const choices = [
    { value: '', label: 'Unassigned' },
    ...[...members].map(([member_id, name]) => ({
      value: `member:${member_id}`,
      label: member_id === me ? `${name} (you)` : name,
    })),
    ...agents.map((agent) => ({ value: `agent:${agent.id}`, label: `Agent ${agent.name}` })),
  ];
  if (!choices.some(({ value }) => value === current))
    choices.push({ value: current, label: 'Somebody else' });
  return (
    <NativeSelect
      label="Assigned to"
      size="xs"
      value={current}
      data={choices}
      onChange={(event) => assign.run(event.currentTarget.value)}
    />
  );
}

/** What an agent that finished the conversation reports. */
function Result({ conversation: { result } }: { conversation: Conversation }) {
  if (!result) return null;
  return (
    <Part title="Result">
      <div className="row badges">
        <StatusBadge status={result.status} />
        {result.success !== null && (
          <span className="small">{result.success ? 'reached' : 'not reached'}</span>
        )}
      </div>
      {result.summary && <p className="break">{result.summary}</p>}
      {result.success_reason && <p className="small muted break">{result.success_reason}</p>}
      {result.result && <pre className="small">{JSON.stringify(result.result, null, 2)}</pre>}
      {result.result_error && <p className="small">{humanize(result.result_error)}</p>}
    </Part>
  );
}

const max_addresses = 3;

/** Found by what its people sent: threads with several people, and emails whose sender is not proven. */
function OtherConversations({
  conversation,
  onOpen,
}: {
  conversation: Conversation;
  onOpen(id: string): void;
}) {
  const addresses = othersOf(conversation).slice(0, max_addresses);
  const search = useQuery({
    // Not reloaded at each event: it is a search for each address.
    queryKey: ['search', 'others', conversation.id, addresses.map(({ address }) => address)],
    queryFn: async () => {
      const pages = await Promise.all(
        addresses.map(({ address }) => parley.search.query({ from: address, limit: 50 })),
      );
      const items = pages
        .flatMap((page) => page.items)
        .filter((item) => item.conversation_id !== conversation.id);
      const newest = items.toSorted((a, b) => (a.at < b.at ? 1 : -1));
      return [
        ...new Map(newest.toReversed().map((item) => [item.conversation_id, item])).values(),
      ].toReversed();
    },
    staleTime: 30_000,
  });
  if (!search.data || search.data.length === 0) return null;
  return (
    <Part title="Other conversations">
      <ul className="addresses">
        {search.data.slice(0, 8).map(({ id, conversation_id, title, snippet, at }) => (
          <li key={id}>
            <button type="button" className="link" onClick={() => onOpen(conversation_id!)}>
              {title || snippet || 'No text'}
            </button>{' '}
            <span className="small muted">
              <Time at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

export function PersonPane({
  conversation,
  onBack,
  onOpen,
}: {
  conversation: Conversation;
  onBack(): void;
  onOpen(id: string): void;
}) {
  const { kind, contact_id, title } = conversation;
  return (
    <>
      <header className="pane-head">
        <ActionIcon
          className="person-toggle"
          variant="default"
          size="lg"
          aria-label="Back to the conversation"
          onClick={onBack}
        >
          <IconArrowLeft size={18} />
        </ActionIcon>
        <h2 className="clip">{kind === 'group' ? `${countPeople(conversation)} people` : title}</h2>
      </header>
      <div className="person">
        {kind === 'person' && (
          <Part title="Contact">
            {contact_id ? <KnownContact id={contact_id} /> : <UnknownContact conversation={conversation} />}
          </Part>
        )}
        <Addresses conversation={conversation} />
        <Result conversation={conversation} />
        <Part title="Assignment and labels">
          <Assignee conversation={conversation} />
          <Labels conversation={conversation} />
          <div className="row">
            <DialogButton size="row" label="Merge …" title="Merge another conversation into this one">
              {(close) => <MergeDialog conversation={conversation} close={close} />}
            </DialogButton>
          </div>
        </Part>
        <OtherConversations conversation={conversation} onOpen={onOpen} />
        <LastAction />
      </div>
    </>
  );
}
