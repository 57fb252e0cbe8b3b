// Carriers call back here: what they say is believed only with their signature, and handed to whom it concerns.
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Log } from '../../platform/log.ts';
import type { Carrier, CarrierEvent } from './carrier.ts';

export { addMediaSockets } from './media-socket-routes.ts';

export const callback_path = '/v1/carriers/:carrier/callbacks';
const max_body_bytes = 256 * 1024;

/** Not an operation of the API: its body is the carrier's, and is read as raw bytes because those are signed. */
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
    // By name, too: what only the star fits is looked up anew for every request.
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
        // The carrier is told only once the news is stored: what fails here it sends again.
        const heard = () => {
          const answer = reading.answer();
          void reply.header('content-type', answer.content_type).send(answer.body);
        };
        deps
          .handleEvents(carrier.name, reading.events)
          .then(heard)
          .catch((error) => reply.send(error));
      },
    });
  });
}
