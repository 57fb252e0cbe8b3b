// Admin page: organizations with their hourly caps.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Organization } from '@parley/sdk';
import { useState } from 'react';
import { PlainBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { Empty } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

const origins = [
  { value: 'human', label: 'Created by people: no caps unless set' },
  { value: 'agent', label: 'Created by a program: hourly caps' },
];
const mebibyte = 1024 * 1024;
const caps = ['calls', 'emails', 'sms'] as const;

function MakeForm({ close }: { close(): void }) {
  const form = useForm(
    { name: '', origin: 'human' as Organization['origin'] },
    (fields) => parley.organizations.create(fields),
    { changes: ['organizations'], message: ({ name }) => `${name} was created.`, done: close },
  );
  return (
    <Form action={form} submit="Create organization">
      <TextInput label="Name" {...form.field('name')} required />
      <NativeSelect label="Origin" {...form.field('origin')} data={origins} />
    </Form>
  );
}

function CapsForm({ organization, close }: { organization: Organization; close(): void }) {
  const [values, setValues] = useState(() =>
    Object.fromEntries(
      caps.map((channel) => [channel, organization.velocity_caps[channel]?.toString() ?? '']),
    ),
  );
  const quota = organization.storage_bytes_max;
  const [quota_mb, setQuota] = useState(quota === null ? '' : String(Math.round(quota / mebibyte)));
  const save = useAction(
    () =>
      parley.organizations.update(organization.id, {
        storage_bytes_max: quota_mb === '' ? null : Number(quota_mb) * mebibyte,
        velocity_caps: Object.fromEntries(
          caps.map((channel) => [channel, values[channel] === '' ? null : Number(values[channel])]),
        ),
      }),
    { changes: ['organizations', 'storage'], message: 'Saved.', done: close },
  );
  return (
    <Form action={save} submit="Save the caps">
      {caps.map((channel) => (
        <TextInput
          key={channel}
          label={`Maximum ${channel === 'sms' ? 'texts' : channel} per hour`}
          description="Empty: the default of its origin."
          type="number"
          min={0}
          value={values[channel]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setValues((before) => ({ ...before, [channel]: value }));
          }}
        />
      ))}
      <TextInput
        label="Maximum storage in MB"
        description="Empty: the default of this server."
        type="number"
        min={0}
        value={quota_mb}
        onChange={(event) => setQuota(event.currentTarget.value)}
      />
    </Form>
  );
}

const Caps = ({ organization }: { organization: Organization }) => (
  <DialogButton size="row" label="Caps" title={`Caps of ${organization.name}`}>
    {(close) => <CapsForm organization={organization} close={close} />}
  </DialogButton>
);

const cap = (value: number | null) => value ?? 'default';
const columns: Column<Organization>[] = [
  { title: 'Name', width: 'minmax(8rem, 1fr)', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Origin', width: '6rem', cell: ({ origin }) => <PlainBadge>{origin}</PlainBadge> },
  {
    title: 'Calls, emails, texts per hour',
    width: 'minmax(10rem, 1fr)',
    wide: true,
    cell: ({ velocity_caps: { calls, emails, sms } }) => `${cap(calls)}, ${cap(emails)}, ${cap(sms)}`,
  },
  {
    title: 'Id',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ id }) => <span className="mono">{id}</span>,
  },
  { title: 'Actions', width: '5rem', cell: (organization) => <Caps organization={organization} /> },
];

export function Organizations() {
  const organizations = useList(['organizations'], (query) => parley.organizations.list(query));
  return (
    <div className="stack">
      {facts.is_managed && (
        <div className="row end">
          <DialogButton label="Create an organization">{(close) => <MakeForm close={close} />}</DialogButton>
        </div>
      )}
      <RecordTable
        label="Organizations"
        query={organizations}
        columns={columns}
        empty={
          facts.is_managed ? (
            <Empty
              title="No organizations yet"
              command={<FillCommand path="/v1/admin/organizations" body={{ name: 'Bakery' }} />}
            >
              The shared key has its own organization, which needs no record. This creates another one:
            </Empty>
          ) : (
            <Empty title="One organization">
              The shared key has the only organization of this server. Set PARLEY_MANAGED=on for accounts and
              further organizations.
            </Empty>
          )
        }
      />
    </div>
  );
}
