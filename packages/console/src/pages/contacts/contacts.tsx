// Contacts, with search as you type.
import { TextInput } from '@mantine/core';
import type { Contact } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { PlainBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowActions } from '../../parts/row-actions.tsx';
import { parley } from '../../session/client.ts';
import { useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';
import { ContactForm } from './contact-form.tsx';

const Actions = ({ contact }: { contact: Contact }) => (
  <RowActions name={contact.name} remove={() => parley.contacts.delete(contact.id)} changes={['contacts']}>
    {(close) => <ContactForm contact={contact} close={close} />}
  </RowActions>
);

const columns: Column<Contact>[] = [
  {
    title: 'Name',
    width: 'minmax(8rem, 1fr)',
    cell: ({ id, name }) => (
      <PageLink to={`/contacts/${id}`}>
        <strong>{name}</strong>
      </PageLink>
    ),
  },
  {
    title: 'Phone',
    width: 'minmax(8rem, 0.8fr)',
    cell: ({ phone_e164 }) =>
      phone_e164 ? (
        <PageLink to="/compose" search={{ channel: 'call', to: phone_e164 }} className="mono">
          {phone_e164}
        </PageLink>
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
        <PageLink to="/compose" search={{ channel: 'email', to: email }}>
          {email}
        </PageLink>
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
  { title: 'Actions', width: '10.5rem', wide: true, cell: (contact) => <Actions contact={contact} /> },
];

export function ContactsPage() {
  const { q } = useFilters();
  const navigate = useNavigate();
  const contacts = useList(['contacts', q], (query) =>
    parley.contacts.list({ ...query, ...(q ? { q } : {}) }),
  );
  return (
    <Page
      title="Contacts"
      about="The people your agents can call by name."
      actions={<DialogButton label="Add a contact">{(close) => <ContactForm close={close} />}</DialogButton>}
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
            title={q ? 'No matching contacts' : 'No contacts yet'}
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
