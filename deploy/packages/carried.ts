import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as v from 'valibot'

/** npm packages that a function carries: `packages` with their dependencies, and of those the files that `wanted` accepts. */
type Load = { packages: readonly string[]; wanted: (path: string) => boolean }

/** The reader of PDFs: WebAssembly, loaded by require(). */
const pdfium = '@hyzyla/pdfium'
const isOfPdfium = (path: string) => path.includes(`/${pdfium}/`)
const wantedOfPdfium = (path: string) => /\/(package\.json|dist\/index\.cjs|dist\/pdfium\.wasm)$/.test(path)

const sharp: Load = {
  // serverless.yml runs these functions on x86_64.
  packages: ['sharp', '@img/sharp-linux-x64', '@img/sharp-libvips-linux-x64'],
  wanted: (path) => !/\.(md|map|d\.[mc]?ts|h)$|\/(src|install|include)\//.test(path),
}

/** Native code, and packages that look for their files beside themselves. No other function carries a package. */
const loads: Readonly<Record<string, Load>> = {
  'asset-files': {
    packages: [...sharp.packages, pdfium],
    wanted: (path) => (isOfPdfium(path) ? wantedOfPdfium(path) : sharp.wanted(path)),
  },
  iiif: sharp,
  pictures: sharp,
  ocr: {
    packages: ['tesseract.js', '@tesseract.js-data/eng', '@tesseract.js-data/nep', pdfium],
    // Tesseract's own sources, and all its WebAssembly cores: it chooses one by the processor. Of two sets of training data,
    // only the smaller.
    wanted: (path) =>
      (!isOfPdfium(path) || wantedOfPdfium(path)) &&
      !/\.(md|map|d\.[mc]?ts)$/.test(path) &&
      !/\/tesseract\.js\/(dist|docs|examples|scripts)\//.test(path) &&
      !/\/tesseract\.js-core\/(?!package\.json|index\.js)[^/]*\.wasm\.js$/.test(path) &&
      !/\/@tesseract\.js-data\/\w+\/4\.0\.0\//.test(path),
  },
}

/** Packages that are never part of a bundle. */
export const neverBundled = ['sharp', 'tesseract.js', '@tesseract.js-data/*', '@hyzyla/pdfium'] as const

/** The files that a function carries, by their path in its package. Fails when an npm package is not installed. */
export async function carriedBy(name: string, root: string): Promise<Record<string, Uint8Array>> {
  const load = loads[name]
  if (!load) return {}
  const folders = new Set<string>()
  for (const one of load.packages) await collect(one, root, root, folders)
  const files = await Promise.all([...folders].sort().map((folder) => filesIn(folder)))
  const paths = files.flat().filter((path) => load.wanted(path))
  const contents = await Promise.all(
    paths.map(async (path): Promise<[string, Uint8Array]> => [relative(root, path), await readFile(path)]),
  )
  return Object.fromEntries(contents)
}

/** Adds the folder of a package and of all its dependencies to `folders`. A folder below `from` is preferred to the one at the root. */
async function collect(name: string, from: string, root: string, folders: Set<string>): Promise<void> {
  const folder = [from, root].map((each) => join(each, 'node_modules', name)).find((each) => existsSync(each))
  if (!folder) throw new Error(`${name} is not installed. ${MENDED_BY}`)
  if (folders.has(folder)) return
  folders.add(folder)
  const { dependencies } = v.parse(Manifest, JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  for (const needed of Object.keys(dependencies)) await collect(needed, folder, root, folders)
}

const MENDED_BY = 'Packages are made with: npm install --no-save --os=linux --cpu=x64 --libc=glibc sharp'
const Manifest = v.object({ dependencies: v.optional(v.record(v.string(), v.string()), {}) })

/** The paths of all files below a folder, without its own `node_modules`. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
    .filter((path) => !relative(folder, path).includes('node_modules'))
}
