// The sandbox: simulate the other side of every channel, and move the clock.
import { Button, SegmentedControl } from '@mantine/core';
import type { SandboxMessage, Sms } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { JsonView } from '../../parts/copy.tsx';
import { Dialog, DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Card, Empty, Page, Read } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { exactTime, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useClock, useIdentity } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';
import { Phone } from './phone.tsx';
import { CallInForm, EmailInForm, TextInForm } from './sandbox-receive.tsx';

const steps: [label: string, seconds: number][] = [
  ['+30 s', 30],
  ['+10 min', 600],
  ['+24 h', 86_400],
];

function Clock() {
  const clock = useClock();
  const { data: who } = useIdentity();
  const may_move = !facts.is_managed || who?.superadmin === true;
  const advance = useAction((advance_seconds: number) => parley.sandbox.advanceClock({ advance_seconds }), {
    changes: ['sandbox', 'webhooks', 'emails', 'sms', 'calls', 'numbers', 'events'],
    message: ({ now }) => `The time is ${exactTime(now)}. All due work has run.`,
    toast_error: true,
  });
  return (
    <Card title="Clock">
      <Read query={clock}>
        {({ now, offset_seconds }) => (
          <div className="stack tight">
            <p style={{ margin: 0, fontSize: 17, fontWeight: 600 }}>
              <time dateTime={now}>{exactTime(now)}</time>
            </p>
            <p className="muted small" style={{ margin: 0 }}>
              {offset_seconds === 0
                ? 'The same as this machine.'
                : `${offset_seconds.toLocaleString('en')} s ahead of this machine.`}{' '}
              {may_move
                ? 'Moving it runs retries and all other scheduled work.'
                : 'On a server with several organizations only a superadmin can move it.'}
            </p>
            {may_move && (
              <div className="row">
                {steps.map(([label, seconds]) => (
                  <Button
                    key={label}
                    variant="default"
                    size="xs"
                    loading={advance.busy}
                    onClick={() => advance.run(seconds)}
                  >
                    {label}
                  </Button>
                ))}
              </div>
            )}
          </div>
        )}
      </Read>
    </Card>
  );
}

/** An email as its recipient received it, with a form to reply as that person. */
function MailActions({ message }: { message: SandboxMessage }) {
  const [is_open, setOpen] = useState(false);
  const who = message.to.join(', ');
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      <RowButton onClick={() => setOpen(true)} aria-label={`View what ${who} received`}>
        View
      </RowButton>
      <Dialog title={`For ${who}`} opened={is_open} onClose={() => setOpen(false)}>
        <div className="stack">
          <PageLink to={`/emails/${message.resource_id}`}>Open it in the console</PageLink>
          {message.content_erased_at ? (
            <p className="muted">Its content was erased.</p>
          ) : (
            <JsonView value={message.message} label="the delivered message" />
          )}
        </div>
      </Dialog>
      <DialogButton label="Reply" title={`Reply as ${who}`} variant="default" size="row">
        {(close) => (
          <EmailInForm
            close={close}
            first={{
              from: message.to[0]!,
              to: message.from,
              subject: `Re: ${String(message.message.subject ?? '')}`,
              email_id: message.resource_id,
            }}
          />
        )}
      </DialogButton>
    </span>
  );
}

const mail_columns: Column<SandboxMessage>[] = [
  { title: 'To', width: 'minmax(8rem, 1fr)', cell: ({ to }) => <strong>{to.join(', ')}</strong> },
  {
    title: 'Subject',
    width: 'minmax(8rem, 1.3fr)',
    wide: true,
    cell: ({ message, content_erased_at }) => (content_erased_at ? 'Erased' : String(message.subject ?? '')),
  },
  { title: 'When', width: '6rem', wide: true, cell: ({ handed_at }) => <Time at={handed_at} /> },
  { title: 'Actions', width: '9rem', cell: (message) => <MailActions message={message} /> },
];

const text_columns: Column<Sms>[] = [
  { title: 'To', width: 'minmax(8rem, 0.7fr)', cell: ({ to }) => <strong className="mono">{to}</strong> },
  { title: 'Text', width: 'minmax(8rem, 1.5fr)', cell: ({ body }) => body },
  { title: 'When', width: '6rem', wide: true, cell: ({ requested_at }) => <Time at={requested_at} /> },
  {
    title: 'Actions',
    width: '6rem',
    cell: ({ from, to }) => (
      <DialogButton label="Reply" title={`Reply as ${to}`} variant="default" size="row">
        {(close) => <TextInForm close={close} first={{ from: to, to: from }} />}
      </DialogButton>
    ),
  },
];

function Inbox() {
  const { channel = 'email' } = useFilters();
  const navigate = useNavigate();
  const mail = useList(['sandbox', 'outbox'], (query) =>
    parley.sandboxOutbox.list({ ...query, channel: 'email' }),
  );
  const texts = useList(['sms', 'outbound'], (query) => parley.sms.list({ ...query, direction: 'outbound' }));
  const title = 'Delivered to the sandbox';
  const about = 'Nothing leaves this machine: everything you send arrives here. This sends one:';
  return (
    <div className="stack">
      <div className="row spread">
        <h2 style={{ margin: 0, fontSize: 16 }}>{title}</h2>
        <SegmentedControl
          size="xs"
          aria-label="Channel"
          value={channel}
          onChange={(value) =>
            void navigate({ to: '/sandbox', search: { channel: value } as never, replace: true })
          }
          data={[
            { value: 'email', label: 'Mail' },
            { value: 'sms', label: 'Texts' },
          ]}
        />
      </div>
      {channel === 'sms' ? (
        <RecordTable
          label={title}
          query={texts}
          columns={text_columns}
          empty={
            <Empty
              title="No text was sent yet"
              command={
                <FillCommand
                  path="/v1/sms"
                  body={{ to: '+15005550001', body: 'It works.', recipient_consent: true }}
                />
              }
            >
              {about}
            </Empty>
          }
        />
      ) : (
        <RecordTable
          label={title}
          query={mail}
          columns={mail_columns}
          empty={
            <Empty
              title="No mail was sent yet"
              command={
                <FillCommand
                  path="/v1/emails"
                  body={{
                    to: ['ana@example.com'],
                    subject: 'Hello',
                    body_text: 'It works.',
                    recipient_consent: true,
                  }}
                />
              }
            >
              {about}
            </Empty>
          }
        />
      )}
    </div>
  );
}

export function SandboxPage() {
  return (
    <Page
      title="Sandbox"
      about="Simulate the other side: nothing here leaves this machine."
      actions={
        <>
          <DialogButton label="Receive an email" variant="default">
            {(close) => <EmailInForm close={close} />}
          </DialogButton>
          <DialogButton label="Receive a text" variant="default">
            {(close) => <TextInForm close={close} />}
          </DialogButton>
          <DialogButton label="Receive a call" variant="default">
            {(close) => <CallInForm close={close} />}
          </DialogButton>
        </>
      }
    >
      <div className="grid two">
        <Phone />
        <Clock />
      </div>
      <Inbox />
    </Page>
  );
}
