// The HTTP route for carriers' callbacks: verifies the signature and passes the events to their handler.
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Log } from '../../platform/log.ts';
import type { Carrier, CarrierEvent } from './carrier.ts';
import type { forwardOffer } from './forward-offer.ts';

export { addMediaSockets } from './media-socket-routes.ts';

export const callback_path = '/v1/carriers/:carrier/callbacks';
const max_body_bytes = 256 * 1024;

/** Not an operation of the API. The body is read as raw bytes, because the carrier's signature covers the bytes. */
export function addCarrierCallbacks(
  http: FastifyInstance,
  deps: {
    carriers: { byName(name: string): Pick<Carrier, 'name' | 'readCallback'> | null | undefined };
    handleEvents(carrier: string, events: CarrierEvent[]): Promise<void>;
    /** Passes a call that this process cannot take on to another one. */
    forward: ReturnType<typeof forwardOffer>;
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
        const callback = {
          headers: request.headers,
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        };
        const reading = carrier.readCallback({ url: deps.baseUrl() + request.url, ...callback });
        if (reading.outcome === 'forged') {
          throw new ApiError('callback_not_authentic', { internal: new Error(reading.detail) });
        }
        for (const event of reading.events) {
          if (event.kind === 'unknown')
            deps.log.info({ carrier: carrier.name, detail: event.detail }, 'unknown callback');
        }
        const handle = async () => {
          const forwarded = await deps.forward(
            carrier.name,
            { ...callback, path: request.url },
            reading.events,
          );
          if (forwarded === 'full') return void reply.code(503).send();
          // Respond after the events are stored: the carrier sends a failed callback again.
          if ('events' in forwarded)
            await deps.handleEvents(carrier.name, forwarded.events).finally(forwarded.giveBack);
          const response = 'events' in forwarded ? reading.response() : forwarded;
          void reply.header('content-type', response.content_type).send(response.body);
        };
        handle().catch((error) => reply.send(error));
      },
    });
  });
}
