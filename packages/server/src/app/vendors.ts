// Creates the vendor of every port that the settings choose. Only app/ and config/ name vendors.
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Dispatcher } from 'undici';
import { awsIdentity } from '../config/aws.ts';
import type { Config } from '../config/config.ts';
import type { ActiveProvider } from '../features/access/provider-settings/index.ts';
import type { CallFeature, OwnEngines } from '../features/channels/calls/index.ts';
import { handedTexts } from '../features/operations/sandbox-outbox/index.ts';
import { guardCarriers, guardTransport } from '../features/rules/admission/index.ts';
import {
  type AwsCredentialSource,
  type AwsCredentials,
  fixedCredentials,
  renewedCredentials,
} from '../platform/aws-credentials.ts';
import type { Clock } from '../platform/clock.ts';
import { oneAtATime } from '../platform/db/one-at-a-time.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import type { Ids } from '../platform/ids.ts';
import { cachedCheck } from '../platform/readiness.ts';
import type { Carrier, CarrierEvent } from '../providers/carrier/carrier.ts';
import { liveKitCarrier } from '../providers/carrier/livekit/index.ts';
import { rtcNode } from '../providers/carrier/livekit/rtc-node.ts';
import type { MediaRelay } from '../providers/carrier/media-relay.ts';
import { carrierRegistry } from '../providers/carrier/registry.ts';
import { sandboxCarrier } from '../providers/carrier/sandbox/index.ts';
import type { SandboxPhones } from '../providers/carrier/sandbox-phones.ts';
import { sipCarrier } from '../providers/carrier/sip/index.ts';
import { sipTrunkOptions } from '../providers/carrier/sip/options.ts';
import { telnyxCarrier } from '../providers/carrier/telnyx/index.ts';
import { twilioCarrier } from '../providers/carrier/twilio/index.ts';
import { manifest as anthropicLlm } from '../providers/llm/anthropic/manifest.ts';
import { offlineLlm } from '../providers/llm/offline/index.ts';
import { openAiCompatibleLlm as openAiLlm } from '../providers/llm/openai-compatible/index.ts';
import {
  manifest as openAiCompatibleLlm,
  presets as openAiCompatiblePresets,
} from '../providers/llm/openai-compatible/manifest.ts';
import { sandboxTransport } from '../providers/mail/sandbox/index.ts';
import { sesTransport } from '../providers/mail/ses/index.ts';
import type { FetchText } from '../providers/mail/ses/notices.ts';
import { smtpTransport } from '../providers/mail/smtp/index.ts';
import type { OauthSettings } from '../providers/mail/smtp/oauth-tokens.ts';
import type { MailTransport } from '../providers/mail/transport.ts';
import type { ProviderManifest } from '../providers/manifest.ts';
import { type MediaClock, realTimeClock } from '../providers/media/media-clock.ts';
import { rspamdScanner } from '../providers/spam/rspamd/index.ts';
import type { SpamScanner } from '../providers/spam/spam-scanner.ts';
import { folderStorage } from '../providers/storage/folder/index.ts';
import { s3Storage } from '../providers/storage/s3/index.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import { manifest as deepgramStt } from '../providers/stt/deepgram/manifest.ts';
import { moonshineStt } from '../providers/stt/moonshine/index.ts';
import { manifest as openAiCompatibleStt } from '../providers/stt/openai-compatible/manifest.ts';
import { manifest as cartesiaTts } from '../providers/tts/cartesia/manifest.ts';
import { manifest as elevenLabsTts } from '../providers/tts/elevenlabs/manifest.ts';
import { fliteTts } from '../providers/tts/flite/index.ts';
import { manifest as openAiCompatibleTts } from '../providers/tts/openai-compatible/manifest.ts';
import { sileroVad } from '../providers/vad/silero/index.ts';
import { providerManifest, type VendorManifest } from '../providers/vendor-manifest.ts';
import { clamdScanner } from '../providers/virus/clamd/index.ts';
import type { VirusScanner } from '../providers/virus/virus-scanner.ts';
import type { Service } from './service.ts';

/** A check writes to the disk, and anybody may ask for readiness. */
const storage_check_ms = 2000;

const llm_vendors = [openAiCompatibleLlm, ...openAiCompatiblePresets, anthropicLlm] as const;
const stt_vendors = [openAiCompatibleStt, deepgramStt] as const;
const tts_vendors = [openAiCompatibleTts, elevenLabsTts, cartesiaTts] as const;

