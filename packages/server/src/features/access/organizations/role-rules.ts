// Which role may manage which: owners everyone, admins everyone except owners, members no one.
import { type Role, roles } from '@parley/contract/access/roles';
import type { FoundInvitation, InviterNow } from './invitation-store.ts';

/** Whether a member with the role `own` may give, change or remove the role `other`. */
export const mayManage = (own: Role, other: Role): boolean =>
  own === 'owner' || (own === 'admin' && other !== 'owner');

/** Whether an invitation still stands: its inviter could write it now. */
export function mayStillInvite(
  { role, invited_by, invited_as }: Pick<FoundInvitation, 'role' | 'invited_by' | 'invited_as'>,
  now: InviterNow,
): boolean {
  if (!now.has_key) return false;
  const as_member = now.role !== null && mayManage(now.role, role);
  if (invited_as === 'member') return as_member;
  // The shared key and the operator key belong to no person, and are the operator.
  const as_operator = invited_by === null || now.is_superadmin;
  return invited_as === 'operator' ? as_operator : as_operator || as_member;
}

/** Whether the change gives the member more rights. */
export const isRaise = (before: Role, after: Role): boolean => roles.indexOf(after) < roles.indexOf(before);

/** Whether the change would leave the organization without an owner. */
export const leavesNoOwner = (owners: number, before: Role, after: Role | null): boolean =>
  before === 'owner' && after !== 'owner' && owners === 1;
