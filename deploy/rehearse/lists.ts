import { CSV } from '../../lib/platform/http/media.ts'
import { addressMaker, apiDocument, NOBODY, type Operation, routeOf } from './document.ts'
import type { Around } from './smoke.ts'
import { type Answer, formOf, good, type Speaker, signedIn } from './speaker.ts'

const isTable = ({ responses }: Operation = {}) => CSV in Object(responses?.['200']?.content)
const formats = ['csv', 'xlsx'] as const

/**
 * Asks for every list of the API document as CSV and as XLSX. `LARGEST_TABLE` is 0, so each answer must be the address of a file in the
 * bucket. A list below something that does not exist may answer 404, but each route must give one list. Returns what went wrong.
 */
export async function everyTable(origin: string, { bucket }: Around): Promise<string[]> {
  const [document, staff] = await Promise.all([apiDocument(), signedIn(origin, 'staff')])
  await fillLists(staff)
  const address = addressMaker(document, staff)
  const lists = Object.entries(document.paths).flatMap(([path, { get }]) => (isTable(get) ? [path] : []))
  const missing = new Set(lists.map(routeOf))
  const failed: string[] = []
  const fileAt = async ({ status, location, text }: Answer): Promise<string | undefined> => {
    if (status !== 303) return `${status} instead of 303: ${text.slice(0, 200)}`
    const file = await fetch(location.replace(/^https:\/\/[^/]+/, `${bucket.endpoint}/${bucket.name}`))
    const bytes = await file.arrayBuffer()
    return file.ok && bytes.byteLength > 0 ? undefined : `${file.status}, ${bytes.byteLength} bytes: ${location}`
  }
  for (const path of lists) {
    const list = await address(path)
    const isMade = !list.includes(NOBODY)
    for (const format of formats) {
      const answer = await staff('GET', `${list}${list.includes('?') ? '&' : '?'}format=${format}`)
      const fault = !isMade && answer.status === 404 ? undefined : await fileAt(answer)
      if (fault) failed.push(`${list} as ${format}: ${fault}`)
    }
    if (isMade) missing.delete(routeOf(path))
  }
  if (lists.length === 0) failed.push('no list can be a table')
  return [...failed, ...[...missing].map((route) => `nothing was there to be a table: ${route}`)]
}

/** Fills lists that are still empty: a comment on the first project, a reply to it, and an import. */
async function fillLists(who: Speaker): Promise<void> {
  const { body } = good(await who('GET', '/data/projects/'))
  const [{ slug = '' } = {}]: { slug?: string }[] = Array.isArray(body.results) ? body.results : []
  const at = `/data/projects/${slug}/comments/`
  const { comment_id: parent } = good(await who('POST', at, { comment: 'Which stone?', parent: null })).body
  good(await who('POST', at, { comment: 'The one by the gate.', parent }))
  good(await who('POST', '/data/imports/', formOf({ file: new File(['name\nShrine'], 'shrine.csv') })))
}
