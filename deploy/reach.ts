import { readFile } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { build, type Metafile, stop } from 'esbuild'
import { foldersOf } from './folders.ts'
import { withoutAnswers } from './without-answers.ts'

/**
 * What each function's code can ask of the table and the bucket, as `action resource`. A test compares `policies.ts` with it.
 *
 * 1. esbuild bundles the function's file and drops code that is never called.
 * 2. What is left is searched for commands of DynamoDB, and for calls of the bucket.
 *
 * Throws for a command that is not known here, and for a call of the bucket whose folder folders.ts does not name.
 */
export async function reachOf(root: string, names: readonly string[]): Promise<Map<string, string[]>> {
  const origins = await originsOf(root, names)
  return new Map([...origins].map(([name, uses]) => [name, [...uses.keys()].sort()]))
}

/** The same, and for each use the files whose code asks for it. */
export async function originsOf(root: string, names: readonly string[]): Promise<Map<string, Origins>> {
  const bundles = await bundleEntries(
    root,
    names.map((name) => `functions/${name}.ts`),
  )
  const reached = await Promise.all(
    [...bundles].map(
      async ([file, sections]): Promise<[string, Origins]> => [basename(file, '.ts'), await usesIn(root, sections)],
    ),
  )
  return new Map(reached)
}

/** What it takes to identify the caller, which all functions behind the gateway do. */
export async function identifyingReach(root: string): Promise<string[]> {
  const [sections = new Map()] = (await bundleEntries(root, ['lib/platform/auth/actor.ts'])).values()
  return [...(await usesIn(root, sections)).keys()].sort()
}

type Origins = ReadonlyMap<string, readonly string[]>
/** The code of a bundle, by the source file that it comes from. */
type Sections = ReadonlyMap<string, string>

async function bundleEntries(root: string, entries: readonly string[]): Promise<Map<string, Sections>> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries],
    outdir: 'reach',
    outbase: '.',
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    packages: 'external',
    logLevel: 'silent',
    plugins: [withoutAnswers],
  })
  // Otherwise esbuild's helper process goes on.
  await stop()
  return new Map(
    outputFiles.map(({ path, text }) => [
      entryOf(metafile, posix.join('reach', path.split('/reach/')[1] ?? '')),
      sectionsOf(text),
    ]),
  )
}

const entryOf = ({ outputs }: Metafile, file: string): string => outputs[file]?.entryPoint ?? ''

/** esbuild writes each file's name as a comment above what is left of its code. */
function sectionsOf(text: string): Sections {
  const sections = new Map<string, string>()
  const [, ...rest] = text.split(/^\/\/ ((?:lib|functions)\/\S+\.ts)$/m)
  for (let i = 0; i + 1 < rest.length; i += 2) sections.set(rest[i] ?? '', rest[i + 1] ?? '')
  return sections
}

async function usesIn(root: string, sections: Sections): Promise<Origins> {
  const uses = new Map<string, string[]>()
  for (const [file, text] of sections) {
    const asked = [...(file === BLOBS ? [] : tableUses(file, text)), ...(await bucketUses(root, file, text))]
    for (const use of new Set(asked)) uses.set(use, [...(uses.get(use) ?? []), file])
  }
  return uses
}

