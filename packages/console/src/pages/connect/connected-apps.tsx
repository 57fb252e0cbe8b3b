// Programs that people connected with OAuth: their scopes, and how to disconnect them.
import type { OauthGrant } from '@parley/sdk';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useAction } from '../../state/use-action.tsx';
import { useList } from '../../state/use-list.ts';

const nameOf = ({ client_name }: OauthGrant) => client_name ?? 'Unnamed program';
/** Redirect URIs of native programs may have a custom scheme without a host. */
const placeOf = (uri: string) => URL.parse(uri)?.host || uri;

function Disconnect({ grant }: { grant: OauthGrant }) {
  const revoke = useAction(() => parley.oauthGrants.revoke(grant.id), {
    changes: ['oauth-grants'],
    message: `${nameOf(grant)} was disconnected.`,
    toast_error: true,
  });
  return (
    <ConfirmButton
      size="row"
      label="Disconnect"
      question={`Disconnect ${nameOf(grant)}? Its tokens stop working within a second.`}
      busy={revoke.busy}
      onConfirm={() => revoke.run(undefined)}
    />
  );
}

const columns: Column<OauthGrant>[] = [
  {
    title: 'Program',
    width: 'minmax(8rem, 1.2fr)',
    cell: (grant) => <strong>{nameOf(grant)}</strong>,
  },
  {
    title: 'Redirects to',
    width: 'minmax(8rem, 1fr)',
    cell: ({ redirect_uris }) => (
      <span className="mono">{[...new Set(redirect_uris.map(placeOf))].join(', ')}</span>
    ),
  },
  { title: 'Scopes', width: 'minmax(6rem, 1fr)', wide: true, cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Allowed', width: '6.5rem', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  { title: 'Actions', width: '8rem', cell: (grant) => <Disconnect grant={grant} /> },
];

export function ConnectedAppsPage() {
  const grants = useList(['oauth-grants'], (query) => parley.oauthGrants.list(query), {
    enabled: facts.is_managed,
  });
  const about = 'Programs that act for a person, allowed on the consent page.';
  const empty = facts.is_managed ? (
    <Empty title="No connected programs">
      A client that connects to the MCP server asks a person for permission and then appears here.
    </Empty>
  ) : (
    <Empty title="Connecting programs needs managed mode">
      This server has only the shared key. PARLEY_MANAGED=on adds accounts and connected programs.
    </Empty>
  );
  return (
    <Page title="Connected apps" about={about}>
      {facts.is_managed ? (
        <RecordTable label="Connected apps" query={grants} columns={columns} empty={empty} />
      ) : (
        <section className="card flush">{empty}</section>
      )}
    </Page>
  );
}
