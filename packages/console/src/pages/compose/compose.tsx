// Compose a message on any channel. The channel and the recipient can be preset in the URL.
import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Page } from '../../parts/page.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { CallForm } from './compose-call.tsx';
import { EmailForm } from './compose-email.tsx';
import { SmsForm } from './compose-sms.tsx';

export function ComposePage() {
  const { channel = 'email', to = '' } = useFilters();
  const navigate = useNavigate();
  return (
    <Page title="Compose" about="Send an email or a text, or place a call. Nothing is sent without consent.">
      <div style={{ maxWidth: '44rem' }}>
        <Tabs
          value={channel}
          onChange={(value) =>
            void navigate({ to: '/compose', search: { channel: value ?? 'email' } as never, replace: true })
          }
          keepMounted={false}
        >
          <Tabs.List aria-label="Channel">
            <Tabs.Tab value="email">Email</Tabs.Tab>
            <Tabs.Tab value="sms">Text</Tabs.Tab>
            <Tabs.Tab value="call">Call</Tabs.Tab>
          </Tabs.List>
          <div className="card" style={{ marginTop: '1rem' }}>
            <Tabs.Panel value="email">
              <EmailForm to={to} />
            </Tabs.Panel>
            <Tabs.Panel value="sms">
              <SmsForm to={to} />
            </Tabs.Panel>
            <Tabs.Panel value="call">
              <CallForm to={to} />
            </Tabs.Panel>
          </div>
        </Tabs>
      </div>
    </Page>
  );
}