/** The code that asks for each right to the table. A transaction needs the rights of its parts. */
const marks: Readonly<Record<string, RegExp>> = {
  'dynamodb:GetItem Table': /new GetCommand\(/,
  'dynamodb:BatchGetItem Table': /new BatchGetCommand\(/,
  'dynamodb:PutItem Table': /new PutCommand\(|\bPut: \{/,
  'dynamodb:UpdateItem Table': /new UpdateCommand\(|\bUpdate: \{/,
  'dynamodb:DeleteItem Table': /new DeleteCommand\(|\bDelete: \{/,
  'dynamodb:ConditionCheckItem Table': /\bConditionCheck: \{/,
  'dynamodb:BatchWriteItem Table': /new BatchWriteCommand\(/,
  // A query names an index or queries the table itself. The name of the index is data, so all indexes are granted together.
  'dynamodb:Query Table': /^(?!.*\bIndexName\b).*new QueryCommand\(/s,
  'dynamodb:Query Table/index': /\bIndexName\b/,
  'dynamodb:Scan Table': /new ScanCommand\(/,
}
/** Commands that need no right of their own here: `TransactWrite` needs those of its parts, the others are granted in roles.ts. */
const composed = ['TransactWrite', 'Invoke', 'SendEmail']

function tableUses(file: string, text: string): string[] {
  const parts = statementsIn(text)
  const found = Object.keys(marks).filter((use) => parts.some((it) => marks[use]?.test(it)))
  for (const [, command = ''] of text.matchAll(/new (\w+)Command\(/g)) {
    const known =
      composed.includes(command) || Object.values(marks).some((mark) => mark.source.includes(`new ${command}Command`))
    if (!known) throw new Error(`${file} sends ${command}: say in deploy/reach.ts which right it takes.`)
  }
  return found
}

/** Splits a file into its top-level statements. esbuild puts a dynamically imported file into a function, indented by four spaces. */
function statementsIn(text: string): string[] {
  const outer = text.split(/^(?=\S.*[{([]$|(?:async )?function|var |let |const |class )/m)
  return outer.flatMap((it) => (/= __esm\(/.test(it) ? it.split(/^(?= {4}\S.*[^,;]$)/m) : [it]))
}

/** The module that speaks to the bucket, and the one that stores through it. */
const BLOBS = 'lib/engines/bucket/blobs.ts'
const ADMIT = 'lib/engines/media/admit.ts'

/** Reading needs the right to list too: without it S3 answers 403 for a missing object, not 404. */
const reading = ['s3:GetObject', 's3:ListBucket']
/** The rights that each function of the bucket needs. A copy has two folders: `from` is read, `to` is written. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  getObject: reading,
  streamObject: reading,
  objectSize: reading,
  createLinks: ['s3:GetObject'],
  putObject: ['s3:PutObject'],
  putFile: ['s3:PutObject'],
  putStream: ['s3:PutObject'],
  startUpload: ['s3:PutObject'],
  uploadForm: ['s3:PutObject'],
  storeFile: ['s3:PutObject'],
  copyObject: ['s3:GetObject from', 's3:PutObject to'],
  deleteObject: ['s3:DeleteObject'],
  listKeys: ['s3:ListBucket'],
  pingBucket: ['s3:ListBucket'],
}

/** What a file asks of the bucket: the functions that its source imports and that its code in the bundle still calls. */
async function bucketUses(root: string, file: string, text: string): Promise<string[]> {
  if (file === ADMIT) return []
  const source = await readFile(join(root, file), 'utf8')
  return importsFrom(source)
    .filter((verb) => new RegExp(`\\b${verb}\\d*\\(`).test(text))
    .flatMap((verb) => {
      const actions = verbs[verb]
      if (!actions) throw new Error(`${file} calls ${verb}: say in deploy/reach.ts which right it takes.`)
      return actions.flatMap((each) => {
        const [action = '', side] = each.split(' ')
        if (action === 's3:ListBucket') return [`${action} Bucket`]
        return foldersOf(file, side ? `${verb} ${side}` : verb).map((folder) => `${action} Bucket/${folder}/*`)
      })
    })
}

/** What a file imports from the bucket, and `storeFile`, which the media engine has. */
function importsFrom(source: string): string[] {
  const named = (modules: string) =>
    [...source.matchAll(new RegExp(`^import \\{([^}]*)\\} from '[^']*/(?:${modules})\\.ts'`, 'gm'))].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim()),
    )
  const ofBucket = named('blobs|bucket/index').filter((name) => name !== '' && !name.startsWith('type '))
  const kept = named('admit|media/index').filter((name) => name === 'storeFile')
  return [...new Set([...ofBucket, ...kept])].filter((name) => !notes.includes(name))
}
/** What the bucket's entry exports and that calls the table, not the bucket: it records loose files. */
const notes: readonly string[] = ['withFile', 'storeInUnit', 'forgetLooseFile', 'markLoose', 'sweepLooseFiles']
