import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { forLambda, partsOf } from '../../local/deploy/build.ts'
import { functionNames } from './functions.ts'

/**
 * Bundles of the SDK alone, and after them that of each function, in this folder. The SDK is as it comes, in one bundle with the client of
 * the table and one with what else functions call, the bucket or the post.
 */
export async function bundlesBesideSdk(directory: string): Promise<Made[]> {
  const made: Made[] = []
  await mkdir(directory, { recursive: true })
  for (const [name, packages] of Object.entries(clients)) made.push(await bundleOf(directory, name, packages))
  for (const name of functionNames()) made.push(await bundle(directory, name, `functions/${name}.ts`))
  return made
}

/** The bytes that a start reads over those of the SDK alone. */
export function sizeOver(all: readonly Made[], { start, over }: Made): number {
  const base = all.find(({ name }) => name === over)
  if (!base) throw new Error(`There is no bundle ${over}.`)
  return start / base.start
}

const clients: Readonly<Record<string, readonly string[]>> = {
  'SDK: DynamoDB': ['client-dynamodb', 'lib-dynamodb'],
  'SDK: DynamoDB and S3': ['client-dynamodb', 'lib-dynamodb', 'client-s3'],
  'SDK: DynamoDB and SES': ['client-dynamodb', 'lib-dynamodb', 'client-sesv2'],
}

/** A bundle, the bytes that its start reads and all that it has, and the bundle of the SDK with the clients that it ever loads. */
export type Made = { name: string; file: string; start: number; all: number; over: string }

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

const plain: BuildOptions = { alias: {}, plugins: [], splitting: false }

/** The SDK as it comes, with its whole chain of credential providers, in one file. */
async function bundleOf(directory: string, name: string, packages: readonly string[]): Promise<Made> {
  const source = join(directory, `${packages.join('-')}.ts`)
  // Used, so that nothing is shaken out that a function with all of its calls would hold.
  const lines = packages.map(
    (it, i) =>
      `import * as p${i} from '@aws-sdk/${it}'; Object.assign(globalThis, { p${i}: [${used[it]?.map((each) => `p${i}.${each}`)}] })`,
  )
  await writeFile(source, lines.join('\n'))
  return bundle(directory, name, relative(process.cwd(), source), { ...plain, nodePaths: [resolve('node_modules')] })
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
