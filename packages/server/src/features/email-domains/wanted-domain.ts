// Reads what a new domain is to be, and refuses it with everything that is wrong at once.
import type { EmailDomainCreate } from '@parley/contract/email-domains';
import type { ErrorCode } from '@parley/contract/errors';
import { ApiError } from '../../platform/http/api-error.ts';
import { readDomainName, readPrefix } from './domain-name.ts';

type Field = 'domain' | 'local_prefix_user' | 'local_prefix_org';
type Problem = { code: ErrorCode; field: Field; message: string };

/** The first problem names the answer. */
const refusal = (problems: Problem[]) =>
  new ApiError(problems[0]!.code, {
    errors: problems.map(({ field, message }) => ({ path: `body.${field}`, message, code: 'invalid' })),
  });

/** The two prefixes of a composed address; the settings stand in for what is not given. */
export function wantedPrefixes(
  given: EmailDomainCreate,
  defaults: { prefix_user: string | null; prefix_org: string | null },
): { user: string; org: string } {
  const problems: Problem[] = [];
  if (given.domain != null) {
    const message = 'A service_mail address has no domain of its own';
    problems.push({ code: 'domain_not_allowed', field: 'domain', message });
  }
  const read = (field: Exclude<Field, 'domain'>, fallback: string | null): string | null => {
    const text = given[field] ?? fallback;
    const prefix = text === null ? null : readPrefix(text);
    if (text !== null && prefix === null) {
      const message = 'Expected 1 to 30 letters, digits, dots, hyphens, underscores';
      problems.push({ code: 'invalid_prefix', field, message });
    }
    return prefix;
  };
  const user = read('local_prefix_user', defaults.prefix_user);
  const org = read('local_prefix_org', defaults.prefix_org);
  if (problems.length > 0) throw refusal(problems);
  if (user === null || org === null) throw new ApiError('service_mail_prefix_missing');
  return { user, org };
}

/** The name of a custom domain. */
export function wantedName(given: EmailDomainCreate, own: readonly string[]): string {
  const problems: Problem[] = [];
  for (const field of ['local_prefix_user', 'local_prefix_org'] as const) {
    if (given[field] == null) continue;
    problems.push({ code: 'prefix_not_allowed', field, message: 'A custom domain has no prefixes' });
  }
  const name = given.domain == null ? null : readDomainName(given.domain, own);
  if (name === null) {
    problems.push(
      given.domain == null
        ? { code: 'domain_required', field: 'domain', message: 'Expected the domain you control' }
        : {
            code: 'invalid_domain',
            field: 'domain',
            message: 'Expected a domain name such as mail.example.com',
          },
    );
  }
  if (name === null || problems.length > 0) throw refusal(problems);
  return name;
}
