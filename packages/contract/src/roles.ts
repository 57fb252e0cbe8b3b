// Roles of people in an organization, and the permissions a key can carry.
import { z } from 'zod';

export const roles = ['owner', 'admin', 'member'] as const;
export type Role = (typeof roles)[number];

export const Role = z
  .enum(roles)
  .describe('owner and admin may invite, change and remove people; only an owner makes another owner.');

export const Scope = z
  .string()
  .max(60)
  .regex(/^(\*|[a-z][a-z_]*:(read|write))$/, 'Expected *, <noun>:read or <noun>:write')
  .describe('*: everything; <noun>:read or <noun>:write, such as contacts:read: that only.');
