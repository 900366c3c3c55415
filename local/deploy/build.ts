import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, stop } from 'esbuild'
import { carriedBy, neverBundled } from './carried.ts'
import { buildDocuments } from './shipped-documents.ts'
import { zip } from './zip.ts'

/**
 * Builds one minified bundle for each function, the SDK included, and zips it. Answers the zip files by name of the
 * function. Source maps lie beside them, outside the zips.
 */
export async function buildPackages(
  root: string,
  names: readonly string[],
  outdir = packagesIn(root),
): Promise<Map<string, string>> {
  await rm(outdir, { recursive: true, force: true })
  const { outputFiles, metafile } = await build({
    ...forLambda(root),
    entryPoints: [...names.map((name) => `functions/${name}.ts`), ...Object.values(apart)],
    entryNames: '[name]',
    outdir,
    write: false,
    // The map is made, but nothing in the bundle points to it.
    sourcemap: 'external',
  })
  await mkdir(outdir, { recursive: true })
  const documents = await buildDocuments(root)
  const made = packagesOf(outdir, names)
  for (const [name, file] of made) {
    const own = [name, ...Object.keys(apart).filter((it) => asksFor(metafile, name, it))].map((each) => `${each}.mjs`)
    const bundles = Object.fromEntries(own.map((each) => [`functions/${each}`, contents(outputFiles, each)]))
    await writeFile(file, zip({ ...bundles, ...(name === 'documents' && documents), ...(await carriedBy(name, root)) }))
    await writeFile(join(outdir, `${name}.mjs.map`), contents(outputFiles, `${name}.mjs.map`))
  }
  return made
}

/** The folder of the zip files, and where in it those of some functions lie. */
export const packagesIn = (root: string): string => join(root, folder, 'package')
export const packagesOf = (outdir: string, names: readonly string[]): Map<string, string> =>
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
    mainFields: ['module', 'main'],
    external: [...neverBundled],
    legalComments: 'none',
    // CommonJS dependencies in an ES module still ask for Node's own modules by require().
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    plugins: [besides],
    alias: { '@aws-sdk/credential-provider-node': join(root, 'local/deploy/lambda-credentials.ts') },
  }) satisfies BuildOptions

/** What lies beside a function as a file of its own, by the name of that file: it is loaded when somebody asks for it, and else costs nothing. */
const apart: Readonly<Record<string, string>> = { iovalkey: 'iovalkey', nepali: 'lib/language/nepali.ts' }

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

/** Whether a function's bundle imports one of them. */
const asksFor = ({ outputs }: Metafile, name: string, other: string): boolean =>
  Object.entries(outputs).some(
    ([file, { imports }]) =>
      basename(file) === `${name}.mjs` && imports.some(({ path }) => basename(path) === `${other}.mjs`),
  )

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

function contents(files: readonly OutputFile[], name: string): Uint8Array {
  const file = files.find((each) => basename(each.path) === name)
  if (!file) throw new Error(`esbuild wrote no ${name}`)
  return file.contents
}
