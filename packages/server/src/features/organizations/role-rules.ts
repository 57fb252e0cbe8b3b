// Which role may manage which: owners everyone, admins everyone except owners, members no one.
import { type Role, roles } from '@parley/contract/roles';

/** Whether a member with the role `own` may give, change or remove the role `other`. */
export const mayManage = (own: Role, other: Role): boolean =>
  own === 'owner' || (own === 'admin' && other !== 'owner');

/** Whether the change gives the member more rights. */
export const isRaise = (before: Role, after: Role): boolean => roles.indexOf(after) < roles.indexOf(before);

/** Whether the change would leave the organization without an owner. */
export const leavesNoOwner = (owners: number, before: Role, after: Role | null): boolean =>
  before === 'owner' && after !== 'owner' && owners === 1;
