// HTTP for the routes that programs use: open to other origins, rate limited, with bodies as forms or JSON.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../../platform/clock.ts';
import type { AccountStore } from '../account-store.ts';
import type { AttemptLimits } from '../attempt-limits.ts';
import type { DeviceLogins } from '../device/device-logins.ts';
import type { AccountEngine } from '../engine.ts';
import { bodyText } from '../pages/web.ts';
import { allowAllOrigins } from './protocol-answers.ts';

export type ProtocolDeps = {
  engine(): Promise<AccountEngine>;
  devices: DeviceLogins;
  attempts: AttemptLimits;
  baseUrl(): string;
  /** The resource of a token when the program requests none. */
  default_resource: string;
  store: AccountStore;
  wall_clock: Clock;
};

export function protocolHttp(scope: FastifyInstance, { attempts }: ProtocolDeps) {
  const paths: string[] = [];
  return {
    post(
      path: string,
      handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
    ): void {
      paths.push(path);
      scope.post(path, async (request, reply) => {
        await attempts.countRequest(request.ip);
        return handle(request, reply);
      });
    },
    get(path: string, handle: (reply: FastifyReply) => Promise<FastifyReply>): void {
      paths.push(path);
      scope.get(path, (_, reply) => handle(allowAllOrigins(reply)));
    },
    /** Browsers send an OPTIONS request before a cross-origin request. Call it after all routes are added. */
    addPreflightRoutes(): void {
      for (const path of paths) scope.options(path, (_, reply) => allowAllOrigins(reply).code(204).send());
    },
  };
}
export type ProtocolHttp = ReturnType<typeof protocolHttp>;

/** Reads the fields of a form or of a JSON object; a missing field is an empty string. */
export function fieldsOf(request: FastifyRequest): (name: string) => string {
  const text = bodyText(request);
  if (!request.headers['content-type']?.startsWith('application/json')) {
    const fields = new URLSearchParams(text);
    return (name) => fields.get(name) ?? '';
  }
  const fields = parseObject(text);
  return (name) => (typeof fields[name] === 'string' ? fields[name] : '');
}

/** Returns an empty object for text that is not a JSON object. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
