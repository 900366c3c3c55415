import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releasedFunctions } from '../../deploy/releases.ts'
import { writeStage } from '../../deploy/stages.ts'
import { ACCOUNT, type Cloud, openCloud } from '../harness/cloud.ts'

const run = promisify(execFile)
let cloud: Cloud
beforeAll(async () => {
  cloud = await openCloud()
})
afterAll(async () => {
  await cloud.stop()
  await rm('.build/deploy/prod', { recursive: true, force: true })
})

type Printed = { code: number; said: string }

/** `npm run deploy -- --stage prod` in an account that is the stand-in, with these settings in the file of the stage. */
const deploy = (settings: object = {}, ...options: string[]) =>
  command('deploy', 'prod', settings, options.includes('--canary') ? options : [...options, '--canary', '0'])

/** Runs a command in an account that is the stand-in. Answers its exit code and what it printed. */
async function command(name: string, stage: string, settings: object = {}, options: string[] = []): Promise<Printed> {
  const files = '.build/deploy/stage-files'
  writeStage(stage, files, settings)
  const { AWS_PROFILE: _, DYNAMODB_ENDPOINT: __, S3_ENDPOINT: ___, ...own } = process.env
  const account = {
    AWS_ENDPOINT_URL: cloud.endpoint,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'us-east-1',
    SLS_AWS_MONITORING_FREQUENCY: '50',
    // They are made where their sources have changed.
    BUNDLES: 'kept',
  }
  try {
    const { stdout, stderr } = await run(process.execPath, [`deploy/${name}.ts`, '--stage', stage, ...options], {
      env: { ...own, ...account, STAGE_FILES: files },
      maxBuffer: 10_000_000,
    })
    return { code: 0, said: stdout + stderr }
  } catch (error) {
    const { code = -1, stdout = '', stderr = '' }: { code?: number; stdout?: string; stderr?: string } = Object(error)
    return { code, said: stdout + stderr }
  }
}

const PARAMETERS = ['secret-key', 'secret-key-fallbacks', 'webhook-secret'].map((name) => `/heritage-prod/${name}`)
/** Settings that a stage may have. */
const more = { idpClientId: 'heritage', idpIssuer: 'https://id.example.org', alarmEmail: 'operator@example.org' }
const BUCKET = `AWS::S3::Bucket heritage-prod-files-${ACCOUNT}`

test('an account that lacks everything is told so, a line each, and nothing is made in it', {
  timeout: 600_000,
}, async () => {
  cloud.concurrency = 10
  cloud.names.add('AWS::DynamoDB::Table heritage-prod').add(BUCKET).add('AWS::Lambda::Function heritage-prod-ocr')
  cloud.names.add('AWS::Logs::LogGroup /aws/lambda/heritage-prod')
  const arn = 'arn:aws:acm:us-east-1:000000000000:certificate/x'
  cloud.certificates.set(arn, { Status: 'ISSUED', SubjectAlternativeNames: ['other.example.org'] })
  const letters = { lettersSender: 'Heritage <letters@example.org>', lettersIdentity: 'example.org' }
  const { code, said } = await deploy({ domain: 'api.example.org', certificate: arn, ...letters })
  expect(code).toBe(1)
  const lines = said.slice(said.indexOf('Not deployed.')).trim().split('\n').slice(1)
  expect(lines.map((line) => line.replace(/:.*/s, '').replace(/,.*/s, ''))).toEqual([
    ...PARAMETERS.toSorted().map((name) => `The parameter ${name} is missing`),
    'The account lets 10 functions run at once',
    'The certificate arn',
    'The identity example.org is not verified for letters',
    'The account may send letters to verified addresses only',
    'The table heritage-prod is there already and not in the stack',
    `The bucket heritage-prod-files-${ACCOUNT} is there already and not in the stack`,
    'The function heritage-prod-ocr is there already and not in the stack',
    'The log group /aws/lambda/heritage-prod is there already and not in the stack',
  ])
  expect(cloud.stacks.size).toBe(0)
  Object.assign(cloud, { concurrency: 1000 })
  cloud.names.clear()
})

test('a first deployment that fails in the middle can be repeated, and then the table is protected', {
  timeout: 600_000,
}, async () => {
  for (const name of PARAMETERS) cloud.parameters.add(name)
  // It comes after the table and the bucket.
  cloud.failing = 'BucketPolicy'
  const first = await deploy()
  expect(first.code).toBe(1)
  expect(first.said).toContain('BucketPolicy')
  const stack = cloud.stacks.get('heritage-prod')
  expect(stack?.events.map((it) => `${it.logical} ${it.status}`)).toContain('Table DELETE_COMPLETE')
  // The bucket for packages, with which the stack began, is all that is left.
  expect([stack?.status, [...cloud.names].filter((it) => !it.includes('deploymentbucket'))]).toEqual([
    'UPDATE_ROLLBACK_COMPLETE',
    [],
  ])

  const second = await deploy(more)
  expect([second.code, second.code === 0 ? '' : second.said]).toEqual([0, ''])
  expect(stack?.status).toBe('UPDATE_COMPLETE')
  expect(cloud.names).toContain('AWS::DynamoDB::Table heritage-prod')
  const table = stack?.resources.get('Table')
  expect([table?.DeletionPolicy, table?.Properties?.DeletionProtectionEnabled]).toEqual(['RetainExceptOnCreate', true])
  // In a second step: while it was made it could be removed.
  const begun = stack?.events.flatMap((it) => (it.logical === 'Table' ? [it.status] : []))
  expect(begun?.slice(-2)).toEqual(['CREATE_COMPLETE', 'UPDATE_COMPLETE'])
})

