import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import type { Document } from '../document.ts'
import { mayContain } from './bloom-filter.ts'
import { formatOf } from './build.ts'
import { readPostings, unpackNumbers, type VoicedPostings } from './codec.ts'
import { type Columns, columnsFrom, type Sight } from './columns.ts'
import { nameKey, type PlainName, unpackDocument, unpackNames } from './header.ts'
import { memoize } from './memoize.ts'

export type Counts = Record<Sight, number>
/** A vocabulary of a snapshot: terms, or raw words. */
export type Lexicon = {
  counts: (text: string) => Counts | undefined
  /** Admitted words that begin with a text, in order, `most` at most. */
  beginning: (text: string, most: number, admits: WordFilter) => string[]
  /** Admitted words that hold at least `least` of these grams, `most` at most. Those that hold most come first. */
  sharing: (grams: readonly string[], least: number, most: number, admits: WordFilter) => string[]
}

/** Whether the caller may learn of a word. What a limit cuts off must not depend on hidden words. */
export type WordFilter = (word: string) => boolean

/** A snapshot, opened to be read. It is never written. */
export type SnapshotFile = {
  facts: Facts
  terms: Lexicon
  words: Lexicon
  postings: (term: string) => readonly VoicedPostings[] | undefined
  columns: () => Columns
  document: (number: number) => Document
  /** Every name in plain words, the title first. */
  names: (number: number) => PlainName[]
  /** The documents whose ids have this beginning (`placeOf`). The caller compares the whole id. */
  at: (place: number) => number[]
  contributor: (id: string) => number | undefined
  gone: () => { id: string; version: number }[]
  /** The rank of a title among those of the snapshot; between two ranks if none is equal. */
  rank: (title: string) => number
  documents: () => Iterable<Document>
  close: () => void
}

const texts = v.array(v.string())
const Facts = v.object({
  format: v.custom<string>((it) => it === formatOf()),
  position: v.number(),
  documents: v.number(),
  anonymous: v.number(),
  labels: v.object({ resource: texts, status: texts, category: texts, facets: v.record(v.string(), texts) }),
})
export type Facts = v.InferOutput<typeof Facts>

/**
 * The most that is kept in memory once read, some 30 MB in all: bytes of postings, numbers of words with a gram,
 * letters of documents. Of the rest, how many.
 */
const MOST = { postings: 20_000_000, grams: 1_000_000, words: 50_000, names: 10_000, documents: 4_000_000 }

/** Opens a file that `buildSnapshot` wrote; fails on any other. */
export function openSnapshotFile(path: string): SnapshotFile {
  // `immutable` reads without locks: a lock costs ten times as much as reading a row.
  const db = new DatabaseSync(new URL('?immutable=1', pathToFileURL(path)), { readOnly: true })
  // Pages are read from mapped memory. The system keeps as many as it has room for, for all processes together.
  db.exec('PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -2000')
  const cell = cellsOf(db)
  const facts = v.parse(Facts, JSON.parse(String(cell('SELECT facts FROM facts')())))
  const at = db.prepare('SELECT number FROM document WHERE place = ?')
  const contributor = cell('SELECT number FROM contributor WHERE id = ?')
  const column = cell('SELECT data FROM columns WHERE name = ?')
  return {
    facts,
    terms: lexicon(db, 'term'),
    words: lexicon(db, 'word'),
    ...documentsOf(cell),
    postings: postingsOf(cell),
    columns: () => columnsFrom(facts.documents, (each) => bytes(column(each))),
    at: (place) => at.all(place).map((row) => Number(row.number)),
    contributor: (id) => {
      const number = contributor(id)
      return number === undefined ? undefined : Number(number)
    },
    gone: () => {
      const rows = db.prepare('SELECT id, version FROM gone').all()
      return rows.map(({ id, version }) => ({ id: String(id), version: Number(version) }))
    },
    rank: ranksOf(cell),
    documents: function* () {
      for (const row of db.prepare('SELECT body FROM document ORDER BY number').iterate()) yield documentIn(row.body)
    },
    close: () => db.close(),
  }
}

/** Prepares statements that return the first column of the first row. */
type Cells = (sql: string) => (...values: (string | number)[]) => unknown
const cellsOf =
  (db: DatabaseSync): Cells =>
  (sql) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return (...values) => statement.get(...values)?.[0]
  }
