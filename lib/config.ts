import * as v from 'valibot'
import { revealed } from './secrets.ts'

const flag = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => ['1', 'true', 'yes', 'on'].includes(text.trim().toLowerCase())),
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

/** `10/min`: how many times, and per how many seconds. */
const rate = (fallback: string) =>
  v.pipe(
    text(fallback),
    v.regex(/^\d+\/(s|min|h|day)$/, 'must look like 10/min (s, min, h, day)'),
    v.transform((it) => {
      const [limit = '0', per = 's'] = it.split('/')
      return { limit: Number(limit), seconds: seconds[per as keyof typeof seconds] }
    }),
  )

const stages = ['local', 'dev', 'staging', 'prod'] as const

// Checks of several members look at these only, so that a fault elsewhere does not hide theirs.
const Environment = v.pipe(
  v.object(
    {
      STAGE: v.optional(v.picklist(stages, `must be one of ${stages.join(', ')}`), 'local'),
      AWS_REGION: text('us-east-1'),
      TABLE_NAME: v.pipe(v.string('is missing'), v.minLength(3, 'must have 3 characters or more')),
      BUCKET_NAME: text(),
      DYNAMODB_ENDPOINT: address,
      S3_ENDPOINT: address,
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
      CACHE_URL: text(),
      CACHE_KEY_PREFIX: text(),
      RATE_TOKEN: rate('10/min'),
      RATE_REGISTER: rate('5/h'),
      RATE_DEV_LOGIN: rate('20/min'),
      LOG_LEVEL: v.optional(v.picklist(['info', 'silent'], 'must be info or silent'), 'info'),
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
      [['SECRET_KEY_FALLBACKS']],
      (it) => it.SECRET_KEY_FALLBACKS.every((key) => Buffer.byteLength(key) >= 32),
      'each must have 32 bytes or more',
    ),
    ['SECRET_KEY_FALLBACKS'],
  ),
  v.forward(
    v.partialCheck(
      [['STAGE'], ['ALLOWED_HOSTS']],
      (it) => it.STAGE === 'local' || it.ALLOWED_HOSTS.length > 0,
      'must list the API hosts',
    ),
    ['ALLOWED_HOSTS'],
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
    /** The one place where DEBUG and the dev flag meet. */
    devMode: it.DEBUG && it.SERVICE_DEV_AUTH,
    secure: it.STAGE === 'prod' || it.STAGE === 'staging',
  })),
)

export type Config = v.InferOutput<typeof Environment>
export type Rate = Config['RATE_TOKEN']

/** Reads the environment; fails with one message that names every missing or malformed variable. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const result = v.safeParse(Environment, environment)
  if (result.success) return result.output
  const faults = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'environment'} ${issue.message}`)
  throw new Error(`Configuration: ${[...new Set(faults)].join('; ')}.`)
}

export const config = parseConfig(await revealed(process.env))
