import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { build, type Metafile, stop } from 'esbuild'
import { foldersOf } from './folders.ts'
import { unlessFresh } from './fresh.ts'

/**
 * What each function can come to ask of the table and the bucket, as `action resource`, from its code alone: whatever is
 * left of `functions/NAME.ts` when esbuild has dropped what nothing in it leads to. Fails where code calls the bucket and
 * folders.ts does not say in which folder, and where it sends a command that is not known here.
 */
export async function reachOf(root: string, names: readonly string[]): Promise<Map<string, string[]>> {
  const origins = await originsOf(root, names)
  return new Map([...origins].map(([name, uses]) => [name, [...uses.keys()].sort()]))
}

/** The same, each use with the files whose code asks for it. */
export async function originsOf(root: string, names: readonly string[]): Promise<Map<string, Origins>> {
  const bundles = await bundled(
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

/** What it takes to find out who is calling, from the pipeline that all functions behind the gateway share. */
export async function identifyingReach(root: string): Promise<string[]> {
  const [sections = new Map()] = (await bundled(root, ['lib/auth/actor.ts'])).values()
  return [...(await usesIn(root, sections)).keys()].sort()
}

type Reach = { functions: Map<string, string[]>; identifying: string[] }

/** What some functions can come to ask, and what finding out who is calling takes; kept until code changes. */
export async function keptReach(root: string, names: readonly string[]): Promise<Reach> {
  const made = { root, sources: ['functions', 'lib', 'local', 'package-lock.json'], mark: '.build/reach.json' }
  const file = join(root, made.mark)
  await unlessFresh(made, async () => {
    const all = (await readdir(join(root, 'functions'))).filter((it) => it.endsWith('.ts'))
    const functions = [
      ...(await reachOf(
        root,
        all.map((it) => basename(it, '.ts')),
      )),
    ]
    await writeFile(file, JSON.stringify({ functions, identifying: await identifyingReach(root) }))
  })
  const kept: { functions: [string, string[]][]; identifying: string[] } = JSON.parse(await readFile(file, 'utf8'))
  return { ...kept, functions: new Map(kept.functions.filter(([name]) => names.includes(name))) }
}

type Origins = ReadonlyMap<string, readonly string[]>
/** The parts of a bundle by the file that they come from. */
type Sections = ReadonlyMap<string, string>

async function bundled(root: string, entries: readonly string[]): Promise<Map<string, Sections>> {
  const { outputFiles, metafile } = await build({
    ...{ absWorkingDir: root, entryPoints: [...entries], outdir: 'reach', outbase: '.', write: false, metafile: true },
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node24', packages: 'external', logLevel: 'silent' },
  })
  // Its helper process would stay.
  await stop()
  return new Map(
    outputFiles.map(({ path, text }) => [
      entryOf(metafile, posix.join('reach', path.split('/reach/')[1] ?? '')),
      sectionsOf(text),
    ]),
  )
}

const entryOf = ({ outputs }: Metafile, file: string): string => outputs[file]?.entryPoint ?? ''

/** esbuild writes the name of each file above what is left of it. */
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

/** How a statement says what it asks of the table; a transaction needs the rights of its parts. */
const marks: Readonly<Record<string, RegExp>> = {
  'dynamodb:GetItem Table': /new GetCommand\(/,
  'dynamodb:BatchGetItem Table': /new BatchGetCommand\(/,
  'dynamodb:PutItem Table': /new PutCommand\(|\bPut: \{/,
  'dynamodb:UpdateItem Table': /new UpdateCommand\(|\bUpdate: \{/,
  'dynamodb:DeleteItem Table': /new DeleteCommand\(|\bDelete: \{/,
  'dynamodb:ConditionCheckItem Table': /\bConditionCheck: \{/,
  'dynamodb:BatchWriteItem Table': /new BatchWriteCommand\(/,
  // Of a statement that names an index, the other is not asked. Which index a list is in is data, so they are granted together.
  'dynamodb:Query Table': /^(?!.*\bIndexName\b).*new QueryCommand\(/s,
  'dynamodb:Query Table/index': /\bIndexName\b/,
  'dynamodb:Scan Table': /new ScanCommand\(/,
}
/** Commands whose rights are those of what is in them, or are said in roles.ts: which function is called is data, and so is whom letters come from. */
const composed = ['TransactWrite', 'Invoke', 'SendEmail']

function tableUses(file: string, text: string): string[] {
  const parts = statementsIn(text)
  const found = Object.keys(marks).filter((use) => parts.some((it) => marks[use]?.test(it)))
  for (const [, command = ''] of text.matchAll(/new (\w+)Command\(/g)) {
    const known =
      composed.includes(command) || Object.values(marks).some((mark) => mark.source.includes(`new ${command}Command`))
    if (!known) throw new Error(`${file} sends ${command}: say in local/deploy/reach.ts which right it takes.`)
  }
  return found
}

/** The statements of a file, one by one; those of a file that is loaded later stand in a function, with four spaces before them. */
function statementsIn(text: string): string[] {
  const outer = text.split(/^(?=\S.*[{([]$|(?:async )?function|var |let |const |class )/m)
  return outer.flatMap((it) => (/= __esm\(/.test(it) ? it.split(/^(?= {4}\S.*[^,;]$)/m) : [it]))
}

/** The module that speaks to the bucket, and the one that stores through it. */
const BLOBS = 'lib/files/blobs.ts'
const ADMIT = 'lib/files/admit.ts'

/** Who may not list a bucket is told 403 where there is nothing, not 404. */
const reading = ['s3:GetObject', 's3:ListBucket']
/** What each of their functions asks of the bucket; where two folders take part, of which of them. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  getObject: reading,
  streamObject: reading,
  sizeOf: reading,
  links: ['s3:GetObject'],
  putObject: ['s3:PutObject'],
  putFile: ['s3:PutObject'],
  putStream: ['s3:PutObject'],
  startUpload: ['s3:PutObject'],
  uploadForm: ['s3:PutObject'],
  keep: ['s3:PutObject'],
  copyObject: ['s3:GetObject from', 's3:PutObject to'],
  deleteObject: ['s3:DeleteObject'],
  keysUnder: ['s3:ListBucket'],
  ping: ['s3:ListBucket'],
}

/** What a file asks of the bucket, by the functions that it imports and still mentions in the bundle. */
async function bucketUses(root: string, file: string, text: string): Promise<string[]> {
  if (file === ADMIT) return []
  const source = await readFile(join(root, file), 'utf8')
  return importsFrom(source)
    .filter((verb) => new RegExp(`\\b${verb}\\d*\\(`).test(text))
    .flatMap((verb) => {
      const actions = verbs[verb]
      if (!actions) throw new Error(`${file} calls ${verb}: say in local/deploy/reach.ts which right it takes.`)
      return actions.flatMap((each) => {
        const [action = '', side] = each.split(' ')
        if (action === 's3:ListBucket') return [`${action} Bucket`]
        return foldersOf(file, side ? `${verb} ${side}` : verb).map((folder) => `${action} Bucket/${folder}/*`)
      })
    })
}

/** The functions of the two modules that a file imports, by name or as a whole. */
function importsFrom(source: string): string[] {
  const modules = String.raw`from '[^']*\/(?:files\/)?(?:blobs|admit)\.ts'`
  const named = [...source.matchAll(new RegExp(String.raw`^import \{([^}]*)\} ${modules}`, 'gm'))].flatMap(
    ([, names = '']) => names.split(',').map((name) => name.trim()),
  )
  const whole = [...source.matchAll(new RegExp(String.raw`^import \* as (\w+) ${modules}`, 'gm'))].flatMap(
    ([, name = '']) =>
      [...source.matchAll(new RegExp(String.raw`\b${name}\.(\w+)`, 'g'))].map(([, member = '']) => member),
  )
  return [...new Set([...named, ...whole])].filter(
    (name) => name !== '' && name !== 'admit' && !name.startsWith('type '),
  )
}
