import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { functionNames } from '../../deploy/function-names.ts'
import { forLambda, keptPackages } from '../../deploy/packages/build.ts'
import { unzip } from '../../deploy/packages/zip.ts'

/**
 * Writes bundles of the SDK alone into this folder, then the packaged bundle of each function. A test compares their sizes. The bundles
 * of the SDK are unchanged builds: one with the client of DynamoDB, one with S3 besides, and one with SES besides.
 */
export async function bundlesBesideSdk(directory: string): Promise<Made[]> {
  await mkdir(directory, { recursive: true })
  const made: Made[] = []
  for (const [name, packages] of Object.entries(clients)) made.push(await bundleOf(directory, name, packages))
  const packages = await keptPackages(process.cwd(), functionNames())
  for (const [name, path] of packages) made.push(await measurePackage(name, path, join(directory, name)))
  return made
}

/** The bytes that the start of a function reads, divided by those of the SDK alone. */
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

/**
 * A bundle. `start`: the bytes that its start reads. `all`: the bytes of all files that it may load. `over`: the name of the bundle of the
 * SDK with the same clients.
 */
export type Made = { name: string; file: string; start: number; all: number; over: string }

/** Unpacks the bundle of a function and measures it. Other files of the package, such as data, do not count. */
async function measurePackage(name: string, path: string, directory: string): Promise<Made> {
  const files = await unzip(path, directory, FUNCTIONS)
  const entry = `${FUNCTIONS}${name}.mjs`
  const bytes = (some: Iterable<string>) => [...some].reduce((sum, it) => sum + (files.get(it)?.length ?? 0), 0)
  const code = [...files.values()].join('\n')
  const others = files.has(`${FUNCTIONS}bucket-client.mjs`) ? ' and S3' : code.includes('SESv2') ? ' and SES' : ''
  const file = join(directory, entry)
  return {
    ...{ name, file, over: `SDK: DynamoDB${others}` },
    ...{ start: bytes(startOf(entry, files)), all: bytes(reachedFrom(entry, files, true)) },
  }
}
const FUNCTIONS = 'functions/'

/** The files of a package that a start reads: the entry, and all files that static imports reach from it. */
const startOf = (entry: string, files: ReadonlyMap<string, Buffer>) => reachedFrom(entry, files, false)

function reachedFrom(entry: string, files: ReadonlyMap<string, Buffer>, later: boolean): ReadonlySet<string> {
  const reached = new Set([entry])
  for (const file of reached) for (const next of importedBy(files.get(file)?.toString() ?? '', later)) reached.add(next)
  return reached
}

/** The files of the same folder that a minified module imports. With `later`, dynamic imports count too. */
export function importedBy(code: string, later: boolean): string[] {
  const imports = later ? /(?:from|import\(?)"\.\/([\w.-]+\.mjs)"/g : /(?:from|import)"\.\/([\w.-]+\.mjs)"/g
  return [...code.matchAll(imports)].map(([, file]) => `${FUNCTIONS}${file}`)
}

const plain: BuildOptions = { alias: {}, plugins: [], splitting: false }

/** Builds one bundle of unchanged SDK packages, with all their credential providers. A start reads the whole file. */
async function bundleOf(directory: string, name: string, packages: readonly string[]): Promise<Made> {
  const source = join(directory, `${packages.join('-')}.ts`)
  // The bundle uses each class, so that esbuild keeps the code that a function with all calls would contain.
  const lines = packages.map(
    (it, i) =>
      `import * as p${i} from '@aws-sdk/${it}'; Object.assign(globalThis, { p${i}: [${used[it]?.map((each) => `p${i}.${each}`)}] })`,
  )
  await writeFile(source, lines.join('\n'))
  const outfile = join(directory, `${name.replace(/\W+/g, '-')}.mjs`)
  const how = { ...forLambda(process.cwd()), ...plain, nodePaths: [resolve('node_modules')] }
  await build({ ...how, entryPoints: [source], outfile })
  const { size } = await stat(outfile)
  return { name, file: outfile, start: size, all: size, over: 'SDK: DynamoDB' }
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
