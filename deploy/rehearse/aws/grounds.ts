import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccessRecord, Roles } from '../../access/judge.ts'
import { type Meddle, startTableGate } from '../../access/table-gate.ts'
import { rolesIn } from '../../access/template.ts'
import { root } from '../../root.ts'
import { loadStack } from '../../stack.ts'
import { writeStage } from '../../stages.ts'
import { startEmulator } from '../../stand-ins/emulator.ts'
import { freePort } from '../../stand-ins/free-port.ts'
import { startMailCatcher } from '../../stand-ins/mail-catcher.ts'
import { startS3 } from '../../stand-ins/s3.ts'
import { createTable } from '../../stand-ins/table.ts'
import { type GatewayRoute, RehearsedStack } from '../template.ts'
import { startParameters } from './parameters.ts'

/** The identity that the mail service has verified. */
const IDENTITY = 'letters.invalid'

/** What an operator would say in the file of the stage, such as the origins of browsers and the identity provider. */
const settingsFor = (idp: string) => ({
  corsOrigins: ['http://localhost:3000'],
  // An edge stands before the gateway. The stand-in of the gateway plays it, too.
  edge: true,
  largeParts: true,
  domain: 'localhost',
  certificate: 'arn:aws:acm:us-east-1:000000000000:certificate/rehearsal',
  extraHosts: ['localhost'],
  // No list fits into an answer, so every list as a table goes to the bucket.
  largestTable: '0',
  reviewWebhookUrl: 'https://reviews.invalid/hook',
  lettersSender: `Heritage <letters@${IDENTITY}>`,
  lettersIdentity: IDENTITY,
  idpClientId: 'heritage-local',
  idpIssuer: idp,
  idpUserinfoUrl: `${idp}/userinfo`,
  idpTokeninfoUrl: `${idp}/introspection`,
  idpJwksUrl: `${idp}/jwks`,
})

/** Packages a stage, from its sources, and reads the template. `folder` gets the file of the stage. */
export async function packageStage(stage: string, idp: string, folder: string): Promise<RehearsedStack> {
  const directory = join('.build/rehearsal', stage)
  writeStage(stage, folder, settingsFor(idp))
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/serverless/bin/serverless.js'), 'package', '--stage', stage, '--package', directory],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, BUNDLES: 'kept', STAGE_FILES: folder },
    },
  )
  return new RehearsedStack(
    JSON.parse(await readFile(join(root, directory, 'cloudformation-template-update-stack.json'), 'utf8')),
  )
}

export type Access = { roles: Roles; record: AccessRecord; meddle: Meddle }
/** What has to be stopped at the end, in reverse order. */
export type Ending = (() => unknown)[]

/** Starts the stand-ins for AWS: table, bucket, parameters and mail, each with the roles of the template. */
export async function raiseGrounds(
  stack: RehearsedStack,
  folder: string,
  { roles, record, meddle }: Access,
  ending: Ending,
) {
  const emulator = await startEmulator({ port: await freePort(), file: join(folder, 'dynamodb.sqlite') })
  ending.push(emulator.stop)
  const table = { endpoint: emulator.endpoint, name: String(stack.properties('Table').TableName) }
  await createTable(table.endpoint, table.name, loadStack().table)
  const gate = await startTableGate(table.endpoint, roles, record, meddle)
  ending.push(gate.stop)
  const name = String(stack.properties('Bucket').BucketName)
  const access = { roles: () => roles, record }
  const files = await startS3({ port: 0, directory: join(folder, 's3'), bucket: name, access })
  ending.push(files.stop)
  const secrets = new Map<string, string>()
  const secretOf = (path: string): string | undefined => {
    if (path.endsWith('-fallbacks')) return undefined
    if (!secrets.has(path)) secrets.set(path, randomBytes(32).toString('hex'))
    return secrets.get(path)
  }
  const parameters = await startParameters(roles, record, secretOf)
  ending.push(parameters.stop)
  const mail = await startMailCatcher({ identity: IDENTITY, access })
  ending.push(mail.stop)
  return { table, gate, bucket: { name, endpoint: files.endpoint }, parameters, mail, secretOf }
}

type Grounds = Awaited<ReturnType<typeof raiseGrounds>>

/**
 * The variables of a rehearsed function besides its own: what Lambda would add, and the addresses of the stand-ins. The access key id is the
 * function's name. By it its role is found.
 */
export function surroundings(
  name: string,
  { gate, bucket, parameters, mail }: Grounds,
  lambda: string,
): NodeJS.ProcessEnv {
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: name,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: 'session',
    AWS_ENDPOINT_URL_DYNAMODB: gate.endpoint,
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
    AWS_ENDPOINT_URL_SSM: parameters.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda,
    AWS_ENDPOINT_URL_SESV2: mail.endpoint,
    // The S3 emulator does not read trailing checksums.
    AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
  }
}

/** The roles of functions, by the function's name. The gateway's roles are under their own names. */
export function rolesOf(stack: RehearsedStack): Roles {
  const byName = new Map(stack.functions().map(({ name, role }) => [name, role]))
  for (const name of stack.routes().map(roleIn)) byName.set(name, name)
  for (const { document } of stack.restApis())
    for (const [name = ''] of JSON.stringify(document).matchAll(/(?<="credentials":"arn:aws:iam::\d+:role\/)[^"]+/g))
      byName.set(name, name)
  return rolesIn([...byName.keys()], (name) => byName.get(name) ?? '', stack.resources)
}

export function roleIn({ role }: GatewayRoute): string {
  return role.split('/').at(-1) ?? ''
}

/** Makes the seeded users, with the rights of the account's owner. */
export async function people({ table, bucket }: Grounds): Promise<void> {
  Object.assign(process.env, {
    STAGE: 'local',
    TABLE_NAME: table.name,
    BUCKET_NAME: bucket.name,
    LOG_LEVEL: 'silent',
    ALLOWED_HOSTS: '',
    DYNAMODB_ENDPOINT: table.endpoint,
    S3_ENDPOINT: bucket.endpoint,
  })
  const { seedUsers } = await import('../../stand-ins/users.ts')
  await seedUsers()
}
