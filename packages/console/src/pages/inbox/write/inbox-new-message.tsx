// A new message to a person, by email or text; the conversation with the person opens when it is sent.
import { Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Contact, Email, Sms } from '@parley/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'react';
import { Consent } from '../../../parts/consent.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Form } from '../../../parts/form.tsx';
import { SegmentCount } from '../../../parts/segment-count.tsx';
import { parley } from '../../../session/client.ts';
import { useForm } from '../../../state/use-form.ts';

const typing_ms = 200;

const waysTo = ({ name, email, phone_e164 }: Contact) =>
  [email, phone_e164].filter((each) => each !== null).map((value) => ({ value, name }));

/** Contacts whose name, number or address contains what was typed. */
function useSuggestions(text: string) {
  const [typed] = useDebouncedValue(text.trim(), typing_ms);
  const search = useQuery({
    queryKey: ['contacts', 'suggestions', typed],
    queryFn: async () => (await parley.contacts.list({ q: typed, limit: 8 })).items.flatMap(waysTo),
    enabled: typed.length > 1,
    placeholderData: keepPreviousData,
  });
  return search.data ?? [];
}

export function NewMessage({ close, onSent }: { close(): void; onSent(thread_id: string): void }) {
  const list_id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const form = useForm(
    { to: '', subject: '', body: '', recipient_consent: false },
    ({ to, subject, body, ...rest }, options): Promise<Email | Sms> => {
      const consent = { recipient_consent: rest.recipient_consent as true };
      return to.includes('@')
        ? parley.emails.create({ to: [to.trim()], subject, body_text: body, ...consent }, options)
        : parley.sms.create({ to: to.trim(), body, ...consent }, options);
    },
    {
      changes: ['conversations', 'emails', 'sms'],
      message: ({ hold }) => (hold ? `It is on hold. ${hold.message}` : 'Sent.'),
      done({ conversation_id }) {
        close();
        onSent(conversation_id);
      },
    },
  );
  const is_email = form.fields.to.includes('@');
  const suggestions = useSuggestions(form.fields.to);
  return (
    <Dialog title="New message" opened onClose={close}>
      <Form action={form} submit={is_email ? 'Send email' : 'Send text'}>
        <TextInput
          ref={field}
          label="To"
          description="An address or a number with the country code. Type a name to search your contacts."
          list={list_id}
          autoComplete="off"
          {...form.field('to')}
          required
        />
        <datalist id={list_id}>
          {suggestions.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </datalist>
        {is_email && <TextInput label="Subject" {...form.field('subject')} required />}
        <div className="stack tight">
          <Textarea
            label="Text"
            autosize
            minRows={4}
            maxRows={16}
            {...form.field('body')}
            error={form.fieldError('body_text') ?? form.fieldError('body')}
            required
          />
          {!is_email && <SegmentCount text={form.fields.body} />}
        </div>
        <Consent {...form.checkbox('recipient_consent')} />
      </Form>
    </Dialog>
  );
}
