import { type Answer, type App, openApp } from '../harness/app.ts'
import { print, say } from './tools/table.ts'

/**
 * The feed of changes by how many there are: what a page costs wherever it lies, what it costs to tell, and whether a mirror
 * that stops and goes on at random ends with all of it.
 */
export async function benchChanges(sizes: readonly number[]): Promise<void> {
  const app = await openApp()
  const rows: Record<string, string>[] = []
  let filled = 0
  for (const size of sizes) {
    const told = await tellOf(filled, size)
    filled = size
    process.stderr.write(`${size} changes told\n`)
    const measured = { ...told, ...(await measure(app, size)), ...(await mirror(app, size)) }
    Object.entries(measured).forEach(([request, cost], i) => {
      rows[i] = { ...(rows[i] ?? { request }), [`at ${size}`]: cost }
    })
  }
  print('The feed of changes: calls / units, by how many changes there are', rows)
  say(
    'The mirror reads pages of random length and reads one in four of them again. When it has read some of the feed, one record in twenty is changed, taken away or brought back. In the end its copy is compared with the public records.',
  )
}

/** Puts records into the table and tells the feed of them, as the projector does. */
async function tellOf(from: number, to: number): Promise<Record<string, string>> {
  const { fill } = await import('./tools/fill.ts')
  const { scan } = await import('../../lib/engines/table/scan.ts')
  const { writeChanges } = await import('../../lib/domain/feed/tell.ts')
  const { measureCost, currentMeter } = await import('../../lib/base/telemetry/request-cost.ts')
  const { recordItem } = await import('../../lib/domain/records/items.ts')
  // The feed tells of records alone; their claims and names would be fifteen times as much to write.
  await fill(from, to, ({ type }) => type === recordItem.type)
  const ids: string[] = []
  for await (const page of scan(['record'])) ids.push(...page.map((it) => String(it.entity_id)))
  const calls = await measureCost(async () => {
    await writeChanges(ids.map((id) => ({ sort: 'record', id })))
    return currentMeter()
  }, 'bench')
  const told = to - from
  return {
    'tell of a change': `${((calls?.calls ?? 0) / told).toFixed(2)} / ${((calls?.units ?? 0) / told).toFixed(1)}`,
  }
}

async function measure({ anon }: App, size: number): Promise<Record<string, string>> {
  const costOf = ({ status, text, cost }: Answer) => {
    if (status !== 200) throw new Error(text)
    return `${cost.calls} / ${cost.units}`
  }
  const page = async (after: number, more = '') =>
    costOf(await anon.get(`/data/changes/?limit=100&after=${after}${more}`))
  const oai = 'verb=ListIdentifiers&metadataPrefix=oai_dc'
  const first = await anon.get(`/data/oai/?${oai}`)
  const token = /<resumptionToken[^>]*>([^<]+)</.exec(first.text)?.[1] ?? ''
  return {
    'the first page': await page(0),
    'a page in the middle': await page(size / 2),
    'the last page': await page(size - 100),
    'the last page with records': await page(size - 100, '&include=record'),
    'a page of activities': costOf(await anon.get(`/data/changes/activity/${size / 200}/`)),
    'OAI-PMH: ListIdentifiers': costOf(first),
    'OAI-PMH: the next part': costOf(await anon.get(`/data/oai/?verb=ListIdentifiers&resumptionToken=${token}`)),
    'OAI-PMH: GetRecord': costOf(
      await anon.get(`/data/oai/?verb=GetRecord&metadataPrefix=oai_dc&identifier=${idIn(first.text)}`),
    ),
  }
}

const idIn = (text: string) => /<identifier>([^<]+)</.exec(text)?.[1] ?? ''

async function mirror(app: App, size: number): Promise<Record<string, string>> {
  const { Mirror } = await import('../domain/feed/mirror.ts')
  const reader = new Mirror(app, size, 100)
  for (let page = 0; page < size / 150; page += 1) await reader.readSome()
  await disturb(size)
  await reader.readAll()
  const stands = await reader.whatStands()
  const equal = [...stands].filter(([url, it]) => JSON.stringify(reader.copy.get(url)) === JSON.stringify(it)).length
  return { 'public records / in the copy / equal': `${stands.size} / ${reader.copy.size} / ${equal}` }
}

/** One record in twenty is changed, is taken away, or comes back, and the feed is told. */
async function disturb(size: number): Promise<void> {
  const [
    { recordId },
    { kinds },
    { recordItem },
    { withNextVersion, put },
    { key },
    { getMany, itemIn },
    { transact },
    { writeChanges },
  ] = await Promise.all([
    import('../../lib/base/ids/address.ts'),
    import('../../lib/domain/kinds/index.ts'),
    import('../../lib/domain/records/items.ts'),
    import('../../lib/engines/table/item.ts'),
    import('../../lib/platform/table/keys.ts'),
    import('../../lib/engines/table/read.ts'),
    import('../../lib/engines/table/transact.ts'),
    import('../../lib/domain/feed/tell.ts'),
  ])
  const all = Array.from({ length: Math.floor(size / 20) }, (_, i) => recordId(kinds.structure.code, i * 20))
  for (let start = 0; start < all.length; start += 40) {
    const ids = all.slice(start, start + 40)
    const found = await getMany(ids.map(key.head), true)
    const writes = ids.flatMap((entity_id, i) => {
      const old = itemIn(found, recordItem, { entity_id })
      if (!old) return []
      const at = new Date().toISOString()
      const next =
        i % 3 === 0
          ? withNextVersion(old, { deleted_at: old.deleted_at ? null : at })
          : withNextVersion(old, { data: { ...old.data, note: `Changed when there were ${size}.` } })
      return [put(recordItem, next, old)]
    })
    await transact(writes)
    await writeChanges(ids.map((id) => ({ sort: 'record', id })))
  }
}
