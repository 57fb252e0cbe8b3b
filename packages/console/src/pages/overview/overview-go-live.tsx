// What is missing to go live: closed at first, so that the sandbox can be used without reading it.
import { Code } from '@mantine/core';
import { IconAlertTriangle, IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../parts/page.tsx';
import type { parley } from '../../session/client.ts';
import { goLive } from '../../state/reads.ts';

type Item = Awaited<ReturnType<typeof parley.goLive.get>>['items'][number];

const titles: Record<string, string> = {
  base_url: 'Public address',
  callbacks: 'Callbacks',
  carrier: 'Carrier',
  number: 'Number',
  llm: 'Language model',
  mail_transport: 'Mail transport',
  dns: 'Email domain',
  webhooks: 'Webhooks',
  database: 'Database',
  master_key: 'Master key',
};

/** Hidden when everything is set, and for keys that may not read it. */
export function GoLiveCard() {
  const { data } = useQuery(goLive);
  const open = data?.items.filter(({ status }) => status !== 'ok') ?? [];
  if (!data || open.length === 0) return null;
  const missing = open.filter(({ status }) => status === 'missing').length;
  return (
    <Card title={`Go live · ${data.items.length - open.length} of ${data.items.length}`}>
      <details>
        <summary>
          {missing > 0
            ? `${missing} settings are missing before this server can reach real people`
            : `${open.length} recommendations`}
        </summary>
        <ul className="checklist" aria-label="What is missing to go live">
          {[...open, ...data.items.filter(({ status }) => status === 'ok')].map((item) => (
            <GoLiveItem key={item.check} {...item} />
          ))}
        </ul>
      </details>
    </Card>
  );
}

const GoLiveItem = ({ check, status, detail, fix, settings, command }: Item) => (
  <li>
    <span className={`tick ${status === 'ok' ? 'good' : 'still'}`} style={{ paddingTop: 2 }}>
      {status === 'ok' ? (
        <IconCircleCheckFilled size={18} aria-label="Done:" />
      ) : status === 'missing' ? (
        <IconCircle size={18} aria-label="To do:" />
      ) : (
        <IconAlertTriangle size={18} aria-label="Recommended:" />
      )}
    </span>
    <span>
      <b>{titles[check] ?? check}</b> <span className="muted">{detail}</span>
      {fix && <div className="small">{fix}</div>}
      {fix && (settings.length > 0 || command) && (
        <div className="small row" style={{ gap: 4 }}>
          {settings.map((name) => (
            <Code key={name}>{name}</Code>
          ))}
          {command && <Code>{command}</Code>}
        </div>
      )}
    </span>
  </li>
);
