// The second part of a composed address where the operator's default is taken: every organization gets one of its own.

const prefix_chars = 30;
const id_chars = 12;

/** Always the same for an organization. The end of its id is random, so that no two organizations get the same. */
export function ownPrefix(prefix_org: string, organization_id: string): string {
  const kept = prefix_org.slice(0, prefix_chars - id_chars - 1).replace(/[._-]+$/, '');
  return `${kept}-${organization_id.replaceAll('-', '').slice(-id_chars)}`;
}
