// Shared by all account pages: the signed-in user, the redirect target, and forms that only our own pages can send.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import type { SystemMailSender } from '../../../../platform/system-mail.ts';
import type { Actor, AuditLog } from '../../audit/index.ts';
import type { CredentialChanges } from '../../identity/index.ts';
import type { InvitationService, OrganizationService } from '../../organizations/index.ts';
import type { AccountStore } from '../account-store.ts';
import type { AttemptLimits } from '../attempt-limits.ts';
import type { DeviceLogins } from '../device/device-logins.ts';
import type { AccountEngine, SignedIn } from '../engine.ts';
import type { PasswordMails } from '../sign-in/password-mails.ts';
import type { SignIns } from '../sign-in/sign-ins.ts';
import type { SignUps } from '../sign-up/sign-ups.ts';
import { headersOf, redirectTo, requireOwnOrigin, safeNext } from './web.ts';

export type PageDeps = {
  db: Database;
  clock: Clock;
  audit: AuditLog;
  engine(): Promise<AccountEngine>;
  store: AccountStore;
  organizations: OrganizationService;
  invitations: InvitationService;
  devices: DeviceLogins;
  mail: SystemMailSender;
  sign_ups: SignUps;
  sign_ins: SignIns;
  password_mails: PasswordMails;
  attempts: AttemptLimits;
  changes: CredentialChanges;
  baseUrl(): string;
  sign_up: 'open' | 'invitation';
  password_chars: { min: number; max: number };
};

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
type UserHandler = (user: SignedIn, ...rest: Parameters<Handler>) => Promise<FastifyReply>;

export function pageTools(scope: FastifyInstance, deps: PageDeps) {
  const { attempts } = deps;

  const signedIn = async (request: FastifyRequest) => (await deps.engine()).session(headersOf(request));

  /** Redirects a visitor who is not signed in to the sign-in page, and back afterwards. */
  const page = (path: string, handle: UserHandler) =>
    scope.get(path, async (request, reply) => {
      const user = await signedIn(request);
      return user ? handle(user, request, reply) : redirectTo(reply, signInPath(request));
    });
  const form = (path: string, handle: Handler) =>
    scope.post(path, async (request, reply) => {
      requireOwnOrigin(request, deps.baseUrl());
      await attempts.countRequest(request.ip);
      return handle(request, reply);
    });
  const userForm = (path: string, handle: UserHandler) =>
    form(path, async (request, reply) => {
      const user = await signedIn(request);
      return user ? handle(user, request, reply) : redirectTo(reply, '/auth/sign-in');
    });

  return { next: (text: string) => safeNext(text, deps.baseUrl()), signedIn, page, form, userForm };
}

export const query = (request: FastifyRequest, name: string): string => {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
};

export const searchParams = (request: FastifyRequest) => new URLSearchParams(request.url.split('?')[1] ?? '');

export const signInPath = (request: FastifyRequest): string =>
  `/auth/sign-in?next=${encodeURIComponent(request.url)}`;

/** For the audit log, before the user is known. */
export const anonymousActor = (request: FastifyRequest): Actor => ({
  user_id: null,
  credential_id: null,
  ip: request.ip,
  request_id: request.id,
});

export const actorOf = (request: FastifyRequest, user: SignedIn): Actor & { user_id: string } => ({
  user_id: user.user.id,
  credential_id: `session:${user.session.id}`,
  ip: request.ip,
  request_id: request.id,
});

export const alert = (text: string) => ({ kind: 'alert' as const, text });

/** The authorization request as the program sent it, without the parameters that better-auth added. */
export function authorizePath(params: URLSearchParams): string {
  const own_query = new URLSearchParams(
    [...params].filter(([name]) => name !== 'sig' && name !== 'exp' && !name.startsWith('ba_')),
  );
  const prompts = (own_query.get('prompt') ?? '')
    .split(' ')
    .filter((prompt) => prompt !== '' && prompt !== 'login');
  if (prompts.length > 0) own_query.set('prompt', prompts.join(' '));
  else own_query.delete('prompt');
  return `/auth/oauth2/authorize?${own_query}`;
}
