// Roles of people in an organization, and the permissions a key can carry.
import { z } from 'zod';

/** The one with the most rights first. */
export const roles = ['owner', 'admin', 'member'] as const;
export type Role = (typeof roles)[number];

export const Role = z
  .enum(roles)
  .describe(
    'owner and admin may invite, change and remove people; only an owner can make another person an owner.',
  );

/** Access to the administration endpoints. `*` does not include it. */
export const admin_scope = 'admin';

/** Deciding approvals. `*` does not include it, and only a person issues a key with it. */
export const decide_scope = 'approvals:write';

export const Scope = z
  .string()
  .max(60)
  .regex(/^(\*|admin|[a-z][a-z_]*:(read|write))$/, 'Expected *, admin, <noun>:read or <noun>:write')
  .describe(
    '*: everything except administration and deciding approvals. <noun>:read or <noun>:write, such as contacts:read: only that (unknown nouns are rejected). admin: the administration endpoints, for keys of superadmins.',
  );