test('a deployment that would take something away says what, and goes on only when it is told to', {
  timeout: 600_000,
}, async () => {
  const stack = cloud.stacks.get('heritage-prod')
  expect(stack?.resources.has('AlarmEmail')).toBe(true)
  const lost = await deploy()
  expect(lost.code).toBe(1)
  expect(lost.said.slice(lost.said.indexOf('Not deployed.')).trim().split('\n')).toEqual([
    'Not deployed.',
    'AlarmEmail (who is told of alarms) would be removed.',
    'NoticeEmail (who is told of alarms) would be removed.',
    'The setting IDP_CLIENT_ID would become empty. It is heritage.',
    'The setting IDP_ISSUER would become empty. It is https://id.example.org.',
    'To deploy it all the same, say --yes.',
  ])
  expect(stack?.resources.has('AlarmEmail')).toBe(true)

  expect((await deploy({}, '--yes')).code).toBe(0)
  expect(stack?.resources.has('AlarmEmail')).toBe(false)
})

test('a release is tried by a tenth of the requests; an alarm takes it back; and a rollback moves the alias', {
  timeout: 600_000,
}, async () => {
  const names = releasedFunctions('heritage-prod')
  const live = () => names.map((name) => cloud.releases.get(name)?.aliases.get('live')?.FunctionVersion)
  const trialsOf = (name: string) => cloud.releases.get(name)?.weights ?? []
  const before = live()
  expect(before).not.toContain(undefined)
  const trials = trialsOf('heritage-prod-records').length

  // While it is tried, an alarm begins to ring.
  const ringing = setInterval(() => {
    if (trialsOf('heritage-prod-records').length > trials) cloud.ringing.add('heritage-prod-Faults')
  }, 20)
  cloud.ringing.add('heritage-prod-Slow')
  const refused = await deploy({ exportLicence: 'CC0-1.0' }, '--canary', '3')
  clearInterval(ringing)
  expect(refused.code).toBe(1)
  expect(refused.said).toContain('A tenth of the requests tries')
  expect(refused.said).toContain('The stack is deployed, but all requests go to the versions of before.')
  // That Slow rings already before the trial says nothing of the release.
  expect(refused.said).toContain('The alarm heritage-prod-Faults rang.')
  expect(refused.said).not.toContain('The alarm heritage-prod-Slow rang.')
  expect(live()).toEqual(before)
  const alias = cloud.releases.get('heritage-prod-records')?.aliases.get('live')
  expect(alias?.RoutingConfig?.AdditionalVersionWeights).toEqual({})
  expect(trialsOf('heritage-prod-records').slice(trials)).toEqual([0.1])

  // Without an alarm all requests reach it in the end.
  cloud.ringing.clear()
  const taken = await deploy({ exportLicence: 'CC-BY-4.0' }, '--canary', '0.5')
  expect([taken.code, taken.code === 0 ? '' : taken.said]).toEqual([0, ''])
  const after = live()
  expect(after.filter((version, i) => version === before[i])).toEqual([])

  const listed = (await command('rollback', 'prod')).said.trim().split('\n')
  expect(listed[0]).toMatch(/^\d{4}-\d\d-\d\dT.*\(live\)$/)
  const first = listed.at(-1) ?? ''
  const back = await command('rollback', 'prod', {}, ['--to', first])
  expect([back.code, back.said]).toEqual([0, `${names.length} functions answer as in ${first} again.\n`])
  expect(new Set(live())).toEqual(new Set(['1']))
  expect(await command('rollback', 'prod', {}, ['--to', '1999'])).toEqual({
    code: 1,
    said: 'Nothing was changed. There is no release 1999.\n',
  })
})

test('a deployment that changes nothing starts all functions anew, so that they read a changed secret', {
  timeout: 600_000,
}, async () => {
  const published = () =>
    releasedFunctions('heritage-prod').map((name) => cloud.releases.get(name)?.versions.at(-1)?.Version)
  const stack = cloud.stacks.get('heritage-prod')
  const functions = () =>
    [...(stack?.resources.values() ?? [])].filter((it) => it.Type === 'AWS::Lambda::Function').map(variablesOf)
  const [before, had] = [published(), functions()]
  const { code, said } = await deploy({ exportLicence: 'CC-BY-4.0' })
  expect([code, code === 0 ? '' : said]).toEqual([0, ''])
  expect(published().filter((version, i) => version === before[i])).toEqual([])
  // Workers, which have no versions, too.
  expect(functions().filter((it) => had.includes(it))).toEqual([])
})
const variablesOf = (it: { Properties?: object }) => JSON.stringify(Object(it.Properties).Environment)

test('the stage of a pull request is made and removed by one command each; no other stage is removed', {
  timeout: 600_000,
}, async () => {
  for (const name of PARAMETERS) cloud.parameters.add(name.replace('-prod', '-pr'))
  const before = [...cloud.names]
  const made = await command('deploy', 'pr12')
  expect([made.code, made.code === 0 ? '' : made.said]).toEqual([0, ''])
  expect(cloud.names).toContain('AWS::DynamoDB::Table heritage-pr12')
  cloud.objects.set(`heritage-pr12-files-${ACCOUNT}/assets/1`, Buffer.from('x'))

  expect(await command('remove', 'prod')).toMatchObject({ code: 1, said: expect.stringContaining('Not removed.') })
  const gone = await command('remove', 'pr12')
  expect([gone.code, gone.code === 0 ? '' : gone.said]).toEqual([0, ''])
  expect([...cloud.names]).toEqual(before)
  expect([...cloud.objects.keys()].filter((key) => key.includes('pr12'))).toEqual([])
  // Safe to repeat.
  expect((await command('remove', 'pr12')).code).toBe(0)
})
