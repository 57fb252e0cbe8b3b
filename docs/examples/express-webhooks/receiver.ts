// Receives signed webhooks with Express: verify the raw bytes, respond at once, work afterwards, drop duplicates.
import { createParley, SignatureError } from '@parley/sdk';
import express from 'express';

const parley = createParley(); // PARLEY_URL, PARLEY_API_KEY
const port = Number(process.env.PORT ?? 3000);
// The address at which Parley reaches this server.
const public_url = process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`;

// The secret is shown once, when the subscription is created. A real receiver stores it.
const subscription = await parley.webhooks.create({
  target_url: `${public_url}/hooks`,
  event_types: ['email.received', 'sms.received', 'call.completed'],
});
const seen = new Set<string>(); // In production: a unique column in your database.

const app = express();
// The signature covers the bytes, so this path must not parse JSON.
app.post('/hooks', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  let event: Awaited<ReturnType<typeof parley.webhooks.verify>>;
  try {
    event = await parley.webhooks.verify(request.body, request.headers, subscription.secret);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    response.status(400).send(error.message);
    return;
  }
  response.status(204).end();
  const delivery_id = String(request.headers['x-service-delivery']);
  if (seen.has(delivery_id)) return;
  seen.add(delivery_id);
  switch (event.type) {
    case 'email.received':
      console.log(`email from ${event.data.from_address}: ${event.data.subject}`);
      break;
    case 'sms.received':
      console.log(`text from ${event.data.from}: ${event.data.body}`);
      break;
    case 'call.completed':
      console.log(`call ${event.data.id} lasted ${event.data.duration_seconds} s`);
      break;
  }
});

const server = app.listen(port, '127.0.0.1', () => console.log(`listening for ${subscription.id}`));

process.once('SIGTERM', async () => {
  await parley.webhooks.delete(subscription.id);
  server.close();
  server.closeAllConnections();
});
