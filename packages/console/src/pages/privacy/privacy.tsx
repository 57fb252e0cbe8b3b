// What is kept and for how long: retention and storage, erasures of people, and receipts.
import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { OperatorKeyInUse } from '../../parts/operator-key.tsx';
import { Page } from '../../parts/page.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { Storage } from '../organization/storage.tsx';
import { Erasures } from './erasures.tsx';
import { Receipts } from './receipts.tsx';
import { RetentionSettings } from './retention.tsx';

export function PrivacyPage() {
  const { part = 'retention' } = useFilters();
  const navigate = useNavigate();
  return (
    <Page
      title="Privacy"
      about="How long data is kept, how a person is erased, and signed statements about every contact."
      actions={<OperatorKeyInUse />}
    >
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({ to: '/privacy', search: { part: value ?? 'retention' } as never, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Section" mb="md">
          <Tabs.Tab value="retention">Retention</Tabs.Tab>
          <Tabs.Tab value="erasures">Erasures</Tabs.Tab>
          <Tabs.Tab value="receipts">Receipts</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="retention">
          <div className="stack">
            <RetentionSettings />
            <Storage />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="erasures">
          <Erasures />
        </Tabs.Panel>
        <Tabs.Panel value="receipts">
          <Receipts />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
