import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { forLambda, keptPackages } from '../../deploy/build.ts'
import { functionNames } from './functions.ts'

/**
 * Bundles of the SDK alone, and after them that of each function, in this folder. The SDK is as it comes, in one bundle with the client of
 * the table and one with what else functions call, the bucket or the post; functions are as they are packaged.
 */
export async function bundlesBesideSdk(directory: string): Promise<Made[]> {
  await mkdir(directory, { recursive: true })
  const made: Made[] = []
  for (const [name, packages] of Object.entries(clients)) made.push(await bundleOf(directory, name, packages))
  const packages = await keptPackages(process.cwd(), functionNames())
  for (const [name, path] of packages) made.push(await packagedAs(name, path, join(directory, name)))
  return made
}

/** The files of a zip archive as ours are: one after the other, each deflated or stored, sizes in front. */
async function filesIn(path: string): Promise<Map<string, Buffer>> {
  const zip = await readFile(path)
  const files = new Map<string, Buffer>()
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [method, size] = [zip.readUInt16LE(at + 8), zip.readUInt32LE(at + 18)]
    const [named, extra] = [zip.readUInt16LE(at + 26), zip.readUInt16LE(at + 28)]
    const start = at + 30 + named + extra
    const content = zip.subarray(start, start + size)
    files.set(zip.toString('utf8', at + 30, at + 30 + named), method === 0 ? content : inflateRawSync(content))
    at = start + size
  }
  return files
}

/** Writes the files of a package into a folder; with `only` those whose paths begin so. Answers them. */
export async function unpack(path: string, directory: string, only = ''): Promise<Map<string, Buffer>> {
  const files = new Map([...(await filesIn(path))].filter(([name]) => name.startsWith(only)))
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), bytes)
  }
  return files
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

/** A function as its package has it, without what that takes along. */
async function packagedAs(name: string, path: string, directory: string): Promise<Made> {
  const files = await unpack(path, directory, FUNCTIONS)
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

/** The files of a package that a start reads: what its bundle imports as it loads, and what that imports. */
const startOf = (entry: string, files: ReadonlyMap<string, Buffer>) => reachedFrom(entry, files, false)

function reachedFrom(entry: string, files: ReadonlyMap<string, Buffer>, later: boolean): ReadonlySet<string> {
  const reached = new Set([entry])
  for (const file of reached) for (const next of importedBy(files.get(file)?.toString() ?? '', later)) reached.add(next)
  return reached
}

/** The files beside it that a minified module imports at once, and with `later` those that it imports when it comes to that. */
export function importedBy(code: string, later: boolean): string[] {
  const imports = later ? /(?:from|import\(?)"\.\/([\w.-]+\.mjs)"/g : /(?:from|import)"\.\/([\w.-]+\.mjs)"/g
  return [...code.matchAll(imports)].map(([, file]) => `${FUNCTIONS}${file}`)
}

const plain: BuildOptions = { alias: {}, plugins: [], splitting: false }

/** The SDK as it comes, with its whole chain of credential providers, in one file: that is all that it has, and a start reads it. */
async function bundleOf(directory: string, name: string, packages: readonly string[]): Promise<Made> {
  const source = join(directory, `${packages.join('-')}.ts`)
  // Used, so that nothing is shaken out that a function with all of its calls would hold.
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
