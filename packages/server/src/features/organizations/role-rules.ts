// Who may change whom: owners everybody, admins everybody but owners, members only themselves away.
import type { Role } from '@parley/contract/roles';

/** Whether somebody with the role `own` may give, change or take away the role `other`. */
export const mayManage = (own: Role, other: Role): boolean =>
  own === 'owner' || (own === 'admin' && other !== 'owner');

/** Whether the organization would be left without an owner. */
export const leavesNoOwner = (owners: number, before: Role, after: Role | null): boolean =>
  before === 'owner' && after !== 'owner' && owners === 1;
