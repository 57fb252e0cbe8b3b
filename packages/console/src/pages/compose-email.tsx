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
import { useForm } from '../state/use-form.ts';

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
  const [files, setFiles] = useState<EmailAttachment[]>([]);
  const upload = useAction(
    (chosen: FileList) => {
      const form = new FormData();
      for (const file of chosen) form.append('file', file);
      return parley.emailAttachments.upload(form);
    },
    {
      done: ({ attachments }) => {
        form.renewKey();
        setFiles((before) => [...before, ...attachments]);
      },
      loud: true,
    },
  );
  const form = useForm(
    { to: first, from: '', subject: '', kind: 'text', body: '', recipient_consent: false },
    ({ to, from, subject, kind, body, recipient_consent }, options) =>
      parley.emails.create(
        {
          to: words(to),
          subject,
          recipient_consent: recipient_consent as true,
          ...given({
            from,
            body_text: kind === 'text' ? body : '',
            body_html: kind === 'html' ? body : '',
            attachment_ids: files.length > 0 ? files.map(({ id }) => id) : undefined,
          }),
        },
        options,
      ),
    {
      changes: ['emails'],
      says: ({ to_addresses }) => `Sent to ${to_addresses.join(', ')}.`,
      done: ({ id }) => void navigate({ to: `/emails/${id}` }),
    },
  );
  const { kind } = form.fields;

  return (
    <Form action={form} submit="Send the email">
      <TextInput
        label="To"
        description="Several addresses are separated by commas."
        {...form.field('to')}
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
              onClick={() => form.set({ to: `${name}@sandbox.test` })}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
      <NativeSelect
        label="From"
        {...form.field('from')}
        data={[
          { value: '', label: 'The newest verified domain' },
          ...(domains.data ?? [])
            .filter(({ verification_status }) => verification_status === 'verified')
            .map(({ default_address }) => ({ value: default_address, label: default_address })),
        ]}
      />
      <TextInput label="Subject" {...form.field('subject')} required />
      <div className="stack tight">
        <SegmentedControl
          size="xs"
          aria-label="Kind of body"
          value={kind}
          onChange={(value) => form.set({ kind: value })}
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
          {...form.field('body')}
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
              onClick={() => {
                form.renewKey();
                setFiles((before) => before.filter((file) => file.id !== id));
              }}
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
      <Consent {...form.tick('recipient_consent')} />
    </Form>
  );
}
