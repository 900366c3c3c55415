import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { stringify } from 'yaml'
import { FOLDER } from '../../lib/ops/shipped-files.ts'
import { buildDocument } from './built-document.ts'

type File = { from: string; read?: (text: string) => string }

/**
 * Builds what the `documents` function ships: the API document in two forms, and the page with its viewer. Answers the
 * packed files by the names that they have in a package. What is newer than its source is left as it is.
 */
export async function buildDocuments(root: string): Promise<Record<string, Uint8Array>> {
  await mkdir(join(root, FOLDER), { recursive: true })
  const document = await buildDocument(root)
  const made = await Promise.all(
    Object.entries(files(root, document)).map(async ([name, file]) => [
      join(FOLDER, `${name}.gz`),
      await pack(root, name, file),
    ]),
  )
  return Object.fromEntries(made)
}

function files(root: string, document: string): Record<string, File> {
  const viewer = dirname(createRequire(join(root, 'package.json')).resolve('swagger-ui-dist/package.json'))
  const page = join(root, 'local/api/docs/page.html')
  return {
    'openapi.json': { from: document },
    'openapi.yaml': { from: document, read: (text) => stringify(JSON.parse(text), { aliasDuplicateObjects: false }) },
    'page.html': { from: page, read: (html) => html.replace(/<!-- dev -->[\s\S]*<!-- \/dev -->\n/, '') },
    'page-dev.html': { from: page },
    'page.css': { from: join(root, 'local/api/docs/page.css') },
    'page.js': { from: join(root, 'local/api/docs/page.js') },
    'swagger-ui.css': { from: join(viewer, 'swagger-ui.css'), read: withoutMap },
    'swagger-ui-bundle.js': { from: join(viewer, 'swagger-ui-bundle.js'), read: withoutMap },
    'favicon.png': { from: join(viewer, 'favicon-32x32.png') },
  }
}

/** The maps are not shipped, so nothing points at them. */
const withoutMap = (text: string) => text.replace(/\n?\/[/*]# sourceMappingURL=[^\n]*$/, '')

async function pack(root: string, name: string, { from, read }: File): Promise<Uint8Array> {
  const to = join(root, FOLDER, `${name}.gz`)
  const [source, target] = await Promise.all([stat(from), stat(to).catch(() => undefined)])
  // An installed package keeps the times of its maker; when a file came to lie here is told by its ctime alone.
  if (target && target.mtimeMs > source.ctimeMs) return readFile(to)
  const bytes = await readFile(from)
  const packed = gzipSync(read ? read(bytes.toString('utf8')) : bytes, { level: 9 })
  await writeFile(to, packed)
  return packed
}
