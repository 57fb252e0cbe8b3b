// A banner on every page while a person has stopped calls, emails or texts for the whole service.
import { useChannels, useIdentity } from '../state/reads.ts';
import { PageLink } from './link.tsx';

const labels = { calls: 'Calls', emails: 'Emails', sms: 'Texts' } as const;

export function StoppedChannels() {
  const { data: states } = useChannels();
  const { data: who } = useIdentity();
  const stopped = (['calls', 'emails', 'sms'] as const).filter((channel) => states?.[channel] === 'stopped');
  if (stopped.length === 0) return null;
  return (
    <p className="stopped-channels" role="alert">
      <strong>{stopped.map((channel) => labels[channel]).join(' and ')} stopped.</strong> A person stopped
      them for the whole service; nothing new is sent.{' '}
      {who?.superadmin ? (
        <PageLink to="/admin">Kill switch</PageLink>
      ) : (
        'The operator of this server can open them.'
      )}
    </p>
  );
}
