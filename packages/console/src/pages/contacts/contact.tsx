// One contact: how to reach the person, and the consents for each number and address.
import type { Contact } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { PlainBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { PageLink } from '../../parts/link.tsx';
import { OperatorKeyInUse } from '../../parts/operator-key.tsx';
import { Card, Facts, Page, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { EraseForm } from '../privacy/erase-form.tsx';
import { ContactForm, DoNotContactForm, VouchForm } from './contact-form.tsx';
import { PersonConsents } from './person-consents.tsx';

const ContactFacts = ({ contact }: { contact: Contact }) => (
  <Facts
    of={[
      [
        'Phone',
        contact.phone_e164 && (
          <PageLink to="/compose" search={{ channel: 'call', to: contact.phone_e164 }} className="mono">
            {contact.phone_e164}
          </PageLink>
        ),
      ],
      [
        'Email',
        contact.email && (
          <PageLink to="/compose" search={{ channel: 'email', to: contact.email }} className="break">
            {contact.email}
          </PageLink>
        ),
      ],
      ['Role', contact.role],
      ['Time zone', contact.time_zone],
      [
        'Vouched for',
        <PlainBadge key="vouched" tone={contact.is_vouched ? 'good' : 'still'}>
          {contact.is_vouched ? 'yes' : 'no'}
        </PlainBadge>,
      ],
      [
        'Do not contact',
        <PlainBadge key="refused" tone={contact.do_not_contact ? 'bad' : 'still'}>
          {contact.do_not_contact ? 'yes' : 'no'}
        </PlainBadge>,
      ],
      ['Created', <Time key="created" at={contact.created_at} />],
    ]}
  />
);

export function ContactPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const navigate = useNavigate();
  const contact = useQuery({ queryKey: ['contacts', id], queryFn: () => parley.contacts.get(id) });
  return (
    <Page
      title={contact.data?.name ?? 'Contact'}
      back={{ to: '/contacts', label: 'Contacts' }}
      actions={
        contact.data && (
          <>
            <OperatorKeyInUse />
            {!contact.data.is_vouched && (
              <DialogButton label="Vouch" title={`Vouch for ${contact.data.name}`} variant="default">
                {(close) => <VouchForm contact={contact.data} close={close} />}
              </DialogButton>
            )}
            <DialogButton
              label={contact.data.do_not_contact ? 'Allow contact' : 'Do not contact'}
              title={contact.data.name}
              variant="default"
            >
              {(close) => <DoNotContactForm contact={contact.data} close={close} />}
            </DialogButton>
            <DialogButton label="Erase" title={`Erase ${contact.data.name}`} variant="default">
              {() => (
                <EraseForm
                  contact_id={contact.data.id}
                  close={() =>
                    void navigate({ to: '/privacy', search: { part: 'erasures' } as never, replace: true })
                  }
                />
              )}
            </DialogButton>
            <DialogButton label="Edit" title={`Edit ${contact.data.name}`} variant="default">
              {(close) => <ContactForm contact={contact.data} close={close} />}
            </DialogButton>
          </>
        )
      }
    >
      <Read query={contact}>
        {(found) => (
          <div className="stack">
            <Card title="Details">
              <ContactFacts contact={found} />
            </Card>
            <h2>Consents</h2>
            {[found.phone_e164, found.email]
              .filter((each) => each !== null)
              .map((recipient) => (
                <PersonConsents key={recipient} recipient={recipient} />
              ))}
          </div>
        )}
      </Read>
    </Page>
  );
}
