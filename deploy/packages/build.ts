import { createHash } from 'node:crypto'
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { type BuildOptions, build, context, type Metafile, type OutputFile, type Plugin, stop } from 'esbuild'
import { functionNames } from '../function-names.ts'
import { carriedBy, filesIn, neverBundled } from './carried.ts'
import { unlessFresh } from './fresh.ts'
import { buildDocuments } from './shipped-documents.ts'
import { withoutAnswers } from './without-answers.ts'
import { zip } from './zip.ts'

/**
 * Builds each function, minified and with the SDK, and zips it. What a start needs is in one file or a few; what is loaded on
 * first use lies beside them. Returns the path of each function's zip file. Source maps lie beside the zips, not in them.
 */
export async function buildPackages(
  root: string,
  names: readonly string[],
  outdir = packagesIn(root),
): Promise<Map<string, string>> {
  await rm(outdir, { recursive: true, force: true })
  await mkdir(outdir, { recursive: true })
  const others = await build({ ...packageOptions(root, outdir), entryPoints: Object.values(apart), splitting: false })
  const documents = await buildDocuments(root)
  const made = packagesOf(outdir, names)
  await using bundler = await bundlerOf(root, outdir)
  for (const [name, file] of made) {
    const { outputFiles, metafile } = await bundler.bundle(name)
    const parts = partsOf(metafile, `functions/${name}.ts`)
    const own = outputFiles.filter((it) => isCode(it) && parts.has(basename(it.path)))
    const also = Object.keys(apart).filter((it) => asksFor(metafile, it))
    const bundles = [...own, ...others.outputFiles.filter(({ path }) => also.includes(basename(path, '.mjs')))]
    const code = Object.fromEntries(bundles.map((it) => [`functions/${nameOf(name, it)}`, it.contents]))
    const beside = { ...(name === 'documents' && documents), ...(await carriedBy(name, root)) }
    await writeFile(file, await zip({ ...code, ...beside }))
    for (const map of outputFiles.filter(({ path }) => path.endsWith('.map') && parts.has(basename(path, '.map'))))
      await writeFile(mapIn(outdir, name, map), map.contents)
  }
  return made
}

/** What packages are made of: a change of any of these makes them out of date. */
const SOURCES = ['functions', 'lib', 'deploy', 'api', 'local', 'package.json', 'package-lock.json', 'serverless.yml']

/** Packages in the usual folder, built only if a source has changed since they were built last. */
export async function keptPackages(root: string, names: readonly string[]): Promise<Map<string, string>> {
  const made = { root, sources: SOURCES, mark: `${folder}/packages-made` }
  await unlessFresh(made, async () => void (await buildPackages(root, names)))
  return packagesOf(packagesIn(root), names)
}

const packageOptions = (root: string, outdir: string) =>
  ({
    ...forLambda(root),
    outdir,
    entryNames: '[name]',
    write: false,
    // `external` makes the map, and adds no comment to the bundle that points to it.
    sourcemap: 'external',
  }) satisfies BuildOptions

/**
 * Bundles functions one after the other. In one build, esbuild would put what several functions share into files of its own, and a
 * function would start from a hundred files. esbuild's context keeps parsed sources, so each source is read once.
 */
async function bundlerOf(root: string, outdir: string) {
  let name = ''
  const oneAtATime: Plugin = {
    name: 'one-at-a-time',
    setup: (it) => it.onResolve({ filter: /^one-function$/ }, () => ({ path: join(root, `functions/${name}.ts`) })),
  }
  const how = packageOptions(root, outdir)
  const builds = await context({ ...how, entryPoints: ['one-function'], plugins: [oneAtATime, ...how.plugins] })
  return {
    bundle: (next: string) => {
      name = next
      return builds.rebuild()
    },
    [Symbol.asyncDispose]: () => builds.dispose(),
  }
}

/**
 * The files that the bundle of `source` imports, directly or not. A build has other files too: what is imported only by code that was
 * left out.
 */
