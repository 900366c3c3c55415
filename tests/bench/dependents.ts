import type { Dependent } from '../../lib/domain/foundations/items.ts'
import type { Answer } from '../harness/app.ts'
import { print } from './tools/table.ts'

/** What records of `fill` cite. */
const BOOK = 'Bench 2025'
/** Values of each record that rest on the book alone. */
const properties = ['name', 'construction_date', 'coordinates', 'note']

/**
 * What rests on a source, by how many claims name it: what a page costs wherever it lies, and what it costs to put the source in question
 * and to trust it again.
 */
export async function benchDependents(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp()
  await import('../../lib/domain/composition.ts')
  const { body: book } = await app.contributor.post('/cidoc/data_sources/', {
    body: { name: BOOK, source_type: 'book' },
  })
  const at = `/cidoc/data_sources/${book.id}/`
  const rows: Record<string, string>[] = []
  const resting = new Set<string>()
  for (const claims of sizes) {
    await restOnBook(resting, Math.ceil(claims / properties.length))
    process.stderr.write(`${claims} claims rest on the book\n`)
    const counted = await app.domain.get(`${at}dependents/`)
    const measured = {
      'the first page': costOf(counted),
      'a page of 100': costOf(await app.domain.get(`${at}dependents/?limit=100`)),
      'its tenth page': costOf(await tenthPage(app.domain, `${at}dependents/?limit=20`)),
      'by anybody': costOf(await app.anon.get(`${at}dependents/`)),
      'put in question': costOf(await question(app, at, 'withdrawn')),
      'in the queue': costOf(await app.domain.get('/data/review-queue/')),
      'trusted again': costOf(await question(app, at, 'trusted')),
      'values counted': String(counted.body.count),
    }
    // Else the book could not be put in question again.
    await (await import('../../lib/domain/foundations/restore.ts')).restoreRulings()
    Object.entries(measured).forEach(([request, cost], i) => {
      rows[i] = { ...(rows[i] ?? { request }), [`at ${claims}`]: cost }
    })
  }
  print('What rests on a source: calls / units, by how many claims name it', rows)
}

type Asker = { get: (path: string) => Promise<Answer> }

async function tenthPage(who: Asker, path: string): Promise<Answer> {
  let page = await who.get(path)
  for (let n = 1; n < 10; n += 1) {
    const { pathname, search } = new URL(page.body.next)
    page = await who.get(pathname + search)
  }
  return page
}

const question = (
  { domain }: { domain: { post: (path: string, given: { body: object }) => Promise<Answer> } },
  at: string,
  standing: string,
) => domain.post(`${at}question/`, { body: { standing, reason: 'It was copied from another book.' } })

function costOf({ status, text, cost }: Answer): string {
  if (status >= 400) throw new Error(text)
  return `${cost.calls} / ${cost.units}`
}

/** Puts published records into the table until there are `records`, and for each new one what the projector stores of its values. */
async function restOnBook(resting: Set<string>, records: number): Promise<void> {
  const { fill, putAll } = await import('./tools/fill.ts')
  const { dependent } = await import('../../lib/domain/foundations/items.ts')
  const { put } = await import('../../lib/engines/table/item.ts')
  const { citationReference } = await import('../../lib/domain/records/source-references.ts')
  const { recordItem } = await import('../../lib/domain/records/items.ts')
  const { scan } = await import('../../lib/engines/table/scan.ts')
  await fill(resting.size + 1, records + 1, ({ type }) => type === recordItem.type)
  const [reference = ''] = citationReference(BOOK)
  for await (const page of scan(['record'])) {
    const ids = page.map((it) => String(it.entity_id)).filter((id) => !resting.has(id))
    await putAll(ids.map((id) => put(dependent, restingOn(reference, id), undefined)))
    for (const id of ids) resting.add(id)
  }
}

const restingOn = (reference: string, entity_id: string): Dependent => ({
  reference,
  audience: 'published',
  support: 'alone',
  kind: 'structure',
  entity_id,
  values: properties.map((property) => ({
    property,
    claim: entity_id,
    value: 'Measured',
    references: [reference],
    successors: [],
  })),
  version: 1,
})
