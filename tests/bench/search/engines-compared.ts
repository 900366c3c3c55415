import { setTimeout as sleep } from 'node:timers/promises'
import { isProblem } from '../../../lib/base/errors.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { openSearchModel, provideDocuments, rebuildSearch } from '../../../lib/engines/search/index.ts'
import { aliasName, callServer } from '../../../lib/engines/search/opensearch/client.ts'
import { writeChanges } from '../../../lib/engines/search/opensearch/feed.ts'
import { loadIndexes } from '../../../lib/engines/search/opensearch/indexes.ts'
import type { Model } from '../../../lib/engines/search/query.ts'
import { modelOf } from '../../harness/search-model.ts'
import { print, say } from '../tools/table.ts'
import { documents, questions } from './fill.ts'
import { judgeVisitors } from './judged.ts'
import { type Finder, finderOf } from './relevance.ts'
import { hasRows, readRows } from './rows.ts'

const QUESTIONS_OF_SORT = 40
const anyone = { signedIn: false, everything: false, own: null }

/** Measures both engines on the same documents and questions. `calls` holds those of the server. */
export async function compareEngines(size: number, calls: readonly string[]): Promise<void> {
  if (!hasRows) return say('Skipped: the shared rows are not here.')
  await import('../../../lib/domain/composition.ts')
  const rows = readRows()
  const real = [...documents(rows, rows.length)]
  const [embedded, served] = [await modelOf(real), await fillServer(real)]
  await judgeVisitors({ embedded: finderOf(embedded), OpenSearch: askOneByOne(finderOf(served)) })
  await compare(`${real.length} documents, all real`, embedded, served, calls)
  const large = await modelOf(documents(rows, size))
  const largeServed = await fillServer(documents(rows, size))
  await compare(`${size} documents, most put together from pieces of real ones`, large, largeServed, calls)
  const stats = Object(await callServer('GET', `/${aliasName()}/_stats/store`))
  const bytes = Number(stats._all.primaries.store.size_in_bytes)
  say(`The index of ${size} documents has ${Math.round(bytes / size)} bytes a document.`)
}

/** Asks one question after another: one machine runs all, and a question that waits for too many others has no answer. */
function askOneByOne(find: Finder): Finder {
  let last: Promise<unknown> = Promise.resolve()
  return async (text) => {
    const answer = last.then(() => untilAnswered(async () => find(text)))
    last = answer
    return answer
  }
}

/** Makes an index of these documents alone, and opens its model. */
async function fillServer(documents: Iterable<SearchDocument>): Promise<Model> {
  provideDocuments(async () => ({ types: ['none'], documentOf: () => undefined }))
  await untilAnswered(rebuildSearch)
  const index = (await loadIndexes())?.current?.index ?? ''
  const write = (some: readonly SearchDocument[]) => untilAnswered(() => writeChanges([index], some, 'false'))
  let batch: SearchDocument[] = []
  for (const document of documents) {
    batch.push(document)
    if (batch.length < 500) continue
    await write(batch)
    batch = []
  }
  await write(batch)
  await untilAnswered(() => callServer('POST', `/${aliasName()}/_refresh`))
  return openSearchModel()
}

/** The most times that a question without an answer is asked again, and the pause before, in milliseconds. */
const AGAIN = { times: 5, pause: 2000 }

/** Asks again where a server on a busy machine has not answered in time. */
async function untilAnswered<T>(ask: () => Promise<T>, isLate: () => void = () => undefined): Promise<T> {
  for (let left = AGAIN.times; ; left -= 1) {
    try {
      return await ask()
    } catch (error) {
      if (left === 0 || !isProblem(error, 'unavailable')) throw error
      isLate()
      await sleep(AGAIN.pause)
    }
  }
}

/** Questions for which each family has many answers. */
const general = [
  'temples in patan',
  'stupas',
  'wells near bhaktapur',
  'oldest temple',
  'temple',
  'shiva temples',
  'may festivals',
  '',
]

/** How often the two engines say the same: of names with their spellings, and of questions. */
async function compare(title: string, one: Model, other: Model, calls: readonly string[]): Promise<void> {
  const names = readRows().map(({ name }) => name)
  const sorts = Object.entries(questions(names, QUESTIONS_OF_SORT))
  const rows: Record<string, string | number>[] = []
  for (const [sort, texts] of [...sorts, ['sorts, places, times', general] as const]) {
    const before = calls.length
    let [first, shared, counted, facets, again] = [0, 0, 0, 0, 0]
    for (const text of texts) {
      const query = { text, scope: anyone, limit: 10, facets: true }
      const a = await one.search(query)
      const b = await untilAnswered(
        () => other.search(query),
        () => {
          again += 1
        },
      )
      const ids = new Set(a.hits.map(({ id }) => id))
      if (a.hits[0]?.id === b.hits[0]?.id) first += 1
      shared += a.hits.length === 0 ? 1 : b.hits.filter(({ id }) => ids.has(id)).length / a.hits.length
      if (a.count === b.count) counted += 1
      if (JSON.stringify(a.facets?.resource) === JSON.stringify(b.facets?.resource)) facets += 1
    }
    const share = (number: number) => (number / texts.length).toFixed(2)
    rows.push({
      questions: sort,
      asked: texts.length,
      'same first': share(first),
      'same of ten': share(shared),
      'same count': share(counted),
      'same facet': share(facets),
      'calls of the server': share(calls.length - before),
      'asked again': again,
    })
  }
  print(`The server beside the embedded engine: ${title}`, rows)
  const query = { text: '', scope: anyone, limit: 0 }
  const [a, b] = [await one.map(query), await untilAnswered(() => other.map(query))]
  const cells = ({ clusters }: typeof a) => JSON.stringify(clusters.map(({ geohash, count }) => [geohash, count]))
  const isSame = a.count === b.count && a.points.length === b.points.length && cells(a) === cells(b)
  say(
    `The map of all of them has ${a.clusters.length} cells or ${a.points.length} points: ${isSame ? 'the same' : 'others'} in the server.`,
  )
}