/** Opens the engines of organizations with their own keys. `agent` connects only to allowed addresses. */
export function ownEngines(agent: Dispatcher): OwnEngines {
  const openAmong =
    <Engine>(vendors: readonly VendorManifest<Engine>[]) =>
    ({ provider, api_key, params }: ActiveProvider): Engine => {
      const vendor = vendors.find((each) => each.provider === provider);
      if (!vendor) throw new Error(`The provider ${provider} is not known.`);
      return vendor.open({ agent }, { api_key, params: vendor.params.parse(params) });
    };
  return {
    llm: openAmong(llm_vendors),
    stt: openAmong(stt_vendors),
    tts: openAmong(tts_vendors),
    llmAt: (settings) => openAiLlm({ agent, settings }),
  };
}

/** Providers for which an organization may set its own keys. */
export const provider_manifests: readonly ProviderManifest[] = [
  ...llm_vendors.map(providerManifest),
  ...stt_vendors.map(providerManifest),
  ...tts_vendors.map(providerManifest),
];

/** The key of the service, or those that are set up for all services of Amazon. */
function awsCredentials(
  config: Config,
  clock: Clock,
  { access_key_id, secret_access_key, session_token }: Record<keyof AwsCredentials, string | null>,
): AwsCredentialSource {
  if (access_key_id !== null && secret_access_key !== null)
    return fixedCredentials({ access_key_id, secret_access_key, session_token });
  const identity = awsIdentity(config, config.PARLEY_S3_REGION);
  if (identity) return renewedCredentials(identity, { clock });
  return fixedCredentials({
    access_key_id: config.AWS_ACCESS_KEY_ID!,
    secret_access_key: config.AWS_SECRET_ACCESS_KEY!,
    session_token: config.AWS_SESSION_TOKEN,
  });
}

/** Where objects and mail go, and what scans mail. */
export function openStores(on: Service) {
  const { config, options, wall_clock } = on;
  const storage = objectStorage(config, { ...on, key: on.keyFor('object links') });
  const transport = mailTransport(config, wall_clock, options.mail_network);
  const replaced = transport && (options.replace_providers?.transport(transport) ?? transport);
  return {
    storage,
    stored_objects: {
      addHttp: (http: FastifyInstance) => storage.addRoutes?.(http),
      readiness: [{ name: 'storage', check: cachedCheck(() => storage.check(), storage_check_ms) }],
    },
    transport: replaced && guardTransport(replaced, on.tracing),
    scanners: mailScanners(config),
  };
}
export type Stores = ReturnType<typeof openStores>;

export function objectStorage(
  config: Config,
  /** Storage services check the time of a signature, so it uses the wall clock, which the sandbox cannot move. */
  deps: {
    clock: Clock;
    wall_clock: Clock;
    ids: Ids;
    key: Buffer;
    baseUrl(): string;
    disk: DiskSpace | null;
  },
): ObjectStorage & { addRoutes?(http: FastifyInstance): void } {
  if (config.PARLEY_STORAGE === 'folder') {
    return folderStorage({ ...deps, folder: join(config.data_dir, 'objects') });
  }
  return s3Storage({
    endpoint: config.PARLEY_S3_ENDPOINT!,
    public_endpoint: config.PARLEY_S3_PUBLIC_ENDPOINT,
    region: config.PARLEY_S3_REGION,
    bucket: config.PARLEY_S3_BUCKET!,
    credentials: awsCredentials(config, deps.wall_clock, {
      access_key_id: config.PARLEY_S3_ACCESS_KEY_ID,
      secret_access_key: config.PARLEY_S3_SECRET_ACCESS_KEY,
      session_token: config.PARLEY_S3_SESSION_TOKEN,
    }),
    clock: deps.wall_clock,
  });
}

