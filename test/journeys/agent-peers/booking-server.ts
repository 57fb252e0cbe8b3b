// The booking system of the practice: an HTTP tool that books a slot.
import { bodyOf, listen, report } from './server.ts';

await listen(async (request, response) => {
  const body = JSON.parse(await bodyOf(request)) as { tool: string; arguments: { time: string } };
  report({
    tool: body.tool,
    arguments: body.arguments,
    key: request.headers['idempotency-key'],
    signature: request.headers['x-service-signature'],
  });
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ result: { booked: body.arguments.time, reference: 'B-17' } }));
});
