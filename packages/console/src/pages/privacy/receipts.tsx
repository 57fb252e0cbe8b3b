// The receipts of contact attempts: listed, verified in the browser, and saved for somebody else to verify.
import { Button } from '@mantine/core';
import { type Receipt, type ReceiptKeySet, type ReceiptsVerification, verifyReceipts } from '@parley/sdk';
import { PlainBadge } from '../../parts/badge.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { saveText } from '../../parts/save-file.ts';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useList } from '../../state/use-list.ts';

const key_set_path = '/.well-known/parley-receipts.json';
const pages = { email: '/emails/', call: '/calls/' } as const;

const About = ({ noun, object_id }: Receipt) =>
  noun === 'sms' ? (
    <span className="mono">{object_id}</span>
  ) : (
    <PageLink to={pages[noun] + object_id} className="mono">
      {object_id}
    </PageLink>
  );

const columns: Column<Receipt>[] = [
  { title: 'Number', width: '5rem', cell: ({ seq }) => <strong>{seq}</strong> },
  { title: 'Kind', width: '5rem', cell: ({ noun }) => <PlainBadge>{noun}</PlainBadge> },
  {
    title: 'Person',
    width: 'minmax(9rem, 1fr)',
    cell: ({ disclosures }) => disclosures?.map(({ party }) => party).join(', ') ?? 'erased',
  },
  { title: 'About', width: 'minmax(9rem, 1fr)', wide: true, cell: About },
  { title: 'Signed', width: '7rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

async function verify(receipts: readonly Receipt[]): Promise<ReceiptsVerification> {
  const response = await parley.request('GET', key_set_path);
  return verifyReceipts(receipts, (await response.json()) as ReceiptKeySet);
}

/** One on each line: the form that `parley receipts verify` reads. */
async function save(): Promise<number> {
  const lines: string[] = [];
  for await (const receipt of parley.receipts.list({ limit: 200 }))
    lines.push(`${JSON.stringify(receipt)}\n`);
  saveText(lines.join(''), 'receipts.jsonl');
  return lines.length;
}

function Verification({ of: { valid, receipts, missing } }: { of: ReceiptsVerification }) {
  const wrong = receipts.filter(({ problems }) => problems.length > 0);
  return (
    <div role="status" className="stack tight">
      <p style={{ margin: 0 }}>
        {valid
          ? `All ${receipts.length} receipts are genuine, and none in between is missing.`
          : `${wrong.length} of ${receipts.length} receipts are not genuine, ${missing.length} are missing.`}
      </p>
      {wrong.map(({ seq, problems }, index) => (
        <p key={seq ?? index} style={{ margin: 0 }}>
          Receipt {seq}: {problems.join(' ')}
        </p>
      ))}
    </div>
  );
}

export function Receipts() {
  const receipts = useList(['receipts'], (query) => parley.receipts.list(query));
  const verification = useAction(() => verify(receipts.items));
  const saving = useAction(save, {
    message: (count) => `${count} receipts were saved.`,
    toast_error: true,
  });
  return (
    <div className="stack">
      <div className="row end">
        <Button
          variant="default"
          loading={verification.busy}
          disabled={receipts.items.length === 0}
          onClick={() => verification.run(undefined)}
        >
          Verify
        </Button>
        <Button
          variant="default"
          loading={saving.busy}
          disabled={receipts.items.length === 0}
          onClick={() => saving.run(undefined)}
        >
          Download
        </Button>
      </div>
      {verification.error && <Problem error={verification.error} />}
      {verification.result && <Verification of={verification.result} />}
      <RecordTable
        label="Receipts"
        query={receipts}
        columns={columns}
        empty={
          <Empty title="No receipts yet">
            A receipt is signed about a second after an email, text or call was handed over or refused.
          </Empty>
        }
      />
    </div>
  );
}
