// The column of email lists that links the subject to the email.
import type { EmailListItem } from '@parley/sdk';
import { PageLink } from './link.tsx';
import type { Column } from './record-table.tsx';

export const subject_column: Column<EmailListItem> = {
  title: 'Subject',
  width: 'minmax(7rem, 1.6fr)',
  lead: true,
  cell: ({ id, subject }) => (
    <PageLink to={`/emails/${id}`} className="row-link">
      {subject || '(no subject)'}
    </PageLink>
  ),
};