function partsOf({ outputs }: Metafile, source: string): ReadonlySet<string> {
  const parts = new Set<string>()
  const add = (file: string): void => {
    if (parts.has(basename(file))) return
    parts.add(basename(file))
    for (const { path } of outputs[file]?.imports ?? []) if (outputs[path]) add(path)
  }
  for (const [file, { entryPoint }] of Object.entries(outputs)) if (entryPoint === source) add(file)
  return parts
}

const isCode = ({ path }: OutputFile) => path.endsWith('.mjs')
/** The name of a bundle in its package. The file that Lambda starts is named after the function. */
const nameOf = (name: string, { path }: OutputFile) => basename(path).replace(/^one-function\./, `${name}.`)
/** Two functions may have parts of the same name, so the map of a part gets the function's name before its own. */
const mapIn = (outdir: string, name: string, map: OutputFile) => {
  const own = nameOf(name, map)
  return join(outdir, own.startsWith(`${name}.`) ? own : `${name}.${own}`)
}

/** The folder of the zip files. */
export const packagesIn = (root: string): string => join(root, folder, 'package')
const packagesOf = (outdir: string, names: readonly string[]): Map<string, string> =>
  new Map(names.map((name) => [name, join(outdir, `${name}.zip`)]))

/**
 * Puts the bundles of all functions for a process of this machine into the folder `place`, such as `local-8000`, and returns each function's
 * handler. They are built in `kept`: those of which a source says something else than it said when they were built. A file's name changes
 * with its content, so a changed function is loaded anew.
 */
export async function buildLocal(root: string, place: string): Promise<Map<string, string>> {
  const list = join(root, folder, kept, 'bundles.json')
  await unlessFresh({ root, sources: SOURCES, mark: `${folder}/${kept}-made` }, () => renewKept(root, list))
  const bundles: Bundles = JSON.parse(await readFile(list, 'utf8'))
  await mkdir(join(root, folder, place), { recursive: true })
  return new Map(
    await Promise.all(
      Object.entries(bundles).map(async ([name, { handler }]) => {
        const own = handler.replace(kept, place)
        await linkOnce(join(root, bundleOf(handler)), join(root, bundleOf(own)))
        return [name, own] as const
      }),
    ),
  )
}

/**
 * Builds all functions for one process that answers the requests of all of them, into the folder `place`. They share what several of them
 * import, so its code is loaded once, and its caches are there once. Returns the file of each function, below `root`. Files of an earlier
 * build stay, since a process may still load them.
 */
export async function buildTogether(root: string, place: string): Promise<Record<string, string>> {
  const list = join(root, folder, place, 'bundles.json')
  await unlessFresh({ root, sources: SOURCES, mark: `${folder}/${place}-made` }, async () => {
    await buildDocuments(root)
    const { metafile } = await build({
      ...forThisMachine(root, place),
      entryPoints: functionNames(root).map((name) => `functions/${name}.ts`),
      chunkNames: 'shared/[hash]',
      splitting: true,
    })
    await stop()
    const files = Object.entries(metafile.outputs).flatMap(([file, { entryPoint = '' }]) => {
      const name = /^functions\/([\w-]+)\.ts$/.exec(entryPoint)?.[1]
      return name === undefined ? [] : [[name, file] as const]
    })
    await writeFile(list, JSON.stringify(Object.fromEntries(files)))
  })
  return JSON.parse(await readFile(list, 'utf8'))
}

/** The bundle of each function: its handler, the sources that it is made of, and a hash of what was in them. */
type Bundles = Record<string, { handler: string; sources: readonly string[]; hash: string }>

/** Builds the bundles whose sources have changed, and writes the list of all. `documents` has what is made of many files, so it is always built. */
async function renewKept(root: string, list: string): Promise<void> {
  const hashOf = await readSources(root)
  const before: Bundles = await readFile(list, 'utf8').then(JSON.parse, () => ({}))
  const names = functionNames(root)
  const changed = names.filter((name) => name === 'documents' || before[name]?.hash !== hashOf(before[name]?.sources))
  const made = await bundleLocal(root, changed)
  const bundles = names.map((name) => {
    const { handler = '', sources = [] } = made.get(name) ?? before[name] ?? {}
    return [name, { handler, sources, hash: hashOf(sources) }] as const
  })
  const handlers = bundles.map(([, { handler }]) => handler)
  await prune(root, kept, handlers)
  await writeFile(list, JSON.stringify(Object.fromEntries(bundles)))
}

