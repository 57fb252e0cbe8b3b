// The HTTP route for carriers' callbacks: verifies the signature and passes the events to their handler.
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Log } from '../../platform/log.ts';
import type { Carrier, CarrierEvent } from './carrier.ts';

export { addMediaSockets } from './media-socket-routes.ts';

export const callback_path = '/v1/carriers/:carrier/callbacks';
const max_body_bytes = 256 * 1024;

/** Not an operation of the API. The body is read as raw bytes, because the carrier's signature covers the bytes. */
export function addCarrierCallbacks(
  http: FastifyInstance,
  deps: {
    carriers: { byName(name: string): Pick<Carrier, 'name' | 'readCallback'> | null | undefined };
    handleEvents(carrier: string, events: CarrierEvent[]): Promise<void>;
    log: Log;
    baseUrl(): string;
  },
): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // List the common types as well: Fastify searches its parsers again for every request that only matches '*'.
    for (const type of ['application/x-www-form-urlencoded', 'application/json', '*'])
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    scope.route<{ Params: { carrier: string } }>({
      method: 'POST',
      url: callback_path,
      bodyLimit: max_body_bytes,
      config: { serves_draining: true },
      onRequest: (request, _, done) => {
        request.operation = 'carriers.callback';
        done();
      },
      handler(request, reply) {
        const carrier = deps.carriers.byName(request.params.carrier);
        if (!carrier?.readCallback) throw new ApiError('not_found');
        const reading = carrier.readCallback({
          url: deps.baseUrl() + request.url,
          headers: request.headers,
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        });
        if (reading.outcome === 'forged') {
          throw new ApiError('callback_not_authentic', { internal: new Error(reading.detail) });
        }
        for (const event of reading.events) {
          if (event.kind === 'unknown')
            deps.log.info({ carrier: carrier.name, detail: event.detail }, 'unknown callback');
        }
        // Respond after the events are stored: the carrier sends a failed callback again.
        const respond = () => {
          const response = reading.response();
          void reply.header('content-type', response.content_type).send(response.body);
        };
        deps
          .handleEvents(carrier.name, reading.events)
          .then(respond)
          .catch((error) => reply.send(error));
      },
    });
  });
}
