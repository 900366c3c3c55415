import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { forLambda } from '../../local/deploy/build.ts'
import { functionNames } from '../harness/functions.ts'
import { print } from './table.ts'

const ROUNDS = 7

/**
 * Size and import time of each function's bundle over those of bundles with nothing but the SDK clients that it uses.
 * Import times are the least of several fresh processes.
 */
export async function benchBundles(): Promise<void> {
  // Beside the packages that some bundles load from there.
  mkdirSync('.build', { recursive: true })
  const directory = mkdtempSync(join(resolve('.build'), 'bundles-'))
  const functions = functionNames()
  await bundle(directory, Object.fromEntries(functions.map((name) => [name, `functions/${name}.ts`])))
  const clients = {
    table: ['client-dynamodb', 'lib-dynamodb'],
    files: ['client-dynamodb', 'lib-dynamodb', 'client-s3'],
  }
  for (const [name, packages] of Object.entries(clients)) await bundleOf(directory, `sdk-${name}`, packages)
  const measured = (name: string) => ({
    bytes: statSync(join(directory, `${name}.mjs`)).size,
    ms: importTime(join(directory, `${name}.mjs`)),
  })
  const [table, files] = [measured('sdk-table'), measured('sdk-files')]
  const withFiles = new Set(
    'assistant clusters entities health profile-images queue records search sources sweeper'.split(' '),
  )
  print('Bundles: minified size and import time, over the SDK clients alone', [
    { bundle: 'SDK: DynamoDB', KB: kb(table.bytes), size: '1.00', ms: table.ms.toFixed(0), import: '1.00' },
    { bundle: 'SDK: DynamoDB and S3', KB: kb(files.bytes), size: '1.00', ms: files.ms.toFixed(0), import: '1.00' },
    ...functions.map((name) => {
      const [own, base] = [measured(name), withFiles.has(name) ? files : table]
      return {
        bundle: name,
        KB: kb(own.bytes),
        size: (own.bytes / base.bytes).toFixed(2),
        ms: own.ms.toFixed(0),
        import: (own.ms / base.ms).toFixed(2),
      }
    }),
  ])
  rmSync(directory, { recursive: true })
}

const kb = (bytes: number) => (bytes / 1024).toFixed(0)
/** As they are packaged. */
const bundle = (outdir: string, entryPoints: Record<string, string>) =>
  build({ ...forLambda(process.cwd()), entryPoints, outdir })

/** The SDK as it comes, with its whole chain of credential providers. */
const bundleOf = (outdir: string, name: string, packages: readonly string[]) =>
  build({
    ...forLambda(process.cwd()),
    alias: {},
    stdin: {
      // Used, so that nothing is shaken out that a function with all of its calls would hold.
      contents: packages
        .map(
          (it, i) =>
            `import * as p${i} from '@aws-sdk/${it}'; globalThis.p${i} = [${used[it]?.map((each) => `p${i}.${each}`)}];`,
        )
        .join('\n'),
      resolveDir: process.cwd(),
    },
    outfile: join(outdir, `${name}.mjs`),
  })

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
  'client-s3': ['S3Client', 'GetObjectCommand', 'PutObjectCommand', 'DeleteObjectCommand', 'HeadBucketCommand'],
}

function importTime(file: string): number {
  const code = `const t=performance.now();await import(${JSON.stringify(file)});process.stdout.write(String(performance.now()-t))`
  const run = () =>
    Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', code], {
        env: { ...process.env, TABLE_NAME: 'bench', STAGE: 'local' },
      }),
    )
  return Math.min(...Array.from({ length: ROUNDS }, run))
}
