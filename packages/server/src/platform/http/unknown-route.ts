// Answers requests that no route takes: 405 with the methods of the path where the path exists, 404 otherwise.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';

declare module 'fastify' {
  interface FastifyInstance {
    methodsOfPath: (path: string) => string[];
  }
}

type Pattern = { segments: string[]; methods: Set<string> };

/** Must be called before the routes are added. The check precedes the body, so a body of any type gets the same answer. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const patterns = new Map<string, Pattern>();
  app.addHook('onRoute', ({ url, method }) => {
    // The route that shows a page for wrong links matches every path.
    if (url === '/*' || url === '*') return;
    const pattern = patterns.get(url) ?? { segments: url.split('/'), methods: new Set() };
    for (const each of [method].flat()) pattern.methods.add(each);
    patterns.set(url, pattern);
  });
  app.decorate('methodsOfPath', (path) => {
    const segments = path.split('/');
    const matching = [...patterns.values()].filter((pattern) => matches(pattern.segments, segments));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  });
  app.addHook('onRequest', (request, _reply, done) =>
    done(request.is404 ? unknownRoute(request) : undefined),
  );
  app.setNotFoundHandler((request) => {
    throw unknownRoute(request);
  });
}

export function unknownRoute(request: FastifyRequest): ApiError {
  const path = request.url.split('?', 1)[0]!;
  const methods = request.server.methodsOfPath(path);
  if (methods.length === 0) return new ApiError('not_found', { detail: 'There is no such path.' });
  return new ApiError('method_not_allowed', {
    allow: methods,
    detail: `This path takes ${methods.join(', ')}.`,
  });
}

function matches(pattern: string[], path: string[]): boolean {
  if (pattern.at(-1) === '*') return path.length >= pattern.length && startsWith(pattern.slice(0, -1), path);
  return path.length === pattern.length && startsWith(pattern, path);
}

const startsWith = (pattern: string[], path: string[]) =>
  pattern.every((segment, at) => segment === path[at] || (segment.startsWith(':') && path[at] !== ''));
