import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { stringify } from 'yaml'
import { FOLDER } from '../../lib/base/telemetry/shipped-files.ts'
import { personas, roleOf } from '../stand-ins/people.ts'
import { buildDocument } from './built-document.ts'

/** `beside`: a file of which `read` puts something in. */
type File = { from: string; beside?: string; read?: (text: string) => string }

/**
 * Builds what the function `documents` serves: the API document as JSON and YAML, and the page with its viewer. Returns the gzipped
 * files by their path in the package. A file that is newer than its source is not built again.
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
  const page = join(root, 'api/docs/page.html')
  return {
    'openapi.json': { from: document },
    'openapi.yaml': { from: document, read: (text) => stringify(JSON.parse(text), { aliasDuplicateObjects: false }) },
    'page.html': { from: page, read: (html) => html.replace(/<!-- dev -->[\s\S]*<!-- \/dev -->\n/, '') },
    'page-dev.html': { from: page, beside: join(root, 'deploy/stand-ins/people.ts'), read: withPeople },
    'page.css': { from: join(root, 'api/docs/page.css') },
    'page.js': { from: join(root, 'api/docs/page.js') },
    'swagger-ui.css': { from: join(viewer, 'swagger-ui.css'), read: withoutMap },
    'swagger-ui-bundle.js': { from: join(viewer, 'swagger-ui-bundle.js'), read: withoutMap },
    'favicon.png': { from: join(viewer, 'favicon-32x32.png') },
  }
}

/** Offers the seeded people to whoever signs in. */
const withPeople = (html: string) =>
  html.replace('<datalist id="people">', (list) =>
    [list, ...personas.map((it) => `<option value="${it.email}">${roleOf(it)}</option>`)].join('\n'),
  )

/** Removes the comment that points to a source map, since no map is shipped. */
const withoutMap = (text: string) => text.replace(/\n?\/[/*]# sourceMappingURL=[^\n]*$/, '')

async function pack(root: string, name: string, { from, beside, read }: File): Promise<Uint8Array> {
  const to = join(root, FOLDER, `${name}.gz`)
  const sources = await Promise.all([from, ...(beside ? [beside] : [])].map((it) => stat(it)))
  const target = await stat(to).catch(() => undefined)
  // npm keeps the mtime that a file had when it was published. Only ctime says when it was installed.
  if (target && sources.every(({ ctimeMs }) => target.mtimeMs > ctimeMs)) return readFile(to)
  const bytes = await readFile(from)
  const packed = gzipSync(read ? read(bytes.toString('utf8')) : bytes, { level: 9 })
  await writeFile(to, packed)
  return packed
}
