// The first steps. Each is checked off when it is done, here or through the API.
import { ActionIcon } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageLink } from '../../parts/link.tsx';
import { Card } from '../../parts/page.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useAgents, useNumbers, useWebhooks } from '../../state/reads.ts';

const hidden_name = 'parley.start-hidden';

export function GettingStarted() {
  const [is_hidden, setHidden] = useState(() => sessionStorage.getItem(hidden_name) === 'yes');
  const hide = () => {
    sessionStorage.setItem(hidden_name, 'yes');
    setHidden(true);
  };
  return is_hidden ? null : <Steps hide={hide} />;
}

type Step = { done: boolean; to: string; search?: Record<string, string>; title: string; about: string };

const hasAny = (name: string, read: () => PromiseLike<{ items: unknown[] }>) => ({
  queryKey: [name, 'any'],
  queryFn: async () => (await read()).items.length > 0,
});

/** Null while it is not known which are done: a step that is done must not be shown as open. */
function useSteps(): Step[] | null {
  const emails = useQuery(hasAny('emails', () => parley.emails.list({ limit: 1 })));
  const calls = useQuery(hasAny('calls', () => parley.calls.list({ limit: 1 })));
  const texts = useQuery(hasAny('sms', () => parley.sms.list({ limit: 1 })));
  const hooks = useWebhooks();
  const numbers = useNumbers();
  const agents = useAgents();
  if ([emails, calls, texts, hooks, numbers, agents].some(({ isPending }) => isPending)) return null;
  return [
    {
      done: emails.data ?? false,
      to: '/compose',
      search: { channel: 'email', ...(facts.is_sandbox ? { to: 'delivered@sandbox.test' } : {}) },
      title: 'Send an email',
      about: facts.is_sandbox
        ? 'to delivered@sandbox.test, or to bounced@ to see a bounce'
        : 'and see when it is delivered and opened',
    },
    {
      done: calls.data ?? false,
      to: '/compose',
      search: { channel: 'call' },
      title: 'Place a call',
      about: 'and read the live transcript',
    },
    {
      done: texts.data ?? false,
      to: '/compose',
      search: { channel: 'sms' },
      title: 'Send a text',
      about: facts.is_sandbox ? 'and reply to it from the sandbox' : 'and read the reply here',
    },
    {
      done: (numbers.data?.length ?? 0) > 0,
      to: '/numbers',
      title: 'Get a number',
      about: 'so that people can call and text you',
    },
    {
      done: (agents.data?.length ?? 0) > 0,
      to: '/agents',
      title: 'Create an agent',
      about: 'that answers it',
    },
    {
      done: (hooks.data?.length ?? 0) > 0,
      to: '/webhooks',
      title: 'Add a webhook',
      about: 'so that your program receives events',
    },
  ];
}

function Steps({ hide }: { hide(): void }) {
  const steps = useSteps();
  if (steps === null) return null;
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) return null;
  return (
    <Card
      title={`Getting started · ${done} of ${steps.length}`}
      actions={
        <ActionIcon variant="subtle" color="gray" aria-label="Hide the first steps" onClick={hide}>
          <IconX size={16} />
        </ActionIcon>
      }
    >
      <ul
        className="checklist"
        style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 19rem), 1fr))' }}
      >
        {steps.map((step) => (
          <StepItem key={step.title} {...step} />
        ))}
      </ul>
    </Card>
  );
}

const StepItem = ({ done, to, search, title, about }: Step) => (
  <li>
    <span className={`tick ${done ? 'good' : 'still'}`} style={{ paddingTop: 2 }}>
      {done ? (
        <IconCircleCheckFilled size={18} aria-label="Done:" />
      ) : (
        <IconCircle size={18} aria-label="To do:" />
      )}
    </span>
    <span>
      <PageLink to={to} search={search}>
        {title}
      </PageLink>{' '}
      <span className="muted">{about}</span>
    </span>
  </li>
);
