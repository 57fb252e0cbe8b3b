// Verifications: registrations with the carrier, with the next step of each in one line.
import type { Verification } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { PlainBadge, StatusBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { parley } from '../../session/client.ts';
import { useList } from '../../state/use-list.ts';
import { nextStep } from './verification-checklist.tsx';
import { NewVerification } from './verification-new.tsx';

export const kindLabels: Record<Verification['kind'], string> = {
  number: 'number',
  us_brand: 'US brand',
  us_campaign: 'US campaign',
  toll_free: 'toll free',
};

const columns: Column<Verification>[] = [
  {
    title: 'Subject',
    width: 'minmax(9rem, 1fr)',
    cell: ({ id, subject_name }) => (
      <PageLink to={`/verifications/${id}`} className="row-link">
        {subject_name}
      </PageLink>
    ),
  },
  { title: 'Kind', width: '8rem', cell: ({ kind }) => <PlainBadge>{kindLabels[kind]}</PlainBadge> },
  { title: 'Country', width: '5rem', wide: true, cell: ({ country_code }) => country_code },
  { title: 'Status', width: '8rem', cell: ({ state }) => <StatusBadge status={state} /> },
  { title: 'Next step', width: 'minmax(10rem, 2fr)', wide: true, cell: nextStep },
];

function NewForm() {
  const navigate = useNavigate();
  return <NewVerification onMade={({ id }) => void navigate({ to: `/verifications/${id}` })} />;
}

export function VerificationsPage() {
  const verifications = useList(['verifications'], (query) => parley.verifications.list(query));
  return (
    <Page
      title="Verifications"
      about="Registrations with the carrier: who uses your numbers, and texts to the US."
      actions={<DialogButton label="New verification">{() => <NewForm />}</DialogButton>}
    >
      <RecordTable
        label="Verifications"
        query={verifications}
        columns={columns}
        empty={
          <Empty
            title="No verifications yet"
            command={
              <FillCommand
                path="/v1/verifications"
                body={{ country_code: 'DE', number_type: 'local', subject_name: 'Example GmbH' }}
              />
            }
          >
            Some countries require proof of who uses a number. This starts one:
          </Empty>
        }
      />
    </Page>
  );
}
