// One email, text or call inside of a conversation, with what became of it.
import { sms_errors } from 'virtual:contract/reasons';
import type { ConversationItem } from '@parley/sdk';
import { IconAlertTriangle, IconPaperclip } from '@tabler/icons-react';
import { humanize, StatusBadge, toneOf } from '../../parts/badge.tsx';
import { HoldNotice } from '../../parts/hold.tsx';
import { PageLink } from '../../parts/link.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { duration, fileSize, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { end_reason_text } from '../../state/status-text.ts';
import { useAction } from '../../state/use-action.tsx';
import { ChannelIcon } from './write/inbox-channel.tsx';

const email_reasons: Record<string, string> = {
  smtp_rejected: 'The mail server of the recipient refused the email.',
  connection_failed: 'The mail server could not be reached.',
  timeout: 'The mail server did not answer in time.',
  provider_error: 'The mail provider reported an error.',
  hard_bounce: 'The address does not exist or does not accept email.',
  unconfirmed: 'The answer of the mail server was lost, so it is unknown whether the email was sent.',
  not_allowed: 'A rule of this server stopped the email before it was sent.',
  canceled: 'The email was canceled before it was sent.',
  approval_rejected: 'A person rejected the email.',
  approval_expired: 'Nobody approved the email in time.',
};
const reasons = { email: email_reasons, sms: sms_errors, call: end_reason_text };

const reasonOf = ({ noun, end_reason }: ConversationItem) =>
  end_reason && (reasons[noun][end_reason] ?? humanize(end_reason));

const pages = { email: 'emails', call: 'calls' };
const held_nouns = { email: 'email', sms: 'text', call: 'call' } as const;
const clients = { email: () => parley.emails, sms: () => parley.sms, call: () => parley.calls };

function HeldItem({ item: { id, noun, hold } }: { item: ConversationItem }) {
  if (!hold) return null;
  return (
    <HoldNotice
      hold={hold}
      noun={held_nouns[noun]}
      changes={['conversations', 'emails', 'sms', 'calls']}
      cancel={() => clients[noun]().cancel(id)}
      move={(scheduled_at) => clients[noun]().update(id, { scheduled_at })}
    />
  );
}

function Attachment({ item, of }: { item: ConversationItem; of: ConversationItem['attachments'][number] }) {
  const save = useAction(() => saveFile(`/v1/emails/${item.id}/attachments/${of.id}`, of.filename), {
    toast_error: true,
  });
  return (
    <RowButton loading={save.busy} onClick={() => save.run(undefined)}>
      <IconPaperclip size={13} aria-hidden /> <span className="visually-hidden">Save </span>
      {of.filename} <span className="muted">{fileSize(of.size_bytes)}</span>
    </RowButton>
  );
}

/** Shows only a warning: verified senders, and senders that were not checked, get no label. */
const Forged = ({ item }: { item: ConversationItem }) =>
  item.authenticity === 'failed' && (
    <span className="tick warn small">
      <IconAlertTriangle size={15} aria-hidden />
      The sender is probably forged: DMARC failed.
    </span>
  );

function callOutcome(item: ConversationItem): string {
  const { call, status } = item;
  const parts = [
    call?.answered_by && call.answered_by !== 'human' ? `Answered by ${humanize(call.answered_by)}.` : null,
    call?.duration_seconds ? `${duration(call.duration_seconds)}.` : null,
    reasonOf(item) ?? (status === 'completed' ? null : `${humanize(status)}.`),
  ];
  return parts.filter((each) => each !== null).join(' ');
}

const CallBody = ({ item }: { item: ConversationItem }) => (
  <>
    <div>
      <strong>{item.direction === 'outbound' ? 'Call' : 'Call received'}.</strong> {callOutcome(item)}
    </div>
    {item.text && (
      <details>
        <summary>Transcript ({item.call?.turns ?? 0} turns)</summary>
        <div className="item-text">{item.text}</div>
      </details>
    )}
  </>
);

const bad = (status: string) => toneOf(status) === 'bad' || status === 'canceled';

function ItemFoot({ item }: { item: ConversationItem }) {
  const { noun, status, direction, is_truncated } = item;
  const fails = noun !== 'call' && bad(status);
  return (
    <>
      {fails && (
        <div className="item-failed">
          <IconAlertTriangle size={15} aria-hidden />{' '}
          {reasonOf(item) ?? `The ${held_nouns[noun]} ${humanize(status)}.`}
        </div>
      )}
      <span className="meta">
        <ChannelIcon of={noun} />
        <Time at={item.at} />
        {(direction === 'outbound' || noun === 'call') && !item.hold && <StatusBadge status={status} />}
        {noun !== 'sms' && (
          <PageLink to={`/${pages[noun]}/${item.id}`}>
            {noun === 'call' ? 'Transcript and recording' : is_truncated ? 'Read all' : 'Open'}
          </PageLink>
        )}
      </span>
    </>
  );
}

export function Item({ item }: { item: ConversationItem }) {
  const is_ours = item.direction === 'outbound';
  const kinds = ['bubble', 'item', item.noun, is_ours ? 'ours' : '', item.is_read ? '' : 'is-new'];
  return (
    <article className={kinds.filter(Boolean).join(' ')}>
      {item.noun === 'email' && (
        <header>
          <strong className="break">{item.subject || 'No subject'}</strong>
          <span className="small muted break">
            {item.from} → {item.to.join(', ')}
          </span>
          <Forged item={item} />
        </header>
      )}
      {item.noun === 'call' ? (
        <CallBody item={item} />
      ) : (
        <div className="item-text">{item.text || <span className="muted">No text.</span>}</div>
      )}
      {item.attachments.length > 0 && (
        <div className="row">
          {item.attachments.map((each) => (
            <Attachment key={each.id} item={item} of={each} />
          ))}
        </div>
      )}
      <HeldItem item={item} />
      <ItemFoot item={item} />
    </article>
  );
}
