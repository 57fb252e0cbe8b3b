// The organization part of a service_mail address when the operator's default is used: unique per organization.

const prefix_chars = 30;
const id_chars = 12;

/** Always the same for an organization. The last part of its id is random, so two organizations never get the same prefix. */
export function organizationPrefix(prefix_org: string, organization_id: string): string {
  const shortened = prefix_org.slice(0, prefix_chars - id_chars - 1).replace(/[._-]+$/, '');
  return `${shortened}-${organization_id.replaceAll('-', '').slice(-id_chars)}`;
}