export function mailTransport(
  config: Config,
  wall_clock: Clock,
  network: { fetchText?: FetchText } = {},
): MailTransport | null {
  const timeout_ms = config.PARLEY_EMAIL_TIMEOUT_SECONDS * 1000;
  const chosen =
    config.PARLEY_MAIL_TRANSPORT ?? (config.PARLEY_SMTP_URL ? 'smtp' : config.sandbox ? 'sandbox' : null);
  if (chosen === 'sandbox') return sandboxTransport();
  if (chosen === 'smtp') {
    return smtpTransport({
      url: config.PARLEY_SMTP_URL!,
      max_connections: config.PARLEY_SMTP_CONNECTIONS,
      tls: config.PARLEY_SMTP_TLS,
      hostname: config.PARLEY_MAIL_HOST ?? config.PARLEY_SERVICE_MAIL_DOMAIN,
      oauth: config.PARLEY_SMTP_OAUTH_TOKEN_URL === null ? null : oauthSettings(config, wall_clock),
      timeout_ms,
    });
  }
  if (chosen === 'ses') {
    return sesTransport({
      region: config.PARLEY_SES_REGION!,
      credentials: awsCredentials(config, wall_clock, {
        access_key_id: config.PARLEY_SES_ACCESS_KEY_ID,
        secret_access_key: config.PARLEY_SES_SECRET_ACCESS_KEY,
        session_token: config.PARLEY_SES_SESSION_TOKEN,
      }),
      configuration_set: config.PARLEY_SES_CONFIGURATION_SET,
      topic_arns: config.PARLEY_SES_TOPIC_ARN,
      s3_endpoint: config.PARLEY_SES_S3_ENDPOINT,
      ...network,
      endpoint: config.PARLEY_SES_ENDPOINT,
      clock: wall_clock,
      timeout_ms,
    });
  }
  return null;
}

const oauthSettings = (config: Config, clock: Clock): OauthSettings => ({
  token_url: config.PARLEY_SMTP_OAUTH_TOKEN_URL!,
  client_id: config.PARLEY_SMTP_OAUTH_CLIENT_ID!,
  client_secret: config.PARLEY_SMTP_OAUTH_CLIENT_SECRET,
  refresh_token: config.PARLEY_SMTP_OAUTH_REFRESH_TOKEN,
  scope: config.PARLEY_SMTP_OAUTH_SCOPE,
  clock,
});

export const mailScanners = (config: Config): { spam: SpamScanner | null; virus: VirusScanner | null } => {
  const timeout_ms = config.PARLEY_SCANNER_TIMEOUT_SECONDS * 1000;
  const { PARLEY_RSPAMD_URL: url, PARLEY_CLAMD_ADDRESS: address } = config;
  return {
    spam: url === null ? null : rspamdScanner({ url, timeout_ms }),
    virus: address === null ? null : clamdScanner({ address, timeout_ms }),
  };
};

/** Speech engines that need no account. They load at the first call. */
export const offlineSpeech = () => ({
  vad: sileroVad(),
  stt: moonshineStt({ threads: 1 }),
  tts: fliteTts(),
  llm: offlineLlm(),
  clock: realTimeClock(),
});

type CarrierNeeds = Pick<Service, 'config' | 'options' | 'db' | 'clock' | 'log' | 'tracing' | 'baseUrl'> & {
  calls: Pick<CallFeature, 'freeCalls' | 'keepPlace' | 'hasCapacity' | 'expectMedia'>;
  handleEvents(carrier: string, events: CarrierEvent[]): Promise<void>;
  media_clock: MediaClock;
  phones: SandboxPhones;
  relay: MediaRelay;
};

/** The carriers whose credentials are set, after the sandbox where it is on. They call and text only with an admission. */
export function openCarriers(needs: CarrierNeeds) {
  const { config, options } = needs;
  const sandbox = config.sandbox
    ? sandboxCarrier({
        handleEvents: (events) => needs.handleEvents('sandbox', events),
        phones: needs.phones,
        clock: needs.clock,
        handed_texts: handedTexts(needs.db, needs.clock),
      })
    : null;
  const with_settings = [sandbox, twilioOf(needs), telnyxOf(needs), liveKitOf(needs), sipOf(needs)].filter(
    (carrier): carrier is Carrier => carrier !== null,
  );
  const replace = options.replace_providers?.carrier;
  const registry = carrierRegistry(replace ? with_settings.map(replace) : with_settings, config.carrier);
  return { carriers: guardCarriers(registry, needs.tracing), sandbox_voice: sandbox?.voice ?? null };
}

const callbackUrl =
  ({ baseUrl }: CarrierNeeds, carrier: string) =>
  () =>
    `${baseUrl()}/v1/carriers/${carrier}/callbacks`;

