import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccessRecord } from '../../deploy/access/judge.ts'
import { unusedUses, useOf } from '../../deploy/policies.ts'

/** Workers write each right that a function has used, and each that it was denied, as lines into these files of the directory. */
const USED = 'rights-used'
const DENIED = 'rights-denied'

/** Rights of rare moments, which tests do not meet for certain. `npm run rehearse` uses each of them. */
const rehearsed: ReadonlySet<string> = new Set([
  'asset-files dynamodb:BatchGetItem Table',
  'asset-files s3:ListBucket Bucket',
  'health dynamodb:PutItem Table',
  'imports s3:PutObject Bucket/uploads/*',
  'merger s3:GetObject Bucket/assets/*',
  'merger s3:GetObject Bucket/snapshots/*',
  'merger s3:PutObject Bucket/pictures/*',
  'merger s3:ListBucket Bucket',
  'ocr s3:ListBucket Bucket',
  'profile-images s3:ListBucket Bucket',
  'projector s3:ListBucket Bucket',
  'projects s3:GetObject Bucket/thumbnails/*',
  'projects s3:ListBucket Bucket',
  'reviews s3:ListBucket Bucket',
  'sweeper s3:DeleteObject Bucket/graph/*',
  'sweeper s3:DeleteObject Bucket/pictures/*',
  'sweeper s3:DeleteObject Bucket/uploads/*',
  'webhooks dynamodb:BatchGetItem Table',
])

/** Makes the files of a run, and returns their directory as a variable that the workers inherit. */
export function openRights(directory: string): { RIGHTS: string } {
  for (const file of [USED, DENIED]) writeFileSync(join(directory, file), '')
  return { RIGHTS: directory }
}

/** Notes that a function has used a right. Each process notes it once. */
export function noteUse(signer: string, action: string, resource: string): void {
  const line = `${signer} ${useOf(action, resource)}`
  if (noted.has(line)) return
  noted.add(line)
  append(USED, line)
}
const noted = new Set<string>()

export const noteDenial = (signer: string, action: string, resource: string): void =>
  append(DENIED, `${signer} ${action} ${resource}`)

function append(file: string, line: string): void {
  if (process.env.RIGHTS) appendFileSync(join(process.env.RIGHTS, file), `${line}\n`)
}

/**
 * Fails the run if a function was denied a right, even if the function went on without it. With `isWhole`, all tests have run: then it
 * also fails if no test has used a right of `deploy/policies.ts`. `record` is that of the bucket's gate.
 */
export function judgeRights(directory: string, record: AccessRecord, isWhole: boolean): void {
  const linesOf = (file: string) => readFileSync(join(directory, file), 'utf8').split('\n').filter(Boolean)
  const usedOfBucket = [...record.used].map((it) => {
    const [signer = '', action = '', resource = ''] = it.split(' ')
    return `${signer} ${useOf(action, resource)}`
  })
  const used = new Set([...linesOf(USED), ...usedOfBucket])
  complain('Denied by roles (add the right to the row of the function in deploy/policies.ts)', [
    ...record.denied,
    ...linesOf(DENIED),
  ])
  const unused = unusedUses(used).filter((right) => !rehearsed.has(right))
  if (isWhole) complain('Granted by deploy/policies.ts, and used by no test', unused)
}

function complain(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return
  console.error(`${title}:\n${[...new Set(lines)].sort().join('\n')}`)
  process.exitCode = 1
}
