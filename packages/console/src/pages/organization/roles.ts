// The roles of members, and which role may manage which; the server decides, this only hides what it would refuse.
import type { Member } from '@parley/sdk';

export type Role = Member['role'];

export const role_options: { value: Role; label: string }[] = [
  { value: 'member', label: 'Member: uses everything' },
  { value: 'admin', label: 'Admin: also manages people' },
  { value: 'owner', label: 'Owner: also manages owners' },
];

export const mayManage = (own: Role, other: Role): boolean =>
  own === 'owner' || (own === 'admin' && other !== 'owner');
