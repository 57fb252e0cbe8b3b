// API keys: each is created for one purpose, shown once, and can be revoked at any time.
import { Checkbox, TextInput } from '@mantine/core';
import type { ApiKey, NewApiKey } from '@parley/sdk';
import { useState } from 'react';
import { SecretOnce } from '../../parts/copy.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form, splitList } from '../../parts/form.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

function IssueForm({ onIssued }: { onIssued(key: NewApiKey): void }) {
  const form = useForm(
    { name: '', scopes: '*', expires_at: '', grants_consent: false },
    ({ name, scopes, expires_at, grants_consent }) =>
      parley.apiKeys.create({
        name,
        scopes: splitList(scopes),
        ...(grants_consent ? { grants_consent } : {}),
        ...(expires_at ? { expires_at: new Date(`${expires_at}T23:59:59`).toISOString() } : {}),
      }),
    { changes: ['keys'], done: onIssued },
  );
  return (
    <Form action={form} submit="Create key">
      <TextInput label="Purpose" {...form.field('name')} required />
      <TextInput
        label="Scopes"
        description="* is everything except administration. Or scopes such as emails:write, calls:read. admin allows administration with a superadmin’s key."
        {...form.field('scopes')}
        required
      />
      <TextInput label="Expires" description="Empty: never." type="date" {...form.field('expires_at')} />
      <Checkbox
        label="Everyone this key writes to agreed to be contacted"
        description="Needed for SMTP submission and for the compatible endpoints: their requests cannot confirm it."
        {...form.checkbox('grants_consent')}
      />
    </Form>
  );
}

function Revoke({ api_key }: { api_key: ApiKey }) {
  const revoke = useAction(() => parley.apiKeys.revoke(api_key.id), {
    changes: ['keys'],
    message: `${api_key.name} was revoked.`,
    toast_error: true,
  });
  return (
    <ConfirmButton
      size="row"
      label="Revoke"
      question={`Revoke ${api_key.name}? Every program that uses it, or a key that it created, stops working within a second.`}
      busy={revoke.busy}
      onConfirm={() => revoke.run(undefined)}
    />
  );
}

const columns: Column<ApiKey>[] = [
  { title: 'Name', width: 'minmax(8rem, 1.2fr)', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Starts with',
    width: 'minmax(8rem, 1fr)',
    cell: ({ start }) => <span className="mono">{start}…</span>,
  },
  {
    title: 'Scopes',
    width: 'minmax(6rem, 1fr)',
    wide: true,
    cell: ({ scopes, grants_consent }) =>
      grants_consent ? `${scopes.join(', ')} · grants consent` : scopes.join(', '),
  },
  {
    title: 'Parent',
    width: '5rem',
    wide: true,
    cell: ({ parent_key_id }) => (parent_key_id ? 'a key' : '–'),
  },
  { title: 'Created', width: '6.5rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Last used', width: '6.5rem', wide: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { title: 'Actions', width: '6rem', cell: (api_key) => <Revoke api_key={api_key} /> },
];

export function ApiKeysPage() {
  const [fresh, setFresh] = useState<NewApiKey | null>(null);
  const keys = useList(['keys'], (query) => parley.apiKeys.list(query));
  const about = facts.is_managed
    ? 'Keys for programs, each for one purpose.'
    : 'Keys for programs with fewer rights than the shared key. Budgets and approval rules can name each of them.';
  return (
    <Page
      title="API keys"
      about={about}
      actions={
        <DialogButton label="Create a key">
          {(close) => (
            <IssueForm
              onIssued={(key) => {
                setFresh(key);
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {fresh && <SecretOnce title={`Key ${fresh.name}`} secret={fresh.key} done={() => setFresh(null)} />}
      <RecordTable
        label="API keys"
        query={keys}
        columns={columns}
        empty={
          <Empty
            title="No keys yet"
            command={<FillCommand path="/v1/api-keys" body={{ name: 'My program' }} />}
          >
            This creates one:
          </Empty>
        }
      />
    </Page>
  );
}
