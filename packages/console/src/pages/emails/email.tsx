// One email in its conversation: every message of the thread, the selected one open, with a reply form.
import { Button, Textarea } from '@mantine/core';
import type { EmailListItem } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { Consent } from '../../parts/consent.tsx';
import { ExplainCard } from '../../parts/explain.tsx';
import { Form } from '../../parts/form.tsx';
import { HoldNotice } from '../../parts/hold.tsx';
import { Card, Page, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { Message } from './email-message.tsx';

function Answer({ email_id }: { email_id: string }) {
  const form = useForm(
    { body_text: '', recipient_consent: false },
    ({ body_text, recipient_consent }, options) =>
      parley.emails.reply(email_id, { body_text, recipient_consent: recipient_consent as true }, options),
    { changes: ['emails'], message: 'Your reply was sent.', done: () => form.set({ body_text: '' }) },
  );
  return (
    <Card title="Reply">
      <Form action={form} submit="Send reply">
        <Textarea label="Text" autosize minRows={3} {...form.field('body_text')} required />
        <Consent {...form.checkbox('recipient_consent')} />
      </Form>
    </Card>
  );
}

const Line = ({ email }: { email: EmailListItem }) => (
  <span className="row spread" style={{ flexWrap: 'nowrap' }}>
    <span className="clip">
      <strong>{email.from_address}</strong> <span className="muted">→ {email.to_addresses.join(', ')}</span>
    </span>
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      <StatusBadge status={email.status} />
      <span className="small muted">
        <Time at={email.requested_at} />
      </span>
    </span>
  </span>
);

/** A message is loaded when it is opened: threads can be long. */
function ThreadPart({ email, is_chosen }: { email: EmailListItem; is_chosen: boolean }) {
  const [is_open, setOpen] = useState(is_chosen);
  return (
    <section className="card" aria-label={`Message from ${email.from_address}`}>
      <details className="message" open={is_open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Line email={email} />
        </summary>
        {is_open && email.hold && (
          <div style={{ marginTop: '1rem' }}>
            <HoldNotice
              hold={email.hold}
              noun="email"
              changes={['emails']}
              cancel={() => parley.emails.cancel(email.id)}
              move={(scheduled_at) => parley.emails.update(email.id, { scheduled_at })}
            />
          </div>
        )}
        {is_open && <Message email_id={email.id} />}
      </details>
    </section>
  );
}

/** An email in quarantine is not in the list of its thread. */
const withEmail = (thread: EmailListItem[] | undefined, email: EmailListItem): EmailListItem[] =>
  thread?.some(({ id }) => id === email.id) ? thread : [...(thread ?? []), email];

function QuarantineNotice({ id, reason }: { id: string; reason: string | null }) {
  const release = useAction(() => parley.emails.release(id), {
    changes: ['emails', 'conversations'],
    message: 'The email is in the inbox now.',
    toast_error: true,
  });
  return (
    <Card title="In quarantine">
      <div className="row spread">
        <span>
          Reason: {humanize(reason ?? 'unknown')}. Do not open its links or files before you know who sent it.
        </span>
        <Button variant="default" loading={release.busy} onClick={() => release.run(undefined)}>
          Release
        </Button>
      </div>
    </Card>
  );
}

export function EmailPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const email = useQuery({ queryKey: ['emails', id], queryFn: () => parley.emails.get(id) });
  const conversation_id = email.data?.conversation_id;
  const thread = useQuery({
    queryKey: ['emails', 'thread', conversation_id],
    queryFn: async () => (await parley.emails.list({ conversation_id, limit: 200 })).items.toReversed(),
    enabled: conversation_id !== undefined,
  });
  return (
    <Page
      title={email.data ? email.data.subject || '(no subject)' : 'Email'}
      back={{ to: '/emails', label: 'Emails' }}
    >
      <Read query={email}>
        {(found) => (
          <div className="stack">
            {found.folder === 'quarantine' && (
              <QuarantineNotice id={found.id} reason={found.quarantine_reason} />
            )}
            {withEmail(thread.data, found).map((each) => (
              <ThreadPart key={each.id} email={each} is_chosen={each.id === found.id} />
            ))}
            <ExplainCard key={found.id} id={found.id} />
            <Answer email_id={thread.data?.at(-1)?.id ?? found.id} />
          </div>
        )}
      </Read>
    </Page>
  );
}
