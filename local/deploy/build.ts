import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, context, type Metafile, type OutputFile, type Plugin, stop } from 'esbuild'
import { carriedBy, neverBundled } from './carried.ts'
import { unlessFresh } from './fresh.ts'
import { buildDocuments } from './shipped-documents.ts'
import { zip } from './zip.ts'

/**
 * Builds each function, minified and the SDK included, and zips it: what each start needs in one file or a few, and beside them what
 * is loaded when it is first asked for. Answers the zip files by name of the function. Source maps lie beside them, outside the zips.
 */
export async function buildPackages(
  root: string,
  names: readonly string[],
  outdir = packagesIn(root),
): Promise<Map<string, string>> {
  await rm(outdir, { recursive: true, force: true })
  await mkdir(outdir, { recursive: true })
  const others = await build({ ...packaged(root, outdir), entryPoints: Object.values(apart), splitting: false })
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
    await writeFile(file, zip({ ...code, ...(name === 'documents' && documents), ...(await carriedBy(name, root)) }))
    for (const map of outputFiles.filter(({ path }) => path.endsWith('.map') && parts.has(basename(path, '.map'))))
      await writeFile(mapIn(outdir, name, map), map.contents)
  }
  return made
}

/** What packages are made of. */
const SOURCES = ['functions', 'lib', 'local', 'package.json', 'package-lock.json', 'serverless.yml']

/** The same in the usual folder, from what is there already where no source has changed since. */
export async function keptPackages(root: string, names: readonly string[]): Promise<Map<string, string>> {
  const made = { root, sources: SOURCES, mark: `${folder}/packages-made` }
  await unlessFresh(made, async () => void (await buildPackages(root, names)))
  return packagesOf(packagesIn(root), names)
}

const packaged = (root: string, outdir: string) =>
  ({
    ...forLambda(root),
    outdir,
    entryNames: '[name]',
    write: false,
    // The map is made, but nothing in the bundle points to it.
    sourcemap: 'external',
  }) satisfies BuildOptions

/**
 * Bundles functions one after the other, each by itself: what several had in common would be in files of its own, and a function would
 * start from a hundred. What they share is read once.
 */
async function bundlerOf(root: string, outdir: string) {
  let name = ''
  const oneAtATime: Plugin = {
    name: 'one-at-a-time',
    setup: (it) => it.onResolve({ filter: /^one-function$/ }, () => ({ path: join(root, `functions/${name}.ts`) })),
  }
  const how = packaged(root, outdir)
  const builds = await context({ ...how, entryPoints: ['one-function'], plugins: [oneAtATime, ...how.plugins] })
  return {
    bundle: (next: string) => {
      name = next
      return builds.rebuild()
    },
    [Symbol.asyncDispose]: () => builds.dispose(),
  }
}

/** The names of the files of a build to which the bundle of that source leads. There are others, of what is imported by code that was left out. */
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
/** A file of a function as its package has it: that with which it starts has its name. */
const nameOf = (name: string, { path }: OutputFile) => basename(path).replace(/^one-function\./, `${name}.`)
/** Of two functions' parts some are alike, but not the maps of what is named after a function. */
const mapIn = (outdir: string, name: string, map: OutputFile) => {
  const own = nameOf(name, map)
  return join(outdir, own.startsWith(`${name}.`) ? own : `${name}.${own}`)
}

/** The folder of the zip files, and where in it those of some functions lie. */
export const packagesIn = (root: string): string => join(root, folder, 'package')
const packagesOf = (outdir: string, names: readonly string[]): Map<string, string> =>
  new Map(names.map((name) => [name, join(outdir, `${name}.zip`)]))

/**
 * Builds the functions for the local service: packages stay outside, each function keeps its own copy of our code as
 * in a deployment, and a file's name changes with its content. Answers the handlers by name of the function.
 */
export async function buildLocal(root: string, names: readonly string[], place: string): Promise<Map<string, string>> {
  const outdir = join(root, folder, place)
  await buildDocuments(root)
  const { metafile } = await build({
    ...common,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [name, `${DEPLOYED}${name}`])),
    entryNames: '[name]-[hash]',
    outdir,
    packages: 'external',
    sourcemap: 'inline',
    sourcesContent: false,
    plugins: [wrapped(root)],
  })
  // Its helper process would stay, with 50 MB, until the next build.
  await stop()
  const made = new Map<string, string>()
  for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint) made.set(entryPoint.slice(DEPLOYED.length), file.replace(/\.mjs$/, '.handler'))
  }
  return made
}

/** Removes all bundles but these. Not before the last call to an old one, since the runner looks for its file each time. */
export async function prune(root: string, place: string, handlers: Iterable<string>): Promise<void> {
  const outdir = join(root, folder, place)
  const kept = new Set([...handlers].map((handler) => basename(handler, '.handler')))
  const stale = (await readdir(outdir)).filter((file) => !kept.has(basename(file, '.mjs')))
  await Promise.all(stale.map((file) => rm(join(outdir, file), { force: true })))
}

/** Where bundles go, beside package.json. */
const folder = '.build'
const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  logLevel: 'silent',
  metafile: true,
} as const satisfies BuildOptions

/** How a bundle for Lambda is made. */
export const forLambda = (root: string) =>
  ({
    ...common,
    absWorkingDir: root,
    minify: true,
    // Devanagari as it is written takes half the bytes of its escapes.
    charset: 'utf8',
    // What is imported when it is first asked for is a file of its own, which a start need not read.
    splitting: true,
    mainFields: ['module', 'main'],
    external: [...neverBundled],
    legalComments: 'none',
    // CommonJS dependencies in an ES module still ask for Node's own modules by require().
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    plugins: [besides, membersAlone],
    alias: {
      '@aws-sdk/credential-provider-node': join(root, 'local/deploy/lambda-credentials.ts'),
      '@aws-sdk/middleware-endpoint-discovery': join(root, 'local/deploy/endpoint-discovery.ts'),
    },
  }) satisfies BuildOptions

/** What lies beside a function as a file of its own, by the name of that file: it is loaded when somebody asks for it, and else costs nothing. */
const apart: Readonly<Record<string, string>> = {
  'bucket-client': 'lib/files/bucket-client.ts',
  iovalkey: 'iovalkey',
  nepali: 'lib/language/nepali.ts',
}

/** What imports one of them looks for it beside itself. */
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
 * Who imports a module of Node's own has Node read every member that it has, and so load what few ever ask for: the WebSocket of http, the
 * streams of fs, the comparisons of util. Here those members alone are read that are used, which saves a fifth of each start.
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

/** A module of Node's own as one whose members are dropped where nobody imports them. */
function membersOf(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default')
  const members = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => $.${name})()`)
  return [`const $ = globalThis.process.getBuiltinModule('${path}')`, 'export default $', ...members].join('\n')
}

/** Whether the bundles of a function import one of them. */
const asksFor = ({ outputs }: Metafile, other: string): boolean =>
  Object.values(outputs).some(({ imports }) => imports.some(({ path }) => basename(path) === `${other}.mjs`))

const DEPLOYED = 'deployed:'

/** The entry `deployed:NAME` is the function NAME in the wrapper that makes its events as good as real ones. */
function wrapped(root: string): Plugin {
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
export const handler = asDeployed('${path}', inner)`,
      }))
    },
  }
}
