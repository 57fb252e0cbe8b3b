// Validates the request for a new domain. A refusal lists all problems of the request.
import type { EmailDomainCreate } from '@parley/contract/channels/emails/email-domains';
import type { ErrorCode } from '@parley/contract/errors';
import { ApiError } from '../../../platform/http/api-error.ts';
import { readDomainName, readPrefix } from './domain-name.ts';

type Field = 'domain' | 'local_prefix_user' | 'local_prefix_org';
type Problem = { code: ErrorCode; field: Field; message: string };

/** The first problem decides the error code. */
const refusal = (problems: Problem[]) =>
  new ApiError(problems[0]!.code, {
    errors: problems.map(({ field, message }) => ({ path: `body.${field}`, message, code: 'invalid' })),
  });

/** The two prefixes of a service_mail address; a missing one is replaced by the operator's default. */
export function readPrefixes(
  request: EmailDomainCreate,
  defaults: { prefix_user: string | null; prefix_org: string | null },
): { user: string; org: string } {
  const problems: Problem[] = [];
  if (request.domain != null) {
    const message = 'A service_mail address has no domain of its own';
    problems.push({ code: 'domain_not_allowed', field: 'domain', message });
  }
  const read = (field: Exclude<Field, 'domain'>, fallback: string | null): string | null => {
    const text = request[field] ?? fallback;
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

export function readCustomName(request: EmailDomainCreate, reserved: readonly string[]): string {
  const problems: Problem[] = [];
  for (const field of ['local_prefix_user', 'local_prefix_org'] as const) {
    if (request[field] == null) continue;
    problems.push({ code: 'prefix_not_allowed', field, message: 'A custom domain has no prefixes' });
  }
  const name = request.domain == null ? null : readDomainName(request.domain, reserved);
  if (name === null) {
    problems.push(
      request.domain == null
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
