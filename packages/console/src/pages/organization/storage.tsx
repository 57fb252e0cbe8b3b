// How much of its storage quota the organization uses.
import type { OrganizationStorage } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { humanize } from '../../parts/badge.tsx';
import { Card, Facts, Read } from '../../parts/page.tsx';
import { parley } from '../../session/client.ts';

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;
export function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString('en', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${units[power]}`;
}

const Used = ({ storage: { used_bytes, max_bytes, kinds } }: { storage: OrganizationStorage }) => (
  <div className="stack tight">
    {max_bytes !== null && (
      <meter
        aria-label="Used storage"
        min={0}
        max={Math.max(max_bytes, 1)}
        high={max_bytes * 0.9}
        value={Math.min(used_bytes, max_bytes)}
        style={{ width: '100%' }}
      />
    )}
    <Facts
      of={[
        ['Used', bytesText(used_bytes)],
        ['Quota', max_bytes === null ? 'none' : bytesText(max_bytes)],
        ...Object.entries(kinds).map(([kind, bytes]): [string, string] => [humanize(kind), bytesText(bytes)]),
      ]}
    />
  </div>
);

export function Storage() {
  const storage = useQuery({ queryKey: ['storage'], queryFn: () => parley.storage.get() });
  return (
    <Card title="Storage">
      <Read query={storage}>{(found) => <Used storage={found} />}</Read>
    </Card>
  );
}
