// The issuers whose tokens this server accepts: its own OAuth server, and the operator's own issuer where one is set.
import type { Config } from '../../../config/config.ts';
import { issuerKeys, type TrustedIssuer } from '../identity/index.ts';
import { full_scope } from './account-rules.ts';
import type { AccountEngine } from './engine.ts';

type IssuerDeps = {
  config: Config;
  baseUrl(): string;
  engine(): Promise<AccountEngine>;
  /** What our own OAuth server issues tokens for. */
  ownAudiences(): string[];
};

/** Builds the list on the first call: the base URL is known only after the server started to listen. */
export function trustedIssuers(deps: IssuerDeps): () => TrustedIssuer[] {
  let issuers: TrustedIssuer[] | undefined;
  return () => {
    issuers ??= [ownIssuer(deps), ...externalIssuers(deps)];
    return issuers;
  };
}

/** An issuer must be an https URL, except on this machine. The account engine derives it in the same way. */
export function issuerOf(base_url: string): string {
  const url = new URL(`${base_url}/auth`);
  if (!['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)) url.protocol = 'https:';
  return url.href;
}

function ownIssuer({ config, baseUrl, engine, ownAudiences }: IssuerDeps): TrustedIssuer {
  const issuer = issuerOf(baseUrl());
  return {
    issuer,
    audiences: ownAudiences(),
    keys: issuerKeys(`${issuer}/jwks`, async () => (await engine()).jwks()),
    subject: 'id',
    full_scope,
    admin_session_ms: config.PARLEY_ADMIN_SESSION_HOURS * 3_600_000,
  };
}

function externalIssuers({ config, ownAudiences }: IssuerDeps): TrustedIssuer[] {
  if (config.PARLEY_JWT_ISSUER === null) return [];
  return [
    {
      issuer: config.PARLEY_JWT_ISSUER,
      audiences: config.PARLEY_JWT_AUDIENCES.length > 0 ? config.PARLEY_JWT_AUDIENCES : ownAudiences(),
      keys: issuerKeys(config.PARLEY_JWT_JWKS_URL!),
      subject: 'external_subject',
      full_scope: null,
      admin_session_ms: null,
    },
  ];
}