/** Where other processes reach this one for the audio of its calls; null where carriers reach it directly. */
const relayedUrl = (config: Config): string | null =>
  config.PARLEY_MEDIA_URL === null ? config.PARLEY_INTERNAL_URL : null;

/** Audio arrives at the HTTP server of the process that runs the call. Null where this process has no HTTP server. */
function mediaOf(deps: CarrierNeeds, carrier: string) {
  const { config } = deps;
  const url = relayedUrl(config);
  return config.PARLEY_ROLES.includes('api') || url !== null
    ? {
        relay: deps.relay,
        announce:
          url === null
            ? null
            : (call_id: string, token_hash: Buffer) => deps.calls.expectMedia(call_id, { url, token_hash }),
        clock: deps.media_clock,
        log: deps.log,
        aheadMs: () => deps.clock.offset_ms(),
        mediaUrl: () =>
          `${(config.PARLEY_MEDIA_URL ?? deps.baseUrl()).replace(/\/$/, '').replace(/^http/, 'ws')}/v1/carriers/${carrier}/media`,
      }
    : null;
}

/** The real time in milliseconds: carriers do not follow the sandbox clock. */
const realTime = (deps: CarrierNeeds) => () => deps.clock.ms() - deps.clock.offset_ms();

function twilioOf(deps: CarrierNeeds): Carrier | null {
  const { config } = deps;
  const { TWILIO_ACCOUNT_SID: account_sid, TWILIO_AUTH_TOKEN: auth_token } = config;
  if (account_sid === null || auth_token === null) return null;
  return twilioCarrier({
    account_sid,
    auth_token,
    base_url: config.TWILIO_BASE_URL,
    callbackUrl: callbackUrl(deps, 'twilio'),
    voice: mediaOf(deps, 'twilio'),
    compliance_email: config.PARLEY_COMPLIANCE_EMAIL,
    customer_profile_sid: config.TWILIO_CUSTOMER_PROFILE_SID,
  });
}

function telnyxOf(deps: CarrierNeeds): Carrier | null {
  const { config } = deps;
  const { TELNYX_API_KEY: api_key, TELNYX_PUBLIC_KEY: public_key } = config;
  const { TELNYX_MESSAGING_PROFILE_ID: messaging_profile_id } = config;
  if (api_key === null || public_key === null || messaging_profile_id === null) return null;
  return telnyxCarrier({
    api_key,
    public_key,
    messaging_profile_id,
    connection_id: config.TELNYX_CONNECTION_ID,
    base_url: config.TELNYX_BASE_URL,
    callbackUrl: callbackUrl(deps, 'telnyx'),
    voice: mediaOf(deps, 'telnyx'),
    now_ms: realTime(deps),
  });
}

function liveKitOf(deps: CarrierNeeds): Carrier | null {
  const { config } = deps;
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: api_key, LIVEKIT_API_SECRET: api_secret } = config;
  if (url === null || api_key === null || api_secret === null) return null;
  const numbers = config.LIVEKIT_NUMBERS ?? [];
  const sources = (config.LIVEKIT_INBOUND_SOURCES ?? []).map(({ address, prefix }) => `${address}/${prefix}`);
  const set_up = config.LIVEKIT_INBOUND === 'set-up' ? { numbers, sources } : null;
  return liveKitCarrier(
    {
      url,
      api_key,
      api_secret,
      numbers,
      sip_trunk_id: config.LIVEKIT_SIP_TRUNK_ID,
      inbound: config.LIVEKIT_INBOUND === 'off' ? null : { agent_name: config.LIVEKIT_AGENT_NAME, set_up },
      now_ms: realTime(deps),
    },
    {
      rooms: deps.options.livekit_rooms ?? rtcNode(deps),
      clock: deps.media_clock,
      log: deps.log,
      freeCalls: deps.calls.freeCalls,
      keepPlace: deps.calls.keepPlace,
      oneAtATime: (work) => oneAtATime(deps.db, 'livekit set-up', work),
      handleEvents: (events) => deps.handleEvents('livekit', events),
    },
  );
}

function sipOf({ config, log, handleEvents, calls }: CarrierNeeds): Carrier | null {
  const trunk = sipTrunkOptions(config);
  return (
    trunk &&
    sipCarrier(trunk, {
      log,
      hasCapacity: calls.hasCapacity,
      handleEvents: (events) => handleEvents('sip', events),
    })
  );
}