/** Reads all sources. Returns a function that answers a hash of what was in some of them, and in what says how a bundle is made. */
async function readSources(root: string): Promise<(sources?: readonly string[]) => string> {
  const paths = await Promise.all(
    SOURCES.map(async (it) => {
      const path = join(root, it)
      return (await stat(path)).isFile() ? [path] : filesIn(path)
    }),
  )
  const hashes = new Map(
    await Promise.all(paths.flat().map(async (it) => [relative(root, it), sha256(await readFile(it))] as const)),
  )
  return (sources = []) => {
    const all = ['deploy/packages/build.ts', 'package-lock.json', ...sources]
    return sha256(all.map((it) => `${it} ${hashes.get(it) ?? 'is gone'}`).join('\n'))
  }
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

/** The file of a handler, such as `.build/local-8000/records-A1B2.mjs`. */
export const bundleOf = (handler: string): string => handler.replace(/\.handler$/, '.mjs')

/** A second name for a file, unless there is one. The file stays when its first name is removed. */
async function linkOnce(from: string, to: string): Promise<void> {
  await link(from, to).catch((error) => {
    if (Object(error).code !== 'EEXIST') throw error
  })
}

/**
 * Builds these functions for a process of this machine. Each function has its own copy of our code, as in a
 * deployment. Returns the handler of each, and the sources that it is made of.
 */
async function bundleLocal(
  root: string,
  names: readonly string[],
): Promise<Map<string, { handler: string; sources: string[] }>> {
  const documents = await buildDocuments(root)
  const { metafile } = await build({
    ...forThisMachine(root, kept),
    entryPoints: Object.fromEntries(names.map((name) => [name, `${DEPLOYED}${name}`])),
    plugins: [wrapperPlugin(root, tagOf(documents))],
  })
  // Otherwise esbuild's helper process keeps 50 MB until the next build.
  await stop()
  return new Map(
    Object.entries(metafile.outputs).flatMap(([file, { entryPoint, inputs }]) => {
      if (!entryPoint) return []
      const sources = Object.keys(inputs).filter((it) => !it.startsWith(DEPLOYED))
      return [[entryPoint.slice(DEPLOYED.length), { handler: file.replace(/\.mjs$/, '.handler'), sources }]]
    }),
  )
}

/** Deletes all bundles but these. Call it when no old bundle is in use: the runner opens a bundle's file at each call. */
export async function prune(root: string, place: string, handlers: Iterable<string>): Promise<void> {
  const outdir = join(root, folder, place)
  const kept = new Set([...handlers].map((handler) => basename(handler, '.handler')))
  const stale = (await readdir(outdir)).filter((file) => !kept.has(basename(file, '.mjs')))
  await Promise.all(stale.map((file) => rm(join(outdir, file), { force: true })))
}

/** Where bundles go, beside package.json. */
const folder = '.build'
/** Where the bundles for this machine are built, below `folder`. */
const kept = 'kept'
const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  logLevel: 'silent',
  metafile: true,
} as const satisfies BuildOptions

/** How a bundle for a process of this machine is made, in the folder `place`. npm packages stay outside. */
const forThisMachine = (root: string, place: string) =>
  ({
    ...common,
    absWorkingDir: root,
    entryNames: '[name]-[hash]',
    outdir: join(root, folder, place),
    packages: 'external',
    sourcemap: 'inline',
    sourcesContent: false,
  }) satisfies BuildOptions

/** How a bundle for Lambda is made. */
export const forLambda = (root: string) =>
  ({
    ...common,
    absWorkingDir: root,
    minify: true,
    // Devanagari as it is written takes half the bytes of its escapes.
    charset: 'utf8',
    // A dynamic import becomes a file of its own, which a start need not read.
    splitting: true,
    mainFields: ['module', 'main'],
    external: [...neverBundled],
    legalComments: 'none',
    // CommonJS dependencies inside an ES module still call require() for Node's own modules.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    plugins: [besides, membersAlone, versionsAlone, ownSender(root), withoutAnswers],
    alias: {
      '@aws-sdk/credential-provider-node': join(root, 'deploy/packages/lambda-credentials.ts'),
      '@aws-sdk/middleware-endpoint-discovery': join(root, 'deploy/packages/endpoint-discovery.ts'),
    },
  }) satisfies BuildOptions

