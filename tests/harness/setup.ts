import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newAccessRecord, type Roles } from '../../deploy/access/judge.ts'
import { roleResources, rolesFor } from '../../deploy/access/local-roles.ts'
import { buildDocuments } from '../../deploy/shipped-documents.ts'
import { loadStack } from '../../deploy/stack.ts'
import { startEmulator } from '../../deploy/stand-ins/emulator.ts'
import { freePort } from '../../deploy/stand-ins/free-port.ts'
import { startS3 } from '../../deploy/stand-ins/s3.ts'
import { loadProjector } from '../../local/service/followers.ts'
import { functionNames } from './functions.ts'
import { quickFolder } from './quick-folder.ts'

/** Once for a whole run: one emulator and one S3 server on a temporary directory. The workers inherit the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  await buildDocuments(process.cwd())
  const { environment, table } = loadStack()
  const bucket = environment.BUCKET_NAME ?? ''
  const directory = await mkdtemp(join(quickFolder, 'heritage-test-'))
  const resources = roleResources(functionNames())
  // Every file has a bucket of its own.
  const rolesOf = new Map<string, Roles>()
  const access = {
    roles: (own: string) => {
      const roles = rolesOf.get(own) ?? rolesFor(resources, { table: 'none', bucket: own })
      rolesOf.set(own, roles)
      return roles
    },
    record: newAccessRecord(),
  }
  const [roles, denials] = [join(directory, 'roles.json'), join(directory, 'denials')]
  await writeFile(roles, JSON.stringify(resources))
  await writeFile(denials, '')
  const buckets = join(directory, 's3')
  const files = await startS3({ port: 0, directory: buckets, bucket, access })
  const outside = process.env.DYNAMODB_ENDPOINT
  const emulator = outside
    ? undefined
    : await startEmulator({ port: await freePort(), file: join(directory, 'dynamodb.sqlite') })
  Object.assign(process.env, {
    STAGE: 'local',
    DYNAMODB_ENDPOINT: outside ?? emulator?.endpoint,
    S3_ENDPOINT: files.endpoint,
    S3_FOLDER: buckets,
    BUCKET_NAME: bucket,
    // What each function may do, and where workers note what it was denied.
    ROLES: roles,
    DENIALS: denials,
    // Replaced by every file that opens a table of its own; here so that importing the configuration never fails.
    TABLE_NAME: 'test-none',
    TABLE_SHAPE: JSON.stringify(table),
    PROJECTOR_BATCH: String(loadProjector().batchSize),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    // Searches see what has been projected, at once.
    SEARCH_LOOK_MS: '0',
    // What one worker has compiled of the packages, the next ones take over.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(process.cwd(), '.build/compiled'),
  })
  return async () => {
    complain([...access.record.denied, ...(await readFile(denials, 'utf8')).split('\n').filter(Boolean)])
    await emulator?.stop()
    await files.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** A function that was denied something fails the run, also where it went on without. */
function complain(denied: readonly string[]): void {
  if (denied.length === 0) return
  console.error(`Denied by roles:\n${[...new Set(denied)].join('\n')}`)
  process.exitCode = 1
}
