// The form of a new text.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Consent } from '../parts/consent.tsx';
import { Form, given } from '../parts/form.tsx';
import { parley } from '../session/client.ts';
import { facts } from '../session/facts.ts';
import { useNumbers } from '../state/reads.ts';
import { useAction } from '../state/use-action.tsx';
import { SegmentCount } from './sms.tsx';

export function SmsForm({ to: first }: { to: string }) {
  const navigate = useNavigate();
  const numbers = useNumbers();
  const [to, setTo] = useState(first || (facts.is_sandbox ? '+15005550007' : ''));
  const [from, setFrom] = useState('');
  const [body, setBody] = useState('');
  const [consent, setConsent] = useState(false);
  const send = useAction(
    () => parley.sms.create({ to, body, recipient_consent: consent as true, ...given({ from }) }),
    {
      changes: ['sms'],
      says: 'The text is on its way.',
      done: ({ conversation_id }) =>
        void navigate({ to: '/sms', search: { conversation: conversation_id } as never }),
    },
  );
  return (
    <Form action={send} onSend={() => send.run(undefined)} submit="Send the text">
      <TextInput
        label="To"
        description={
          facts.is_sandbox
            ? '+15005550007 answers with the same words; 0002 is undelivered, 0003 fails.'
            : 'With the country code.'
        }
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={send.fieldError('to')}
        required
      />
      <NativeSelect
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        data={[
          { value: '', label: 'Chosen for you' },
          ...(numbers.data ?? [])
            .filter(
              ({ provisioning_state, capabilities }) =>
                provisioning_state === 'active' && capabilities.includes('sms'),
            )
            .map(({ e164 }) => ({ value: e164, label: e164 })),
        ]}
      />
      <div className="stack tight">
        <Textarea
          label="Text"
          autosize
          minRows={3}
          value={body}
          onChange={(event) => setBody(event.currentTarget.value)}
          error={send.fieldError('body')}
          required
        />
        <SegmentCount text={body} />
      </div>
      <Consent given={consent} onChange={setConsent} />
    </Form>
  );
}
