// What all account pages need: who is signed in, where to go next, and forms that only our own pages can send.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Actor, AuditLog } from '../audit/index.ts';
import type { InvitationService, OrganizationService } from '../organizations/index.ts';
import type { SystemMailSender } from '../system-mail/index.ts';
import type { AccountStore } from './account-store.ts';
import type { AttemptLimits } from './attempts.ts';
import type { DeviceLogins } from './device.ts';
import type { AccountEngine, SignedIn } from './engine.ts';
import type { PasswordMails } from './password-mails.ts';
import type { SignIns } from './sign-ins.ts';
import type { SignUps } from './sign-ups.ts';
import { goTo, headersOf, requireOwnOrigin, safeNext } from './web.ts';

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
  baseUrl(): string;
  sign_up: 'open' | 'invitation';
  password_chars: { min: number; max: number };
};

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function pageTools(scope: FastifyInstance, deps: PageDeps) {
  const { attempts } = deps;
  const next = (text: string) => safeNext(text, deps.baseUrl());
  const query = (request: FastifyRequest, name: string): string => {
    const value = (request.query as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : '';
  };
  const search = (request: FastifyRequest) => new URLSearchParams(request.url.split('?')[1] ?? '');

  const actorOf = (request: FastifyRequest, person: SignedIn): Actor & { user_id: string } => ({
    user_id: person.user.id,
    credential_id: `session:${person.session.id}`,
    ip: request.ip,
    request_id: request.id,
  });
  const signedIn = async (request: FastifyRequest) => (await deps.engine()).session(headersOf(request));

  /** Whoever is not signed in is asked to, and comes back. */
  const page = (
    path: string,
    answer: (person: SignedIn, ...rest: Parameters<Handler>) => Promise<FastifyReply>,
  ) =>
    scope.get(path, async (request, reply) => {
      const person = await signedIn(request);
      return person
        ? answer(person, request, reply)
        : goTo(reply, `/auth/sign-in?next=${encodeURIComponent(request.url)}`);
    });
  const form = (path: string, answer: Handler) =>
    scope.post(path, async (request, reply) => {
      requireOwnOrigin(request, deps.baseUrl());
      await attempts.place(request.ip);
      return answer(request, reply);
    });
  const personalForm = (
    path: string,
    answer: (person: SignedIn, ...rest: Parameters<Handler>) => Promise<FastifyReply>,
  ) =>
    form(path, async (request, reply) => {
      const person = await signedIn(request);
      return person ? answer(person, request, reply) : goTo(reply, '/auth/sign-in');
    });

  return { next, query, search, actorOf, signedIn, page, form, personalForm };
}

export const alert = (text: string) => ({ kind: 'alert' as const, text });

/** The request as the program made it, without what the engine added on the way to our page. */
export function authorizePath(asked: URLSearchParams): string {
  const kept = new URLSearchParams(
    [...asked].filter(([name]) => name !== 'sig' && name !== 'exp' && !name.startsWith('ba_')),
  );
  const prompts = (kept.get('prompt') ?? '')
    .split(' ')
    .filter((prompt) => prompt !== '' && prompt !== 'login');
  if (prompts.length > 0) kept.set('prompt', prompts.join(' '));
  else kept.delete('prompt');
  return `/auth/oauth2/authorize?${kept}`;
}