/** Modules that lie beside a function as files of their own, by file name. They are loaded on first use, so a start does not pay for them. */
const apart: Readonly<Record<string, string>> = {
  'bucket-client': 'lib/engines/bucket/bucket-client.ts',
  'common-passwords': 'lib/platform/users/common-passwords.ts',
  iovalkey: 'iovalkey',
  nepali: 'lib/base/language/nepali.ts',
}

/** Makes a dynamic import of a module in `apart` look for the file beside the bundle. */
const besides: Plugin = {
  name: 'besides',
  setup: (it) => {
    const file = new RegExp(`^(?:\\./)?(${Object.keys(apart).join('|')})(?:\\.ts)?$`)
    it.onResolve({ filter: file }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${file.exec(path)?.[1]}.mjs`, external: true } : undefined,
    )
  },
}

/**
 * An import of a Node module reads every member of it, and some members load much: the WebSocket of http, the streams of fs, the
 * comparisons of util. This plugin reads only the members that are used, which saves a fifth of each start.
 */
const membersAlone: Plugin = {
  name: 'members-alone',
  setup: (it) => {
    it.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'node' } : { path, external: true },
    )
    it.onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({ contents: membersOf(path) }))
  },
}

/** The source of a module that stands in for a Node module. esbuild drops the members that nobody imports. */
function membersOf(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default')
  const members = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => $.${name})()`)
  return [`const $ = globalThis.process.getBuiltinModule('${path}')`, 'export default $', ...members].join('\n')
}

/** The client of DynamoDB gets the sender of lib/engines/table, so it carries none of the SDK's. */
const ownSender = (root: string): Plugin => ({
  name: 'own-sender',
  setup: (it) => {
    it.onResolve({ filter: /^@smithy\/node-http-handler$/ }, ({ importer }) =>
      importer.includes('client-dynamodb') ? { path: join(root, 'deploy/packages/table-sender.ts') } : undefined,
    )
  },
})

/** A client of the SDK imports its package.json for the version in it. The rest of the file is left out. */
const versionsAlone: Plugin = {
  name: 'versions-alone',
  setup: (it) => {
    it.onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[\w-]+[\\/]package\.json$/ }, async ({ path }) => {
      const { version }: { version: string } = JSON.parse(await readFile(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/** Whether a function's bundles import the module `other`, which lies beside them. */
const asksFor = ({ outputs }: Metafile, other: string): boolean =>
  Object.values(outputs).some(({ imports }) => imports.some(({ path }) => basename(path) === `${other}.mjs`))

const DEPLOYED = 'deployed:'

/** A hash of the shipped files. The function `documents` keeps them in memory, so a changed file must change its bundle. */
function tagOf(documents: Readonly<Record<string, Uint8Array>>): string {
  const hash = createHash('sha256')
  for (const name of Object.keys(documents).sort()) hash.update(name).update(documents[name] ?? '')
  return hash.digest('base64url')
}

/** The entry `deployed:NAME` is the function NAME in the wrapper of local/service/as-deployed.ts, which adds what serverless-offline leaves out. */
function wrapperPlugin(root: string, documents: string): Plugin {
  return {
    name: 'deployed',
    setup: (it) => {
      it.onResolve({ filter: /^deployed:/ }, ({ path }) => ({
        path: path.slice(DEPLOYED.length),
        namespace: 'deployed',
      }))
      it.onLoad({ filter: /./, namespace: 'deployed' }, ({ path }) => ({
        resolveDir: root,
        contents: `import { handler as inner } from './functions/${path}.ts'
import { asDeployed } from './local/service/as-deployed.ts'
export const handler = asDeployed('${path}', inner)${path === 'documents' ? `\nexport const documents = '${documents}'` : ''}`,
      }))
    },
  }
}
