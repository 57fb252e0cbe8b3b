// The sandbox: play the other side of every channel, and move the clock.
import { Button, SegmentedControl } from '@mantine/core';
import type { SandboxMessage } from '@parley/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useClock } from '../data/reads.ts';
import { useAction } from '../data/use-action.tsx';
import { useList } from '../data/use-list.ts';
import { PlainBadge } from '../parts/badge.tsx';
import { JsonView } from '../parts/copy.tsx';
import { Dialog, DialogButton } from '../parts/dialog.tsx';
import { FillCommand } from '../parts/fill-command.tsx';
import { Go } from '../parts/go.tsx';
import { Card, Empty, Page, Read } from '../parts/page.tsx';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { exactTime, Time } from '../parts/time.tsx';
import type { Search } from '../router.tsx';
import { parley } from '../session/client.ts';
import { Phone } from './phone.tsx';
import { CallInForm, EmailInForm, TextInForm } from './sandbox-receive.tsx';

const steps: [label: string, seconds: number][] = [
  ['+30 s', 30],
  ['+10 min', 600],
  ['+24 h', 86_400],
];

function Clock() {
  const clock = useClock();
  const advance = useAction((advance_seconds: number) => parley.sandbox.advanceClock({ advance_seconds }), {
    changes: ['sandbox', 'webhooks', 'emails', 'sms', 'calls', 'numbers', 'events'],
    says: ({ now }) => `It is ${exactTime(now)}. What became due has run.`,
    loud: true,
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
                ? 'In step with this machine.'
                : `${offset_seconds.toLocaleString('en')} s ahead of this machine.`}{' '}
              Moving it runs retries, quotes and everything else that waits.
            </p>
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
          </div>
        )}
      </Read>
    </Card>
  );
}

const places: Record<SandboxMessage['channel'], string> = { email: '/emails', sms: '/sms', call: '/calls' };
const wordsOf = ({ message }: SandboxMessage) =>
  String(message.subject ?? message.body ?? message.text ?? message.first_message ?? '');

function Look({ message }: { message: SandboxMessage }) {
  const [is_open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => setOpen(true)}
        aria-label={`Look at what ${message.to.join(', ')} got`}
      >
        Look
      </Button>
      <Dialog title={`For ${message.to.join(', ')}`} opened={is_open} onClose={() => setOpen(false)}>
        <div className="stack">
          <Go to={message.channel === 'sms' ? '/sms' : `${places[message.channel]}/${message.resource_id}`}>
            Open it in the console
          </Go>
          <JsonView value={message.message} label="what was handed over" />
        </div>
      </Dialog>
    </>
  );
}

const columns: Column<SandboxMessage>[] = [
  { title: 'Channel', width: '5rem', cell: ({ channel }) => <PlainBadge>{channel}</PlainBadge> },
  { title: 'To', width: 'minmax(8rem, 1fr)', cell: ({ to }) => <strong>{to.join(', ')}</strong> },
  {
    title: 'What',
    width: 'minmax(8rem, 1.3fr)',
    wide: true,
    cell: (message) => <span className="muted">{wordsOf(message)}</span>,
  },
  { title: 'When', width: '6rem', wide: true, cell: ({ handed_at }) => <Time at={handed_at} /> },
  { title: 'Actions', width: '4.5rem', cell: (message) => <Look message={message} /> },
];

function Inbox() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const channel = search.channel as SandboxMessage['channel'] | undefined;
  const messages = useList(['sandbox', 'outbox', channel], (query) =>
    parley.sandboxOutbox.list({ ...query, ...(channel ? { channel } : {}) }),
  );
  return (
    <div className="stack">
      <div className="row spread">
        <h2 style={{ margin: 0, fontSize: 16 }}>What the people of the sandbox got</h2>
        <SegmentedControl
          size="xs"
          aria-label="Channel"
          value={channel ?? ''}
          onChange={(value) =>
            void navigate({
              to: '/sandbox',
              search: (value ? { channel: value } : {}) as never,
              replace: true,
            })
          }
          data={[
            { value: '', label: 'All' },
            { value: 'email', label: 'Mail' },
            { value: 'sms', label: 'Texts' },
            { value: 'call', label: 'Calls' },
          ]}
        />
      </div>
      <RecordTable
        label="What the people of the sandbox got"
        query={messages}
        columns={columns}
        empty={
          <Empty
            title="Nothing was sent yet"
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
            Nothing leaves this machine: whatever is sent ends here. This sends an email:
          </Empty>
        }
      />
    </div>
  );
}

export function SandboxPage() {
  return (
    <Page
      title="Sandbox"
      about="Play the other side: nothing here leaves this machine."
      acts={
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
