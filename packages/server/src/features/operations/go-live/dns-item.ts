// Says which DNS records of the organization's domains are missing or wrong at this moment.
import type { GoLiveItem } from '@parley/contract/operations/go-live';
import type { DomainDns } from '../../channels/email-domains/index.ts';

export function dnsItem(
  { is_local_service_domain }: { is_local_service_domain: boolean },
  { verified_domains, domains }: { verified_domains: number; domains: DomainDns[] },
): GoLiveItem {
  const is_missing = verified_domains === 0 && is_local_service_domain;
  const to_fix = domains.filter(({ is_verified, problems }) => !is_verified || problems.length > 0);
  const silent = domains.filter(({ unanswered }) => unanswered.length > 0);
  const is_open = to_fix.length > 0 || silent.length > 0;
  return {
    check: 'dns',
    status: is_missing ? 'missing' : is_open ? 'warning' : 'ok',
    needed_for: ['emails'],
    managed_by: 'organization',
    settings: is_missing ? ['PARLEY_SERVICE_MAIL_DOMAIN'] : [],
    guide: 'email',
    ...(is_open
      ? openDomains(to_fix, silent)
      : is_missing
        ? {
            detail: 'There is no verified email domain to send from.',
            fix: 'Add an email domain and publish its DNS records. The operator can set PARLEY_SERVICE_MAIL_DOMAIN instead.',
            command: 'parley domains create --kind custom --domain mail.example.com',
          }
        : {
            detail: `${verified_domains} verified email domains${domains.length > 0 ? '; their DNS records were looked up now' : ''}.`,
            fix: null,
            command: null,
          }),
  };
}

function openDomains(
  to_fix: DomainDns[],
  silent: DomainDns[],
): Pick<GoLiveItem, 'detail' | 'fix' | 'command'> {
  const wrong = to_fix.find(({ problems }) => problems.length > 0);
  const published = to_fix.find(({ problems, unanswered }) => problems.length + unanswered.length === 0);
  const details = [
    ...to_fix.map(describe),
    ...silent.map(({ domain, unanswered }) => `${domain}: DNS did not respond for ${unanswered.join(', ')}.`),
  ];
  const next = wrong ?? published ?? silent[0]!;
  return {
    detail: details.filter((text) => text !== null).join(' '),
    fix: wrong
      ? 'Publish the DNS records of the domain, then verify it.'
      : published
        ? 'Verify the domain.'
        : 'Try again when DNS responds. PARLEY_DNS_SERVERS are the servers that are asked.',
    command: wrong
      ? `parley domains get ${next.id}, then parley domains verify ${next.id}`
      : `parley domains verify ${next.id}`,
  };
}

function describe({ domain, problems, unanswered }: DomainDns): string | null {
  if (problems.length > 0)
    return `${domain}: ${problems.map(({ purpose, status }) => `${purpose} is ${status}`).join(', ')}.`;
  return unanswered.length > 0 ? null : `${domain}: all DNS records are right, but it is not verified yet.`;
}
