// Signs the handshake with a relay: in the form that servers for Twilio check, and in our own.
import { createHmac } from 'node:crypto';

/** X-Twilio-Signature: base64 of HMAC-SHA1 over the URL. The secret takes the place of the auth token. */
export function handshakeHeaders(url: string, secret: string, unix_seconds: number): Record<string, string> {
  const own_signature = createHmac('sha256', secret).update(`${unix_seconds}.${url}`).digest('hex');
  return {
    'X-Twilio-Signature': createHmac('sha1', secret).update(url).digest('base64'),
    'X-Service-Signature': `t=${unix_seconds},v1=${own_signature}`,
  };
}
