import * as v from 'valibot'
import { resolveParameters } from './secrets.ts'
import { parseBoolean } from './text.ts'

const flag = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => parseBoolean(text) === true),
)
const text = (fallback = '') => v.optional(v.string(), fallback)
const list = (fallback = '') =>
  v.pipe(
    text(fallback),
    v.transform((it) =>
      it
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    ),
  )
const address = v.pipe(
  text(),
  v.check((it) => it === '' || URL.canParse(it), 'must be a URL'),
)
const seconds = { s: 1, min: 60, h: 3600, day: 86_400 } as const

/** Example: `10/min` becomes ten times in 60 seconds. */
const rate = (fallback: string) =>
  v.pipe(
    text(fallback),
    v.regex(/^\d+\/(s|min|h|day)$/, 'must look like 10/min (s, min, h, day)'),
    v.transform((it) => {
      const [limit = '0', per = 's'] = it.split('/')
      return { limit: Number(limit), seconds: seconds[per as keyof typeof seconds] }
    }),
  )

/** A whole number from 1 to `limit`, without `limit` itself. */
const wholeBelow = (limit: number, fallback: string) =>
  v.pipe(
    text(fallback),
    v.check(
      (it) => /^\d+$/.test(it) && Number(it) >= 1 && Number(it) < limit,
      `must be a whole number from 1 to ${limit - 1}`,
    ),
    v.transform(Number),
  )

/** A whole number of bytes up to `most`, which is also the default. */
const bytesUpTo = (most: number) =>
  v.pipe(
    text(String(most)),
    v.check((it) => /^\d{1,9}$/.test(it) && Number(it) <= most, `must be a whole number from 0 to ${most}`),
    v.transform(Number),
  )

/** Example: `0.80,0.15,0.05`, the shares of text, recency and popularity in a score. */
const weights = (fallback: string) =>
  v.pipe(
    text(fallback),
    v.regex(/^(\d*\.?\d+)(,\d*\.?\d+){2}$/, 'must be three numbers such as 0.80,0.15,0.05'),
    v.transform((it) => {
      const [text = 0, recency = 0, popularity = 0] = it.split(',').map(Number)
      return { text, recency, popularity }
    }),
    v.check(({ text, recency, popularity }) => Math.abs(text + recency + popularity - 1) < 1e-9, 'must add up to 1'),
  )

/** The names of stages. Example: `pr12` is the stage of pull request 12. */
const stage = /^(local|dev|staging|prod|pr\d{1,6})$/
/** Whether people may sign in without a password. */
const isDevMode = (it: { DEBUG: boolean; SERVICE_DEV_AUTH: boolean }) => it.DEBUG && it.SERVICE_DEV_AUTH
/** Whether people outside of the team use a stage. */
const isSecure = (stage: string) => stage === 'prod' || stage === 'staging'

/**
 * Whether a key looks random, not typed. Of random keys with 32 hexadecimal digits, only one in 10,000 has fewer than ten different
 * digits.
 */
const isRandom = (key: string) => new Set(key).size >= 10

