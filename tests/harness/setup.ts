import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDocuments } from '../../local/deploy/shipped-documents.ts'
import { loadStack } from '../../local/deploy/stack.ts'
import { startEmulator } from '../../local/service/emulator.ts'
import { freePort } from '../../local/service/ports.ts'
import { startS3 } from '../../local/service/s3.ts'

/** Once for a whole run: one emulator and one S3 server on a temporary directory. The workers inherit the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  await buildDocuments(process.cwd())
  const bucket = loadStack().environment.BUCKET_NAME ?? ''
  const directory = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'heritage-test-'))
  const files = await startS3({ port: 0, directory: join(directory, 's3'), bucket })
  const outside = process.env.DYNAMODB_ENDPOINT
  const emulator = outside
    ? undefined
    : await startEmulator({ port: await freePort(), file: join(directory, 'dynamodb.sqlite') })
  Object.assign(process.env, {
    STAGE: 'local',
    DYNAMODB_ENDPOINT: outside ?? emulator?.endpoint,
    S3_ENDPOINT: files.endpoint,
    BUCKET_NAME: bucket,
    // Replaced by every file that opens a table of its own; here so that importing the configuration never fails.
    TABLE_NAME: 'test-none',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    // Searches see what has been projected, at once.
    SEARCH_LOOK_MS: '0',
    // What one worker has compiled of the packages, the next ones take over.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(process.cwd(), '.build/compiled'),
  })
  return async () => {
    await emulator?.stop()
    await files.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** A file system in memory, where there is one: every write of the emulator waits for the disk. */
const MEMORY = '/dev/shm'
