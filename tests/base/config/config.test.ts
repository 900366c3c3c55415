import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../lib/base/config.ts'

const local = { STAGE: 'local', TABLE_NAME: 'table' }
const key = '0123456789abcdef0123456789abcdef'
const prod = { ...local, STAGE: 'prod', SECRET_KEY: key, ALLOWED_HOSTS: 'api.example.org' }
const message = (environment: Record<string, string | undefined>) => {
  try {
    parseConfig(environment)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
}

describe('the configuration', () => {
  test('needs nothing but a table on one’s own machine', () => {
    expect(parseConfig(local)).toMatchObject({
      STAGE: 'local',
      TABLE_NAME: 'table',
      AWS_REGION: 'us-east-1',
      ALLOWED_HOSTS: [],
      CORS_ORIGINS: [],
      CACHE_URL: '',
      IDP_CLIENT_ID: '',
      RATE_TOKEN: { limit: 10, seconds: 60 },
      RATE_REGISTER: { limit: 5, seconds: 3600 },
      HOOK_PORTS: ['443', '8443'],
      METRICS_TOKEN: '',
      devMode: false,
      secure: false,
    })
  })

  test('names every fault in one message', () => {
    const faults = message({
      STAGE: 'production',
      SECRET_KEY_FALLBACKS: `${key},short`,
      IDP_CLIENT_ID: 'client',
      DYNAMODB_ENDPOINT: 'nowhere',
      RATE_TOKEN: 'often',
      LOG_LEVEL: 'loud',
    })
    expect(faults).toBe(
      'Configuration: STAGE must be local, dev, staging, prod or pr and a number; TABLE_NAME is missing; DYNAMODB_ENDPOINT must be a URL; RATE_TOKEN must look like 10/min (s, min, h, day); LOG_LEVEL must be debug, info or silent; SECRET_KEY_FALLBACKS each must have 32 bytes or more; IDP_USERINFO_URL is needed beside IDP_CLIENT_ID.',
    )
    // The faults of single members hide none of those of several.
    const production = message({ STAGE: 'prod', RATE_TOKEN: 'often' })
    for (const name of ['TABLE_NAME', 'RATE_TOKEN', 'SECRET_KEY', 'ALLOWED_HOSTS']) expect(production).toContain(name)
  })

  test('takes ports for hooks, and a token for metrics that is long enough', () => {
    expect(parseConfig({ ...local, HOOK_PORTS: '443,9443' }).HOOK_PORTS).toEqual(['443', '9443'])
    expect(message({ ...local, HOOK_PORTS: 'https' })).toContain('HOOK_PORTS must be ports')
    const token = 'a-token-of-its-own'
    expect(parseConfig({ ...local, METRICS_TOKEN: token }).METRICS_TOKEN).toBe(token)
    for (const METRICS_TOKEN of ['short', 'a token with blanks in it'])
      expect(message({ ...local, METRICS_TOKEN })).toContain('METRICS_TOKEN must have 16')
  })

  test('takes secrets of an edge that are long enough, two while it changes, and none by itself', () => {
    expect(parseConfig(local).EDGE_SECRET).toEqual([])
    expect(parseConfig({ ...local, EDGE_SECRET: `${key},${key}` }).EDGE_SECRET).toEqual([key, key])
    expect(message({ ...local, EDGE_SECRET: `${key},short` })).toContain('EDGE_SECRET each must have 32 characters')
  })

  test('in production needs a secret key and hosts, and says both at once', () => {
    const faults = message({ ...local, STAGE: 'prod' })
    expect(faults).toContain('SECRET_KEY must have 32 bytes or more')
    expect(faults).toContain('ALLOWED_HOSTS must list the API hosts')
    expect(message(prod)).toBeUndefined()
  })

  test.each(['dev', 'staging', 'prod', 'pr12'])('in %s does not fall back to the key of one’s own machine', (STAGE) => {
    expect(message({ ...prod, STAGE, SECRET_KEY: undefined })).toContain('SECRET_KEY')
    expect(message({ ...prod, STAGE, SECRET_KEY: '' })).toContain('SECRET_KEY')
    expect(parseConfig({ ...prod, STAGE }).SECRET_KEY).toBe(key)
  })

  test('writes debug lines for a share of calls', () => {
    const refused = 'Configuration: LOG_SAMPLE_RATE must be a share from 0 to 1.'
    expect(parseConfig(local)).toMatchObject({ LOG_LEVEL: 'info', LOG_SAMPLE_RATE: 0 })
    expect(parseConfig({ ...local, LOG_LEVEL: 'debug', LOG_SAMPLE_RATE: '0.01' })).toMatchObject({
      LOG_SAMPLE_RATE: 0.01,
    })
    for (const LOG_SAMPLE_RATE of ['1.1', '-1', '.5', 'all', ''])
      expect(message({ ...local, LOG_SAMPLE_RATE })).toBe(refused)
    expect(message({ ...local, LOG_LEVEL: 'loud' })).toBe('Configuration: LOG_LEVEL must be debug, info or silent.')
  })

  test('waits for the table at most half a minute', () => {
    const refused = 'Configuration: TABLE_TIMEOUT must be a whole number from 1 to 30.'
    expect(parseConfig(local).TABLE_TIMEOUT).toBe(2)
    expect(parseConfig({ ...local, TABLE_TIMEOUT: '30' }).TABLE_TIMEOUT).toBe(30)
    for (const TABLE_TIMEOUT of ['0', '31', '1.5', '']) expect(message({ ...local, TABLE_TIMEOUT })).toBe(refused)
  })

  test('lets a table be so large as an answer holds, and no larger', () => {
    const refused = 'Configuration: LARGEST_TABLE must be a whole number from 0 to 4000000.'
    expect(parseConfig(local).LARGEST_TABLE).toBe(4_000_000)
    expect(parseConfig({ ...local, LARGEST_TABLE: '0' }).LARGEST_TABLE).toBe(0)
    for (const LARGEST_TABLE of ['4000001', '-1', '1.5', 'all', ''])
      expect(message({ ...local, LARGEST_TABLE })).toBe(refused)
  })

  test('counts a key in bytes', () => {
    expect(message({ ...prod, SECRET_KEY: key.slice(1) })).toContain('SECRET_KEY must have 32 bytes')
    expect(message({ ...prod, SECRET_KEY: 'कखगघङचछजझञट' })).toBeUndefined()
    expect(message({ ...prod, SECRET_KEY_FALLBACKS: `${key},k` })).toContain('SECRET_KEY_FALLBACKS')
    expect(parseConfig({ ...prod, SECRET_KEY_FALLBACKS: ` ${key} ,${key}` }).SECRET_KEY_FALLBACKS).toEqual([key, key])
  })

  test.each(['k'.repeat(64), 'abcabcabcabcabcabcabcabcabcabcabcabc', 'heritageheritageheritageheritage'])(
    'refuses the key %s, which nobody drew at random',
    (SECRET_KEY) => {
      expect(message({ ...prod, SECRET_KEY })).toBe('Configuration: SECRET_KEY must be random.')
    },
  )

  test.each(['staging', 'prod'])('starts no %s with the means of development', (STAGE) => {
    expect(message({ ...prod, STAGE, DEBUG: 'true' })).toBe('Configuration: DEBUG must be off in this stage.')
    // Without DEBUG the other flag has no effect.
    expect(parseConfig({ ...prod, STAGE, SERVICE_DEV_AUTH: 'true' }).devMode).toBe(false)
  })

  test('starts dev mode on no stage of a pull request', () => {
    const pr = { ...prod, STAGE: 'pr12', DEBUG: 'true' }
    expect(message({ ...pr, SERVICE_DEV_AUTH: 'true' })).toBe(
      'Configuration: SERVICE_DEV_AUTH must be off in this stage.',
    )
    expect(parseConfig(pr).devMode).toBe(false)
  })

  test('starts nothing without a stage', () => {
    expect(message({ TABLE_NAME: 'table' })).toBe('Configuration: STAGE is missing.')
  })

  test('takes no host for any host where people outside call', () => {
    expect(message({ ...prod, ALLOWED_HOSTS: 'api.example.org,*' })).toContain('ALLOWED_HOSTS must list the API hosts')
  })

  test('never holds a secret in its message', () => {
    expect(
      message({ ...prod, SECRET_KEY: 'hunter2', SECRET_KEY_FALLBACKS: 'hunter2', TABLE_NAME: undefined }),
    ).not.toContain('hunter2')
  })

  test.each([
    ['true', 'true', true],
    ['1', 'yes', true],
    ['ON', ' True ', true],
    ['true', 'false', false],
    ['false', 'true', false],
    ['true', undefined, false],
    [undefined, 'true', false],
    ['enabled', 'true', false],
    ['0', '1', false],
  ])(
    'is in dev mode only with both flags: DEBUG=%s SERVICE_DEV_AUTH=%s gives %s',
    (DEBUG, SERVICE_DEV_AUTH, devMode) => {
      expect(parseConfig({ ...local, DEBUG, SERVICE_DEV_AUTH }).devMode).toBe(devMode)
    },
  )

  test.each([
    ['10/s', 10, 1],
    ['10/min', 10, 60],
    ['5/h', 5, 3600],
    ['50/day', 50, 86_400],
  ])('reads the rate %s', (RATE_TOKEN, limit, seconds) => {
    expect(parseConfig({ ...local, RATE_TOKEN }).RATE_TOKEN).toEqual({ limit, seconds })
  })

  test.each(['', '10', '10/week', '-1/min', '1.5/min', 'ten/min'])('refuses the rate %j', (RATE_TOKEN) => {
    expect(message({ ...local, RATE_TOKEN })).toContain('RATE_TOKEN must look like 10/min')
  })

  test('asks for the address of an identity provider that is switched on', () => {
    expect(message({ ...local, IDP_CLIENT_ID: 'client' })).toContain('IDP_USERINFO_URL is needed beside IDP_CLIENT_ID')
    expect(
      message({ ...local, IDP_CLIENT_ID: 'client', IDP_USERINFO_URL: 'https://idp.example.org/userinfo' }),
    ).toBeUndefined()
  })

  test.each([
    '',
    'https://search.example.org',
    'https://search.example.org/',
    'http://127.0.0.1:9200/heritage',
    'https://name:p%40ss@search.example.org/heritage_2-b/',
  ])('takes %j as a server of search', (SEARCH_URL) => {
    expect(parseConfig({ ...local, SEARCH_URL }).SEARCH_URL).toBe(SEARCH_URL)
  })
  test('has no server of search by itself', () => {
    expect(parseConfig(local).SEARCH_URL).toBe('')
  })
  test.each([
    ['search.example.org', 'must be a URL; SEARCH_URL must begin with https:// or http://'],
    ['ftp://search.example.org', 'must begin with https:// or http://'],
    ['https://search.example.org/one/two', 'must have one name of a-z 0-9 _ - as its path'],
    ['https://search.example.org/Heritage', 'must have one name of a-z 0-9 _ - as its path'],
    ['https://search.example.org/a,b', 'must have one name of a-z 0-9 _ - as its path'],
    ['https://search.example.org/*', 'must have one name of a-z 0-9 _ - as its path'],
  ])('refuses %j as a server of search', (SEARCH_URL, fault) => {
    expect(message({ ...local, SEARCH_URL })).toBe(`Configuration: SEARCH_URL ${fault}.`)
  })

  test('gives the assistant’s model between 1 and 25 seconds', () => {
    expect(parseConfig(local)).toMatchObject({ ASSISTANT_TIMEOUT: 20, ASSISTANT_BASE_URL: '' })
    expect(parseConfig({ ...local, ASSISTANT_TIMEOUT: '25' }).ASSISTANT_TIMEOUT).toBe(25)
    for (const ASSISTANT_TIMEOUT of ['0', '26', 'soon', '1.5'])
      expect(message({ ...local, ASSISTANT_TIMEOUT })).toContain(
        'ASSISTANT_TIMEOUT must be a whole number from 1 to 25',
      )
    expect(message({ ...local, ASSISTANT_BASE_URL: 'model' })).toContain('ASSISTANT_BASE_URL must be a URL')
  })
})