// A check of several members names them (`partialCheck`). So it runs even if other members are invalid.
const Environment = v.pipe(
  v.object(
    {
      STAGE: v.pipe(v.string('is missing'), v.regex(stage, 'must be local, dev, staging, prod or pr and a number')),
      AWS_REGION: text('us-east-1'),
      TABLE_NAME: v.pipe(v.string('is missing'), v.minLength(3, 'must have 3 characters or more')),
      BUCKET_NAME: text(),
      DYNAMODB_ENDPOINT: address,
      /** The most seconds that a call of the table waits for a reply before it is made again. */
      TABLE_TIMEOUT: wholeBelow(31, '2'),
      S3_ENDPOINT: address,
      LAMBDA_ENDPOINT: address,
      SES_ENDPOINT: address,
      /** The sender of letters: an address, or a name and an address in angle brackets. */
      LETTERS_SENDER: v.pipe(
        text(),
        v.regex(/^$|^(?:[^<>\p{Cc}]* <)?[^<>@\s]+@[^<>@\s]+>?$/u, 'must be an address, or a name and <an address>'),
      ),
      /** The most letters that go out in a minute. */
      LETTERS_PER_MINUTE: wholeBelow(10_001, '120'),
      DEBUG: flag,
      SERVICE_DEV_AUTH: flag,
      SECRET_KEY: text(),
      SECRET_KEY_FALLBACKS: list(),
      ALLOWED_HOSTS: list(),
      CORS_ORIGINS: list(),
      SECURE_SSL_REDIRECT: flag,
      IDP_CLIENT_ID: text(),
      IDP_ISSUER: address,
      IDP_USERINFO_URL: address,
      IDP_TOKENINFO_URL: address,
      IDP_JWKS_URL: address,
      SECONDARY_ISSUER: text(),
      SECONDARY_AUDIENCE: text(),
      SECONDARY_JWKS_URL: address,
      EXPORT_LICENCE: text(),
      /** The base of addresses that stay, such as `https://w3id.org/heritagegraph`. Empty: the host that was asked. */
      RESOURCE_BASE: address,
      /** The address of the dashboard. Its pages about records are then the canonical ones. Empty: there is no dashboard. */
      DASHBOARD_URL: address,
      /**
       * A larger table goes to the bucket, and the answer is the address of that file. Lambda refuses answers over 6 MB, so the default is
       * also the most.
       */
      LARGEST_TABLE: bytesUpTo(4_000_000),
      CACHE_URL: v.pipe(
        text(),
        v.regex(/^$|^dynamodb:|^rediss?:\/\/./, 'must be empty, dynamodb:, redis://HOST or rediss://HOST'),
      ),
      CACHE_KEY_PREFIX: text(),
      RATE_TOKEN: rate('10/min'),
      RATE_REGISTER: rate('5/h'),
      RATE_DEV_LOGIN: rate('20/min'),
      RATE_PROJECTS: rate('10/h'),
      RATE_UPLOADS: rate('50/day'),
      RATE_OCR: rate('10/day'),
      RATE_KEYS: rate('600/min'),
      RATE_IMPORTS: rate('200/day'),
      RATE_IMPORT_ROWS: rate('20000/day'),
      RATE_SCANS: rate('50/day'),
      RATE_NOTES: rate('20/h'),
      RATE_NOTES_DAY: rate('100/day'),
      REVIEW_WEBHOOK_URL: address,
      /** Ports that the address of a hook may have. */
      HOOK_PORTS: v.pipe(
        text('443,8443'),
        v.regex(/^\d{1,5}(,\d{1,5})*$/, 'must be ports, comma separated, such as 443,8443'),
        v.transform((it) => it.split(',')),
      ),
      /** The bearer token that reads the metrics outside of the stage `local`. If it is empty, nobody can read them there. */
      METRICS_TOKEN: v.pipe(
        text(),
        v.regex(/^$|^[A-Za-z0-9._~+/=-]{16,}$/, 'must have 16 or more of A-Z a-z 0-9 . _ ~ + / = -'),
      ),
      WEBHOOK_SECRET: text(),
      /** Secrets by which the edge proves itself: the current one and, during a change, the previous one. Empty: there is no edge. */
      EDGE_SECRET: v.pipe(
        list(),
        v.check((all) => all.every((it) => it.length >= 32), 'each must have 32 characters or more'),
      ),
      RATE_ASSISTANT: rate('20/min'),
      ASSISTANT_BASE_URL: address,
      ASSISTANT_API_KEY: text(),
      ASSISTANT_MODEL: text('gpt-4o-mini'),
      ASSISTANT_TIMEOUT: wholeBelow(26, '20'),
      SEARCH_WEIGHTS: weights('0.80,0.15,0.05'),
      /** A server of OpenSearch that answers searches, such as `https://search.example/heritage`. Empty: the embedded engine. */
      SEARCH_URL: v.pipe(
        address,
        v.check((it) => it === '' || /^https?:/.test(it), 'must begin with https:// or http://'),
        v.check(
          (it) => it === '' || !URL.canParse(it) || /^\/?[a-z0-9_-]{0,60}\/?$/.test(new URL(it).pathname),
          'must have one name of a-z 0-9 _ - as its path',
        ),
      ),
      LOG_LEVEL: v.optional(v.picklist(['debug', 'info', 'silent'], 'must be debug, info or silent'), 'info'),
      /** The share of calls that also write lines of `debug`, from 0 to 1. */
      LOG_SAMPLE_RATE: v.pipe(
        text('0'),
        v.regex(/^(0(\.\d+)?|1)$/, 'must be a share from 0 to 1'),
        v.transform(Number),
      ),
    },
    'is missing',
  ),
  v.forward(
    v.partialCheck(
      [['STAGE'], ['SECRET_KEY']],
      (it) => it.STAGE === 'local' || Buffer.byteLength(it.SECRET_KEY) >= 32,
      'must have 32 bytes or more',
    ),
    ['SECRET_KEY'],
  ),
  v.forward(
    v.partialCheck(
      [['STAGE'], ['SECRET_KEY']],
      (it) => it.STAGE === 'local' || Buffer.byteLength(it.SECRET_KEY) < 32 || isRandom(it.SECRET_KEY),
      'must be random',
    ),
    ['SECRET_KEY'],
  ),
  v.forward(
    v.partialCheck(
      [['SECRET_KEY_FALLBACKS']],
      (it) => it.SECRET_KEY_FALLBACKS.every((key) => Buffer.byteLength(key) >= 32),
      'each must have 32 bytes or more',
    ),
    ['SECRET_KEY_FALLBACKS'],
  ),
  v.forward(
    v.partialCheck(
      [['STAGE'], ['ALLOWED_HOSTS']],
      (it) => it.STAGE === 'local' || (it.ALLOWED_HOSTS.length > 0 && !it.ALLOWED_HOSTS.includes('*')),
      'must list the API hosts',
    ),
    ['ALLOWED_HOSTS'],
  ),
  v.forward(
    v.partialCheck([['STAGE'], ['DEBUG']], (it) => !(isSecure(it.STAGE) && it.DEBUG), 'must be off in this stage'),
    ['DEBUG'],
  ),
  v.forward(
    v.partialCheck(
      [['STAGE'], ['DEBUG'], ['SERVICE_DEV_AUTH']],
      (it) => it.STAGE === 'local' || it.STAGE === 'dev' || !isDevMode(it),
      'must be off in this stage',
    ),
    ['SERVICE_DEV_AUTH'],
  ),
  v.forward(
    v.partialCheck(
      [['STAGE'], ['REVIEW_WEBHOOK_URL']],
      (it) => !['staging', 'prod'].includes(it.STAGE) || /^(https:|$)/.test(it.REVIEW_WEBHOOK_URL),
      'must begin with https:',
    ),
    ['REVIEW_WEBHOOK_URL'],
  ),
  v.forward(
    v.partialCheck(
      [['IDP_CLIENT_ID'], ['IDP_USERINFO_URL'], ['IDP_ISSUER']],
      (it) => !it.IDP_CLIENT_ID || it.IDP_USERINFO_URL !== '' || it.IDP_ISSUER !== '',
      'is needed beside IDP_CLIENT_ID',
    ),
    ['IDP_USERINFO_URL'],
  ),
  v.transform((it) => ({
    ...it,
    SECRET_KEY: it.SECRET_KEY || 'local-stage-only-secret-key-0123456789',
    devMode: isDevMode(it),
    secure: isSecure(it.STAGE),
  })),
)

export type Config = v.InferOutput<typeof Environment>
export type Weights = Config['SEARCH_WEIGHTS']
export type Rate = Config['RATE_TOKEN']
export type RateName = Extract<keyof Config, `RATE_${string}`>

/** Reads the environment; fails with one message that names every missing or malformed variable. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const result = v.safeParse(Environment, environment)
  if (result.success) return result.output
  const faults = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'environment'} ${issue.message}`)
  throw new Error(`Configuration: ${[...new Set(faults)].join('; ')}.`)
}

export const config = parseConfig(await resolveParameters(process.env))
