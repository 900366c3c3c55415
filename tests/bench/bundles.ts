import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { forLambda, partsOf } from '../../local/deploy/build.ts'
import { functionNames } from '../harness/functions.ts'
import { print } from './table.ts'

const ROUNDS = 20

/**
 * What a start of each function reads, and how long it takes, over bundles with nothing but the SDK's clients of the table and of
 * what else it ever calls, the bucket or the post, as esbuild makes them of the SDK as it comes. What is read later, when it is first asked for, is
 * told beside it. Times are the median of fresh processes, whose turns come round by round, so that a busy moment hits all of them.
 */
export async function benchBundles(): Promise<void> {
  // Beside the packages that some bundles load from there.
  mkdirSync('.build', { recursive: true })
  const directory = mkdtempSync(join(resolve('.build'), 'bundles-'))
  const made: Made[] = []
  for (const [name, packages] of Object.entries(clients)) made.push(await bundleOf(directory, name, packages))
  for (const name of functionNames()) made.push(await bundle(directory, name, `functions/${name}.ts`))
  const times = new Map(made.map(({ name }): [string, number[]] => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { name, file } of made) times.get(name)?.push(importTime(file))
  const ms = (name: string) => times.get(name)?.sort((a, b) => a - b)[ROUNDS / 2] ?? 0
  const base = ({ over }: Made) => made.find(({ name }) => name === over)
  print(
    'Bundles: KB that a start reads, and median time of import, over the SDK clients alone',
    made.map((it) => ({
      bundle: it.name,
      KB: kb(it.start),
      size: (it.start / (base(it)?.start ?? 1)).toFixed(2),
      ms: ms(it.name).toFixed(0),
      import: (ms(it.name) / ms(base(it)?.name ?? '')).toFixed(2),
      'KB read later': it.all === it.start ? '' : kb(it.all - it.start),
    })),
  )
  rmSync(directory, { recursive: true })
}

const clients: Readonly<Record<string, readonly string[]>> = {
  'SDK: DynamoDB': ['client-dynamodb', 'lib-dynamodb'],
  'SDK: DynamoDB and S3': ['client-dynamodb', 'lib-dynamodb', 'client-s3'],
  'SDK: DynamoDB and SES': ['client-dynamodb', 'lib-dynamodb', 'client-sesv2'],
}

/** A bundle, the bytes that its start reads and all that it has, and the clients that it ever loads. */
type Made = { name: string; file: string; start: number; all: number; over: string }

const kb = (bytes: number) => (bytes / 1024).toFixed(0)

/** As it is packaged. */
async function bundle(directory: string, name: string, source: string, other: BuildOptions = {}): Promise<Made> {
  const outdir = join(directory, name.replace(/\W+/g, '-'))
  const how = { ...forLambda(process.cwd()), ...other }
  const { metafile } = await build({ ...how, metafile: true, entryPoints: [source], outdir })
  const outputs = new Map(Object.entries(metafile.outputs).map(([file, output]) => [basename(file), output]))
  const [all, started] = [partsOf(metafile, source), partsOf(metafile, source, true)]
  const bytes = (files: ReadonlySet<string>) =>
    [...files].reduce((sum, file) => sum + (outputs.get(file)?.bytes ?? 0), 0)
  const loads = (path: string) =>
    [...all].some((file) => {
      const { imports = [], inputs = {} } = outputs.get(file) ?? {}
      return [...imports.map((it) => it.path), ...Object.keys(inputs)].some((it) => it.includes(path))
    })
  const others = loads('bucket-client.mjs') ? ' and S3' : loads('@aws-sdk/client-sesv2/') ? ' and SES' : ''
  const [entry = ''] = started
  return { name, file: join(outdir, entry), start: bytes(started), all: bytes(all), over: `SDK: DynamoDB${others}` }
}

/** The SDK as it comes, with its whole chain of credential providers, in one file. */
function bundleOf(directory: string, name: string, packages: readonly string[]): Promise<Made> {
  const source = join(directory, `${packages.join('-')}.ts`)
  // Used, so that nothing is shaken out that a function with all of its calls would hold.
  const lines = packages.map(
    (it, i) =>
      `import * as p${i} from '@aws-sdk/${it}'; Object.assign(globalThis, { p${i}: [${used[it]?.map((each) => `p${i}.${each}`)}] })`,
  )
  writeFileSync(source, lines.join('\n'))
  return bundle(directory, name, relative(process.cwd(), source), { alias: {}, plugins: [], splitting: false })
}

const used: Readonly<Record<string, readonly string[]>> = {
  'client-dynamodb': ['DynamoDBClient', 'TransactionCanceledException'],
  'lib-dynamodb': [
    'DynamoDBDocumentClient',
    'GetCommand',
    'QueryCommand',
    'BatchGetCommand',
    'TransactWriteCommand',
    'UpdateCommand',
  ],
  'client-sesv2': ['SESv2Client', 'SendEmailCommand'],
  'client-s3': ['S3Client', 'GetObjectCommand', 'PutObjectCommand', 'DeleteObjectCommand', 'HeadBucketCommand'],
}

function importTime(file: string): number {
  const code = `const t=performance.now();await import(${JSON.stringify(file)});process.stdout.write(String(performance.now()-t),()=>process.exit())`
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, TABLE_NAME: 'bench', STAGE: 'local' },
    }),
  )
}