const bytes = (data: unknown): Uint8Array | undefined => (data instanceof Uint8Array ? data : undefined)

function postingsOf(cell: Cells): SnapshotFile['postings'] {
  const stored = cell('SELECT data FROM term JOIN term_list USING (number) WHERE term.text = ?')
  const read = (term: string) => {
    const data = bytes(stored(term))
    return data && readPostings(data)
  }
  return memoize(read, MOST.postings, (lists) =>
    lists.reduce((sum, { postings }) => sum + 200 + 4 * postings.lows.length, 0),
  )
}

function documentsOf(cell: Cells): Pick<SnapshotFile, 'document' | 'names'> {
  const names = cell('SELECT names FROM document WHERE number = ?')
  const body = cell('SELECT body FROM document WHERE number = ?')
  return {
    names: memoize((number: number) => unpackNames(String(names(number))), MOST.names),
    document: memoize(
      (number: number) => documentIn(body(number)),
      MOST.documents,
      ({ summary, text }) => DOCUMENT + summary.length + text.length,
    ),
  }
}
/** What a document takes up beside its texts. */
const DOCUMENT = 500
const documentIn = (body: unknown): Document => unpackDocument(bytes(body) ?? new Uint8Array())

/** Finds a rank by binary search: the titles lie in order. */
function ranksOf(cell: Cells): SnapshotFile['rank'] {
  const name = cell('SELECT key FROM name WHERE rank = ?')
  const last = Number(cell('SELECT max(rank) FROM name')() ?? 0)
  return (title) => {
    const key = nameKey(title)
    let [low, high] = [0, last]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (String(name(middle)) <= key) low = middle
      else high = middle - 1
    }
    return low > 0 && String(name(low)) === key ? low : low + 0.5
  }
}

/** Reads a vocabulary of the snapshot. */
function lexicon(db: DatabaseSync, table: 'term' | 'word'): Lexicon {
  const counts = db.prepare(`SELECT anon, total FROM ${table} WHERE text = ?`)
  const beginningStatement = db.prepare(`SELECT text FROM ${table} WHERE text >= ? AND text < ? ORDER BY text`)
  const gram = db.prepare(`SELECT data FROM ${table}_gram WHERE gram = ?`)
  const word = db.prepare(`SELECT text FROM ${table}_list WHERE number = ?`)
  const size = Number(db.prepare(`SELECT count(*) AS n FROM ${table}_list`).get()?.n)
  const stored = db.prepare('SELECT data FROM columns WHERE name = ?').get(`${table}_filter`)?.data
  const filter = stored instanceof Uint8Array ? stored : new Uint8Array(8).fill(255)
  const textOf = memoize((number: number) => String(word.get(number)?.text), MOST.words)
  const countsOf = memoize((text: string): Counts | undefined => {
    const row = counts.get(text)
    return row && { anon: Number(row.anon), total: Number(row.total) }
  }, MOST.words)
  const wordsWith = memoize(
    (each: string) => {
      const data = gram.get(each)?.data
      return data instanceof Uint8Array ? unpackNumbers(data) : undefined
    },
    MOST.grams,
    (numbers) => numbers.length,
  )
  const shared = new Uint8Array(size)
  return {
    // Most spellings that are tried are no word. The Bloom filter answers those without a query.
    counts: (text) => (mayContain(filter, text) ? countsOf(text) : undefined),
    beginning: (text, most, admits) => {
      const words: string[] = []
      for (const row of beginningStatement.iterate(text, `${text}\u{10ffff}`)) {
        const word = String(row.text)
        if (admits(word)) words.push(word)
        if (words.length === most) break
      }
      return words
    },
    sharing: (grams, least, most, admits) => {
      const found: number[] = []
      for (const each of grams) {
        for (const number of wordsWith(each) ?? []) {
          const n = (shared[number] ?? 0) + 1
          shared[number] = n
          if (n === least) found.push(number)
        }
      }
      found.sort((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0) || a - b)
      shared.fill(0)
      const words: string[] = []
      for (const number of found) {
        const text = textOf(number) ?? ''
        if (admits(text)) words.push(text)
        if (words.length === most) break
      }
      return words
    },
  }
}
