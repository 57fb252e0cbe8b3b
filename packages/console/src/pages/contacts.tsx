// Contacts: people by name, found as somebody types.
import { TextInput } from '@mantine/core';
import type { Contact } from '@parley/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PlainBadge } from '../parts/badge.tsx';
import { ConfirmButton, Dialog, DialogButton } from '../parts/dialog.tsx';
import { FillCommand } from '../parts/fill-command.tsx';
import { Form, given } from '../parts/form.tsx';
import { Go } from '../parts/go.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { RowButton } from '../parts/row-button.tsx';
import type { Search } from '../router.tsx';
import { parley } from '../session/client.ts';
import { useAction } from '../state/use-action.tsx';
import { useList } from '../state/use-list.ts';

function ContactForm({ contact, close }: { contact?: Contact; close(): void }) {
  const [name, setName] = useState(contact?.name ?? '');
  const [phone_e164, setPhone] = useState(contact?.phone_e164 ?? '');
  const [email, setEmail] = useState(contact?.email ?? '');
  const [role, setRole] = useState(contact?.role ?? '');
  const save = useAction(
    () =>
      contact
        ? parley.contacts.update(contact.id, {
            name,
            phone_e164: phone_e164 || null,
            email: email || null,
            role: role || null,
          })
        : parley.contacts.create({ name, ...given({ phone_e164, email, role }) }),
    { changes: ['contacts'], says: ({ name }) => `${name} is saved.`, done: close },
  );
  return (
    <Form
      action={save}
      onSend={() => save.run(undefined)}
      submit={contact ? 'Save the contact' : 'Add the contact'}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={save.fieldError('name')}
        required
      />
      <TextInput
        label="Phone"
        placeholder="+14155550123"
        value={phone_e164}
        onChange={(event) => setPhone(event.currentTarget.value)}
        error={save.fieldError('phone_e164')}
      />
      <TextInput
        label="Email"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={save.fieldError('email')}
      />
      <TextInput label="Role" value={role} onChange={(event) => setRole(event.currentTarget.value)} />
    </Form>
  );
}

function Acts({ contact }: { contact: Contact }) {
  const [is_open, setOpen] = useState(false);
  const remove = useAction(() => parley.contacts.delete(contact.id), {
    changes: ['contacts'],
    says: `${contact.name} is deleted.`,
    loud: true,
  });
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      <RowButton onClick={() => setOpen(true)} aria-label={`Change ${contact.name}`}>
        Change
      </RowButton>
      <Dialog title={`Change ${contact.name}`} opened={is_open} onClose={() => setOpen(false)}>
        <ContactForm contact={contact} close={() => setOpen(false)} />
      </Dialog>
      <ConfirmButton
        size="row"
        label="Delete"
        question={`Delete ${contact.name}?`}
        busy={remove.busy}
        onSure={() => remove.run(undefined)}
      />
    </span>
  );
}

const columns: Column<Contact>[] = [
  { title: 'Name', width: 'minmax(8rem, 1fr)', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Phone',
    width: 'minmax(8rem, 0.8fr)',
    cell: ({ phone_e164 }) =>
      phone_e164 ? (
        <Go to="/compose" search={{ channel: 'call', to: phone_e164 }} className="mono">
          {phone_e164}
        </Go>
      ) : (
        '–'
      ),
  },
  {
    title: 'Email',
    width: 'minmax(9rem, 1.2fr)',
    wide: true,
    cell: ({ email }) =>
      email ? (
        <Go to="/compose" search={{ channel: 'email', to: email }}>
          {email}
        </Go>
      ) : (
        '–'
      ),
  },
  {
    title: 'Kind',
    width: '7rem',
    wide: true,
    cell: ({ kind, role }) => <PlainBadge>{role ?? kind}</PlainBadge>,
  },
  { title: 'Actions', width: '10.5rem', wide: true, cell: (contact) => <Acts contact={contact} /> },
];

export function ContactsPage() {
  const { q } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const contacts = useList(['contacts', q], (query) =>
    parley.contacts.list({ ...query, ...(q ? { q } : {}) }),
  );
  return (
    <Page
      title="Contacts"
      about="People your agents know by name."
      acts={<DialogButton label="Add a contact">{(close) => <ContactForm close={close} />}</DialogButton>}
    >
      <TextInput
        aria-label="Search contacts"
        placeholder="Search by name, phone or email"
        value={q ?? ''}
        onChange={(event) =>
          void navigate({
            to: '/contacts',
            search: (event.currentTarget.value ? { q: event.currentTarget.value } : {}) as never,
            replace: true,
          })
        }
        style={{ maxWidth: '24rem' }}
      />
      <RecordTable
        label="Contacts"
        query={contacts}
        columns={columns}
        empty={
          <Empty
            title={q ? 'Nobody matches' : 'No contacts yet'}
            command={
              <FillCommand path="/v1/contacts" body={{ name: 'Ana Sousa', email: 'ana@example.com' }} />
            }
          >
            This adds one:
          </Empty>
        }
      />
    </Page>
  );
}
