// Opens the ports of the API and of the mail server, with an error message for the operator when that fails.
import type { AddressInfo } from 'node:net';
import type { App } from '../app/app.ts';
import type { Config } from '../config/config.ts';
import { submissionPorts } from '../config/submission.ts';
import { StartError } from '../platform/start-error.ts';

/** The address of the API on this machine; the public one may lead through a proxy. */
export function localUrl({ http }: App): string {
  const { address, family, port } = http.server.address() as AddressInfo;
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return `http://${family === 'IPv6' && host !== '127.0.0.1' ? `[${host}]` : host}:${port}`;
}

export const listenForMail = (app: App, config: Config): Promise<number> =>
  explained(
    () => app.smtp.listen(),
    (code) =>
      `The mail server cannot listen on port ${config.SMTP_PORT ?? 2525} (${code}). Set SMTP_HOST and SMTP_PORT to a free address, or leave smtp out of PARLEY_ROLES.`,
  );

export function listenForSubmission(app: App, config: Config): Promise<{ starttls: number; tls: number }> {
  const { starttls, tls } = submissionPorts(config);
  return explained(
    () => app.submission.listen(),
    (code) =>
      `SMTP submission cannot listen on ports ${starttls} and ${tls} (${code}). Set SUBMISSION_HOST, SUBMISSION_PORT and SUBMISSION_TLS_PORT to free addresses, or leave submission out of PARLEY_ROLES.`,
  );
}

async function explained<T>(work: () => Promise<T>, inUse: (code: string) => string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new StartError(inUse(code));
    if (code === 'ENOENT' || code?.startsWith('ERR_OSSL')) {
      throw new StartError(
        `The certificate of the mail server cannot be used: ${(error as Error).message}. Check PARLEY_INBOUND_TLS_CERT and PARLEY_INBOUND_TLS_KEY.`,
      );
    }
    throw error;
  }
}

export async function listen(http: App['http'], config: Config): Promise<number> {
  try {
    await http.listen({ port: config.PORT, host: config.HOST });
    return (http.server.address() as AddressInfo).port;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${config.PORT} on ${config.HOST} is in use by another program. Stop it, or set PORT to a free one.`,
      );
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      throw new StartError(
        `Cannot listen on ${config.HOST} port ${config.PORT} (${code}). Set HOST and PORT to an address of this machine.`,
      );
    }
    throw error;
  }
}
