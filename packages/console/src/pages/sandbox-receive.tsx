// Lets an email, a text or a call come in, as if somebody outside had written or called.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form, given } from '../parts/form.tsx';
import { Empty } from '../parts/page.tsx';
import { parley } from '../session/client.ts';
import { useDomains, useNumbers } from '../state/reads.ts';
import { useAction } from '../state/use-action.tsx';

type FirstEmail = { from: string; to: string; subject: string; email_id: string };

/** `first` makes it an answer to that email. */
export function EmailInForm({ close, first }: { close(): void; first?: FirstEmail }) {
  const navigate = useNavigate();
  const domains = useDomains();
  const [from, setFrom] = useState(first?.from ?? 'Bob <bob@example.org>');
  const [to, setTo] = useState(first?.to ?? '');
  const [subject, setSubject] = useState(first?.subject ?? 'Hello');
  const [text, setText] = useState('');
  const [html, setHtml] = useState('');
  const receive = useAction(
    async () => {
      const answered = first ? await parley.emails.get(first.email_id) : null;
      return parley.sandboxEmails.receive({
        from,
        subject,
        ...given({
          to: to ? [to] : undefined,
          body_text: text,
          body_html: html,
          in_reply_to: answered?.message_id ?? undefined,
        }),
      });
    },
    {
      changes: ['emails', 'domains'],
      says: 'The email came in.',
      done: ({ id }) => {
        close();
        void navigate({ to: `/emails/${id}` });
      },
    },
  );
  return (
    <Form action={receive} onSend={() => receive.run(undefined)} submit="Let it come in">
      <TextInput
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        error={receive.fieldError('from')}
        required
      />
      <NativeSelect
        label="To"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        data={[
          { value: '', label: 'Your default address' },
          ...new Set([
            ...(first ? [first.to] : []),
            ...(domains.data ?? []).map(({ default_address }) => default_address),
          ]),
        ]}
      />
      <TextInput
        label="Subject"
        value={subject}
        onChange={(event) => setSubject(event.currentTarget.value)}
      />
      <Textarea
        label="Text"
        autosize
        minRows={3}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Textarea
        label="HTML"
        autosize
        minRows={2}
        value={html}
        onChange={(event) => setHtml(event.currentTarget.value)}
      />
    </Form>
  );
}

export function TextInForm({ close, first }: { close(): void; first?: { from: string; to: string } }) {
  const navigate = useNavigate();
  const numbers = useNumbers();
  const sender = useQuery({ queryKey: ['sms', 'sender'], queryFn: () => parley.sms.getSenderId() });
  const [from, setFrom] = useState(first?.from ?? '+14155550123');
  const [chosen, setTo] = useState(first?.to ?? '');
  const [body, setBody] = useState('');
  const own = (numbers.data ?? []).filter(
    ({ provisioning_state, capabilities }) => provisioning_state === 'active' && capabilities.includes('sms'),
  );
  const choices = [
    ...new Set([
      ...(first ? [first.to] : []),
      ...own.map(({ e164 }) => e164),
      ...(sender.data?.effective_default?.startsWith('+') ? [sender.data.effective_default] : []),
    ]),
  ];
  const to = chosen || choices[0] || '';
  const receive = useAction(() => parley.sandboxSms.receive({ from, to, body }), {
    changes: ['sms'],
    says: 'The text came in.',
    done: ({ conversation_id }) => {
      close();
      void navigate({ to: '/sms', search: { conversation: conversation_id } as never });
    },
  });
  return (
    <Form action={receive} onSend={() => receive.run(undefined)} submit="Let it come in">
      <TextInput
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        error={receive.fieldError('from')}
        required
      />
      <NativeSelect
        label="To"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        data={choices}
      />
      <Textarea
        label="Text"
        autosize
        minRows={2}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
        error={receive.fieldError('body')}
        required
      />
    </Form>
  );
}

const own_phone = '+15005550210';

export function CallInForm({ close }: { close(): void }) {
  const navigate = useNavigate();
  const numbers = useNumbers();
  const [who, setWho] = useState('person');
  const [chosen, setTo] = useState('');
  const own = (numbers.data ?? []).filter(
    ({ provisioning_state, voice_agent_id }) => provisioning_state === 'active' && voice_agent_id !== null,
  );
  const to = chosen || own[0]?.e164 || '';
  const call = useAction(
    () => parley.sandboxPhone.callIn({ from: who === 'me' ? own_phone : '+14155550123', to }),
    {
      changes: ['calls', 'phone'],
      says: ({ is_answered }) =>
        is_answered ? 'The call is answered.' : 'The call was declined: no agent answers that number.',
      done: ({ call: made }) => {
        close();
        if (made && who !== 'me') void navigate({ to: `/calls/${made.id}` });
      },
    },
  );
  if (numbers.data && own.length === 0)
    return (
      <Empty title="No number with an agent yet">
        Buy a number and choose the agent that answers its calls; then it can be called.
      </Empty>
    );
  return (
    <Form action={call} onSend={() => call.run(undefined)} submit="Call it">
      <NativeSelect
        label="Who calls"
        value={who}
        onChange={(event) => setWho(event.currentTarget.value)}
        data={[
          { value: 'person', label: 'A person of the sandbox, who converses' },
          { value: 'me', label: 'You, at the phone of this page' },
        ]}
      />
      <NativeSelect
        label="Which number"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        data={own.map(({ e164 }) => e164)}
      />
    </Form>
  );
}
