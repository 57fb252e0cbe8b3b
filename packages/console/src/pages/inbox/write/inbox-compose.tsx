// Writes in a conversation: an answer by email or text, or a new message on a channel where nothing was received yet.
import { Button, Checkbox, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { ApiError, type Conversation, type Hold } from '@parley/sdk';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Attachments, useAttachments } from '../../../parts/attachments.tsx';
import { Consent } from '../../../parts/consent.tsx';
import { FormProblem } from '../../../parts/form.tsx';
import { PageLink } from '../../../parts/link.tsx';
import { SegmentCount } from '../../../parts/segment-count.tsx';
import { parley } from '../../../session/client.ts';
import { type Draft, keepDraft, readDraft } from '../../../state/drafts.ts';
import { useItems } from '../../../state/inbox.ts';
import { type SendOptions, useForm } from '../../../state/use-form.ts';

type Channel = Draft['channel'];

/** The addresses or numbers of the other side, by channel. */
function addressesOf({ participants }: Conversation): Record<Channel, string[]> {
  const of = (channel: 'email' | 'phone') =>
    participants
      .filter((each) => each.role === 'external' && each.channel === channel)
      .map(({ address }) => address);
  return { email: of('email'), sms: of('phone') };
}

type Answered = { id: string; from: string | null } | null;
type Sent = { hold: Hold | null };

async function send(
  { id }: Conversation,
  answered: Answered | 'unknown',
  draft: Draft,
  attachment_ids: string[],
  options: SendOptions,
): Promise<Sent> {
  const consent = { recipient_consent: draft.recipient_consent as true };
  const files = attachment_ids.length > 0 ? { attachment_ids } : {};
  if (answered === null && draft.channel === 'sms')
    return parley.sms.create({ to: draft.to, body: draft.body, ...consent }, options);
  if (answered === null) {
    const { to, subject, body: body_text } = draft;
    return parley.emails.create({ to: [to], subject, body_text, ...files, ...consent }, options);
  }
  if (draft.channel === 'email' && draft.reply_all && answered !== 'unknown')
    return parley.emails.reply(
      answered.id,
      { body_text: draft.body, reply_all: true, ...files, ...consent },
      options,
    );
  const { channel, body: body_text } = draft;
  const more = channel === 'email' ? files : {};
  return parley.conversations.reply(id, { channel, body_text, ...more, ...consent }, options);
}

/** The received message that a reply answers, for each channel; unknown when it may be among older messages. */
function useAnswered(conversation: Conversation) {
  const { items, hasNextPage } = useItems(conversation.id);
  const [empty_channels, setEmptyChannels] = useState<Channel[]>([]);
  const last = items.find(({ direction, noun }) => direction === 'inbound' && noun !== 'call');
  return {
    last_channel: last?.noun as Channel | undefined,
    answeredOn(channel: Channel): Answered | 'unknown' {
      const last_received = items.find(({ direction, noun }) => direction === 'inbound' && noun === channel);
      if (last_received) return last_received;
      return hasNextPage && !empty_channels.includes(channel) ? 'unknown' : null;
    },
    setNothingOn: (channel: Channel) => setEmptyChannels((before) => [...before, channel]),
  };
}

function useComposer(conversation: Conversation) {
  const { id, kind } = conversation;
  const addresses = addressesOf(conversation);
  const answered = useAnswered(conversation);
  const attachments = useAttachments(() => {
    form.renewKey();
  });
  const possible = (['email', 'sms'] as const).filter((channel) => addresses[channel].length > 0);
  const last = answered.last_channel;
  const channel = last && possible.includes(last) ? last : (possible[0] ?? 'email');
  const sent = useRef<Draft | null>(null);
  const sent_files = useRef<string[]>([]);
  const form = useForm<Draft, Sent>(
    {
      channel,
      to: addresses[channel][0] ?? '',
      subject: '',
      body: '',
      reply_all: kind === 'group',
      recipient_consent: false,
      ...readDraft(id),
    },
    (draft, options) => {
      sent.current = draft;
      sent_files.current = attachments.ids;
      return send(conversation, answered.answeredOn(draft.channel), draft, attachments.ids, options);
    },
    {
      changes: ['conversations', 'emails', 'sms'],
      message: ({ hold }) => (hold ? `It is on hold. ${hold.message}` : 'Sent.'),
      done() {
        // What was written or attached meanwhile stays.
        attachments.remove(sent_files.current);
        if (form.fields.body === sent.current?.body) form.set({ subject: '', body: '' });
        // The list is reversed, so this is its end.
        document.querySelector('.messages')?.scrollTo({ top: 0 });
      },
      failed(error) {
        if (error instanceof ApiError && error.code === 'nothing_to_answer' && sent.current)
          answered.setNothingOn(sent.current.channel);
      },
    },
  );
  useEffect(() => keepDraft(id, form.fields), [id, form.fields]);
  return {
    form,
    possible,
    addresses,
    answered: answered.answeredOn(form.fields.channel),
    attachments,
  };
}
type ComposerState = ReturnType<typeof useComposer>;

