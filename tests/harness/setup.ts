import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { newAccessRecord, type Roles } from '../../deploy/access/judge.ts'
import { roleResources, rolesFor } from '../../deploy/access/local-roles.ts'
import { functionNames } from '../../deploy/function-names.ts'
import { buildDocuments } from '../../deploy/packages/shipped-documents.ts'
import { loadStack } from '../../deploy/stack.ts'
import { startS3 } from '../../deploy/stand-ins/s3.ts'
import { loadProjector } from '../../local/service/followers.ts'
import { makeQuickFolder } from './quick-folder.ts'
import { judgeRights, openRights } from './rights.ts'

/**
 * Runs once before all tests. Makes temporary directories and starts one S3 server on one of them. The workers of Vitest inherit their names
 * in the environment. Returns the function that stops the server and deletes the directories. Each test file starts its own emulator
 * (`own-emulator.ts`).
 */
export default async function setup(project?: TestProject): Promise<() => Promise<void>> {
  await buildDocuments(process.cwd())
  const { environment, table } = loadStack()
  const bucket = environment.BUCKET_NAME ?? ''
  const directory = await makeQuickFolder('test')
  const temporary = await mkdtemp(join(tmpdir(), 'heritage-tests-'))
  const resources = roleResources(functionNames())
  // Each test file has its own bucket, so the roles name that bucket.
  const rolesOf = new Map<string, Roles>()
  const access = {
    roles: (own: string) => {
      const roles = rolesOf.get(own) ?? rolesFor(resources, { table: 'none', bucket: own })
      rolesOf.set(own, roles)
      return roles
    },
    record: newAccessRecord(),
  }
  const roles = join(directory, 'roles.json')
  await writeFile(roles, JSON.stringify(resources))
  const buckets = join(directory, 's3')
  const files = await startS3({ port: 0, directory: buckets, bucket, access })
  Object.assign(process.env, {
    STAGE: 'local',
    // What a service leaves in the temporary folder for its next process, a snapshot of its search for example, goes with this run.
    TMPDIR: temporary,
    TABLE_FOLDER: directory,
    S3_ENDPOINT: files.endpoint,
    S3_FOLDER: buckets,
    BUCKET_NAME: bucket,
    // The rights of each function, and the files into which workers write what it used and was denied.
    ROLES: roles,
    ...openRights(directory),
    // Each file that opens its own table replaces this name. Without one, importing the configuration would fail.
    TABLE_NAME: 'test-none',
    TABLE_SHAPE: JSON.stringify(table),
    PROJECTOR_BATCH: String(loadProjector().batchSize),
    // Other test files use the processors, too.
    TABLE_TIMEOUT: '30',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    // Workers share the compiled code of packages, which saves each its own compilation.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(process.cwd(), '.build/compiled'),
  })
  return async () => {
    judgeRights(directory, access.record, await isWholeRun(project))
    await files.stop()
    await Promise.all([directory, temporary].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

/** Whether every test of the project has run: no file was left out, and no title. */
async function isWholeRun(project: TestProject | undefined): Promise<boolean> {
  if (!project || project.config.testNamePattern) return false
  const run = new Set(project.vitest.state.getFilepaths())
  const { testFiles } = await project.globTestFiles()
  return testFiles.every((file) => run.has(file))
}
