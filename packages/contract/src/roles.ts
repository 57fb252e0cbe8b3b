// Roles of people in an organization, and the permissions a key can carry.
import { z } from 'zod';

export const roles = ['owner', 'admin', 'member'] as const;
export type Role = (typeof roles)[number];

export const Role = z
  .enum(roles)
  .describe('owner and admin may invite, change and remove people; only an owner makes another owner.');

/** The administration paths. `*` does not include it. */
export const admin_scope = 'admin';

export const Scope = z
  .string()
  .max(60)
  .regex(/^(\*|admin|[a-z][a-z_]*:(read|write))$/, 'Expected *, admin, <noun>:read or <noun>:write')
  .describe(
    '*: everything except administration; <noun>:read or <noun>:write, such as contacts:read: that only (a noun that no operation has is refused); admin: the administration paths, for keys of superadmins.',
  );
