// The form of a new email, with files.
import { Button, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import type { EmailAttachment } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Consent } from '../parts/consent.tsx';
import { Form, given, words } from '../parts/form.tsx';
import { fileSize } from '../parts/time.tsx';
import { parley } from '../session/client.ts';
import { facts } from '../session/facts.ts';
import { useDomains } from '../state/reads.ts';
import { useAction } from '../state/use-action.tsx';

const outcomes = [
  'delivered',
  'bounced',
  'softbounced',
  'complained',
  'delayed',
  'rejected',
  'opened',
  'clicked',
];

export function EmailForm({ to: first }: { to: string }) {
  const navigate = useNavigate();
  const domains = useDomains();
  const picker = useRef<HTMLInputElement>(null);
  const [to, setTo] = useState(first);
  const [from, setFrom] = useState('');
  const [subject, setSubject] = useState('');
  const [kind, setKind] = useState('text');
  const [body, setBody] = useState('');
  const [files, setFiles] = useState<EmailAttachment[]>([]);
  const [consent, setConsent] = useState(false);

  const upload = useAction(
    (chosen: FileList) => {
      const form = new FormData();
      for (const file of chosen) form.append('file', file);
      return parley.emailAttachments.upload(form);
    },
    { done: ({ attachments }) => setFiles((before) => [...before, ...attachments]), loud: true },
  );
  const send = useAction(
    () =>
      parley.emails.create({
        to: words(to),
        subject,
        recipient_consent: consent as true,
        ...given({
          from,
          body_text: kind === 'text' ? body : '',
          body_html: kind === 'html' ? body : '',
          attachment_ids: files.length > 0 ? files.map(({ id }) => id) : undefined,
        }),
      }),
    {
      changes: ['emails'],
      says: ({ to_addresses }) => `Sent to ${to_addresses.join(', ')}.`,
      done: ({ id }) => void navigate({ to: `/emails/${id}` }),
    },
  );

  return (
    <Form action={send} onSend={() => send.run(undefined)} submit="Send the email">
      <TextInput
        label="To"
        description="Several addresses are separated by commas."
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={send.fieldError('to')}
        required
      />
      {facts.is_sandbox && (
        <div className="row small">
          <span className="muted">With a fixed outcome:</span>
          {outcomes.map((name) => (
            <Button
              key={name}
              size="compact-xs"
              variant="default"
              onClick={() => setTo(`${name}@sandbox.test`)}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
      <NativeSelect
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        data={[
          { value: '', label: 'The newest verified domain' },
          ...(domains.data ?? [])
            .filter(({ verification_status }) => verification_status === 'verified')
            .map(({ default_address }) => ({ value: default_address, label: default_address })),
        ]}
      />
      <TextInput
        label="Subject"
        value={subject}
        onChange={(event) => setSubject(event.currentTarget.value)}
        error={send.fieldError('subject')}
        required
      />
      <div className="stack tight">
        <SegmentedControl
          size="xs"
          aria-label="Kind of body"
          value={kind}
          onChange={setKind}
          style={{ alignSelf: 'flex-start' }}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'html', label: 'HTML' },
          ]}
        />
        <Textarea
          label={kind === 'text' ? 'Text' : 'HTML'}
          autosize
          minRows={6}
          maxRows={20}
          value={body}
          onChange={(event) => setBody(event.currentTarget.value)}
          styles={kind === 'html' ? { input: { fontFamily: 'monospace' } } : {}}
        />
      </div>
      <div className="stack tight">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            if (event.currentTarget.files?.length) upload.run(event.currentTarget.files);
          }}
        />
        {files.map(({ id, filename, size_bytes }) => (
          <div className="row" key={id}>
            <span className="break">{filename}</span>
            <span className="muted small">{fileSize(size_bytes)}</span>
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => setFiles((before) => before.filter((file) => file.id !== id))}
            >
              Remove
            </Button>
          </div>
        ))}
        <Button
          variant="default"
          size="xs"
          loading={upload.busy}
          onClick={() => picker.current?.click()}
          style={{ alignSelf: 'flex-start' }}
        >
          Attach files
        </Button>
      </div>
      <Consent given={consent} onChange={setConsent} />
    </Form>
  );
}
