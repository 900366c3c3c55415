import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as v from 'valibot'

/** What a function takes along whole: `packages` with all that they need, of whose files `wanted` says which. */
type Load = { packages: readonly string[]; wanted: (path: string) => boolean }

/** What reads PDFs: WebAssembly, in the form that Node asks for by require(). */
const pdfium = '@hyzyla/pdfium'
const isOfPdfium = (path: string) => path.includes(`/${pdfium}/`)
const wantedOfPdfium = (path: string) => /\/(package\.json|dist\/index\.cjs|dist\/pdfium\.wasm)$/.test(path)

const sharp: Load = {
  // For the architecture that serverless.yml gives these functions.
  packages: ['sharp', '@img/sharp-linux-x64', '@img/sharp-libvips-linux-x64'],
  wanted: (path) => !/\.(md|map|d\.[mc]?ts|h)$|\/(src|install|include)\//.test(path),
}

/** Native code, and packages that find their files by their place. No other function carries any of it. */
const loads: Readonly<Record<string, Load>> = {
  'asset-files': {
    packages: [...sharp.packages, pdfium],
    wanted: (path) => (isOfPdfium(path) ? wantedOfPdfium(path) : sharp.wanted(path)),
  },
  iiif: sharp,
  pictures: sharp,
  ocr: {
    packages: ['tesseract.js', '@tesseract.js-data/eng', '@tesseract.js-data/nep', pdfium],
    // The reader's own sources, all cores that it may choose (it asks for one by the processor and the engine), and the
    // smaller of two sets of data.
    wanted: (path) =>
      (!isOfPdfium(path) || wantedOfPdfium(path)) &&
      !/\.(md|map|d\.[mc]?ts)$/.test(path) &&
      !/\/tesseract\.js\/(dist|docs|examples|scripts)\//.test(path) &&
      !/\/tesseract\.js-core\/(?!package\.json|index\.js)[^/]*\.wasm\.js$/.test(path) &&
      !/\/@tesseract\.js-data\/\w+\/4\.0\.0\//.test(path),
  },
}

/** Packages that stay beside the bundle. */
export const neverBundled = ['sharp', 'tesseract.js', '@tesseract.js-data/*', '@hyzyla/pdfium'] as const

/** The files that a function takes along, by their place beside `functions/`. Fails when a package is not installed. */
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

/** A package and all that it needs, each in the folder where it is found from there. */
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

/** All files of a package; the packages inside it are named by themselves. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
    .filter((path) => !relative(folder, path).includes('node_modules'))
}
