// Says that no carrier or no mail transport is set, where the sandbox does not stand in for them.
import { useQuery } from '@tanstack/react-query';
import { facts } from '../session/facts.ts';
import { goLive } from '../state/reads.ts';

const effects: Record<string, string> = {
  carrier: 'Calls and texts are not possible.',
  mail_transport: 'Emails cannot be sent.',
};

export function MissingTransport({ of }: { of: ('carrier' | 'mail_transport')[] }) {
  const { data } = useQuery({ ...goLive, enabled: !facts.is_sandbox });
  const missing = data?.items.filter(
    ({ check, status }) => status === 'missing' && (of as string[]).includes(check),
  );
  if (facts.is_sandbox || !missing?.length) return null;
  return (
    <>
      {missing.map(({ check, detail, fix }) => (
        <div className="problem" role="status" key={check}>
          <strong>
            {detail} {effects[check]}
          </strong>
          {fix && <p>{fix}</p>}
        </div>
      ))}
    </>
  );
}