const channel_labels = { email: 'Email', sms: 'Text' };

function Recipient({ composer, kind }: { composer: ComposerState; kind: Conversation['kind'] }) {
  const { form, addresses, answered } = composer;
  const { channel } = form.fields;
  if (answered === null)
    return (
      <NativeSelect
        size="xs"
        aria-label="To"
        data={addresses[channel]}
        {...form.field('to')}
        style={{ flex: 1 }}
      />
    );
  const is_group_mail = kind === 'group' && channel === 'email' && answered !== 'unknown';
  return (
    <>
      <span className="small muted clip">
        {answered === 'unknown' ? 'Reply to the last message' : `To ${answered.from}`}
      </span>
      {is_group_mail && <Checkbox size="xs" label="Reply to all" {...form.checkbox('reply_all')} />}
    </>
  );
}

/** The channel and who gets it. */
function ComposerHead({ composer, kind }: { composer: ComposerState; kind: Conversation['kind'] }) {
  const { form, possible, addresses } = composer;
  const chooseChannel = (channel: Channel) => form.set({ channel, to: addresses[channel][0] ?? '' });
  return (
    <div className="row composer-head">
      <SegmentedControl
        size="xs"
        aria-label="Channel"
        value={form.fields.channel}
        onChange={(value) => chooseChannel(value as Channel)}
        data={possible.map((value) => ({ value, label: channel_labels[value] }))}
      />
      <Recipient composer={composer} kind={kind} />
      {addresses.sms[0] && (
        <PageLink
          to="/compose"
          search={{ channel: 'call', to: addresses.sms[0] }}
          className="small call-link"
        >
          Call
        </PageLink>
      )}
    </div>
  );
}

type Props = { conversation: Conversation; wants_focus: boolean; onFocused(): void };

/** The default channel is that of the last received message, so the messages are loaded first. */
export const Composer = (props: Props) =>
  useItems(props.conversation.id).isPending ? null : <LoadedComposer {...props} />;

function LoadedComposer({ conversation, wants_focus, onFocused }: Props) {
  const composer = useComposer(conversation);
  const { form, possible, answered, attachments } = composer;
  const { channel } = form.fields;
  const must_wait = channel === 'email' && attachments.busy;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!wants_focus) return;
    field.current?.focus();
    onFocused();
  }, [wants_focus, onFocused]);
  if (possible.length === 0) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!form.busy && !must_wait) form.run(undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Like the button, so that the browser checks the required fields.
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    event.currentTarget.closest('.pane')?.querySelector<HTMLElement>('.messages')?.focus();
  };
  return (
    <form className="composer" onSubmit={submit} aria-label="Reply">
      <ComposerHead composer={composer} kind={conversation.kind} />
      {channel === 'email' && answered === null && (
        <TextInput size="xs" placeholder="Subject" aria-label="Subject" {...form.field('subject')} required />
      )}
      <Textarea
        ref={field}
        aria-label={answered === null ? 'New message' : 'Reply'}
        placeholder={answered === null ? 'Write a new message' : 'Write a reply'}
        autosize
        minRows={2}
        maxRows={12}
        {...form.field('body')}
        error={form.fieldError('body_text') ?? form.fieldError('body')}
        onKeyDown={onKeyDown}
        required
      />
      {channel === 'sms' && <SegmentCount text={form.fields.body} />}
      <FormProblem {...form} />
      <div className="row spread">
        <Consent {...form.checkbox('recipient_consent')} />
        <span className="row">
          {channel === 'email' && <Attachments attachments={attachments} />}
          <Button type="submit" loading={form.busy} disabled={must_wait} aria-keyshortcuts="Control+Enter">
            Send
          </Button>
        </span>
      </div>
    </form>
  );
}
