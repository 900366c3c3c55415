import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import type { SearchDocument } from '../document.ts'
import { type BloomFilter, mayContain } from './bloom-filter.ts'
import { snapshotFormat } from './build.ts'
import { readPostings, unpackNumbers, type VoicedPostings } from './codec.ts'
import { type Columns, type ColumnTally, columnsFrom } from './columns.ts'
import { nameKey, type PlainName, unpackDocument, unpackNames } from './header.ts'
import { memoize } from './memoize.ts'

const texts = v.array(v.string())
const Facts = v.object({
  format: v.custom<string>((format) => format === snapshotFormat()),
  position: v.number(),
  documents: v.number(),
  anonymous: v.number(),
  labels: v.object({ resource: texts, status: texts, headings: texts, facets: v.record(v.string(), texts) }),
})
type Facts = v.InferOutput<typeof Facts>

/**
 * Limits of the caches, some 30 MB in all. `postings`: bytes. `grams`: word numbers. `words`: words. `names`: documents.
 * `documents`: characters.
 */
const CACHE_SIZES = { postings: 20_000_000, grams: 1_000_000, words: 50_000, names: 10_000, documents: 4_000_000 }
/** The memory of a document without its texts, in characters. */
const DOCUMENT_SIZE = 500

/** Opens a file that `buildSnapshot` wrote. Fails if the file is of another format. */
export const openSnapshotFile = (path: string): SnapshotFile => new SnapshotFile(path)

/** An open snapshot, for reading only. */
export class SnapshotFile {
  readonly facts: Facts
  readonly terms: Lexicon
  readonly words: Lexicon
  /** Reads the postings of a term. Undefined if no document contains the term. */
  readonly postings: (term: string) => readonly VoicedPostings[] | undefined
  readonly document: (number: number) => SearchDocument
  /** Reads all names of a document in plain words, the title first. */
  readonly names: (number: number) => PlainName[]
  readonly #db: DatabaseSync
  readonly #column: Cell
  readonly #contributor: Cell
  readonly #title: Cell
  readonly #lastRank: number
  readonly #byPlace: StatementSync

  constructor(path: string) {
    // `immutable` reads without locks. A lock costs ten times as much as reading a row.
    const db = new DatabaseSync(new URL('?immutable=1', pathToFileURL(path)), { readOnly: true })
    // Pages are read from mapped memory. The system caches them for all processes together.
    db.exec('PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -2000')
    this.#db = db
    this.facts = v.parse(Facts, JSON.parse(String(cell(db, 'SELECT facts FROM facts')())))
    this.terms = new Lexicon(db, 'term')
    this.words = new Lexicon(db, 'word')
    this.#column = cell(db, 'SELECT data FROM columns WHERE name = ?')
    this.#contributor = cell(db, 'SELECT number FROM contributor WHERE id = ?')
    this.#title = cell(db, 'SELECT key FROM name WHERE rank = ?')
    this.#lastRank = Number(cell(db, 'SELECT max(rank) FROM name')() ?? 0)
    this.#byPlace = db.prepare('SELECT number FROM document WHERE place = ?')

    const lists = cell(db, 'SELECT data FROM term JOIN term_list USING (number) WHERE term.text = ?')
    this.postings = memoize(
      (term: string) => {
        const data = bytesIn(lists(term))
        return data && readPostings(data)
      },
      CACHE_SIZES.postings,
      (all) => all.reduce((sum, { postings }) => sum + 200 + 4 * postings.lows.length, 0),
    )
    const body = cell(db, 'SELECT body FROM document WHERE number = ?')
    this.document = memoize(
      (number: number) => documentIn(body(number)),
      CACHE_SIZES.documents,
      ({ summary, text }) => DOCUMENT_SIZE + summary.length + text.length,
    )
    const names = cell(db, 'SELECT names FROM document WHERE number = ?')
    this.names = memoize((number: number) => unpackNames(String(names(number))), CACHE_SIZES.names)
  }

  columns(): Columns {
    return columnsFrom(this.facts.documents, (name) => bytesIn(this.#column(name)))
  }

  /** Finds documents by the beginning of their ids (`numberFromId`). The caller compares the whole id. */
  numbersAt(place: number): number[] {
    return this.#byPlace.all(place).map((row) => Number(row.number))
  }

  /** The number that stands for a contributor in the column `contributor`. Undefined if no document has this contributor. */
  contributor(id: string): number | undefined {
    const number = this.#contributor(id)
    return number === undefined ? undefined : Number(number)
  }

  /** Lists removed documents with their versions. */
  gone(): { id: string; version: number }[] {
    const rows = this.#db.prepare('SELECT id, version FROM gone').all()
    return rows.map(({ id, version }) => ({ id: String(id), version: Number(version) }))
  }

  /** The rank of a title among the titles of the snapshot. The rank of a new title is between two ranks: 7.5. */
  rank(title: string): number {
    const key = nameKey(title)
    let [low, high] = [0, this.#lastRank]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (String(this.#title(middle)) <= key) low = middle
      else high = middle - 1
    }
    return low > 0 && String(this.#title(low)) === key ? low : low + 0.5
  }

  *documents(): Iterable<SearchDocument> {
    for (const row of this.#db.prepare('SELECT body FROM document ORDER BY number').iterate())
      yield documentIn(row.body)
  }

  close(): void {
    this.#db.close()
  }
}

export type WordCounts = Record<ColumnTally, number>
/** Whether the caller may learn of a word. What a limit cuts off must not depend on hidden words. */
export type WordFilter = (word: string) => boolean

/** A vocabulary of a snapshot: its terms, or its raw words. */
export class Lexicon {
  /** In how many documents a word stands; undefined if in none. */
  readonly counts: (word: string) => WordCounts | undefined
  readonly #from: StatementSync
  readonly #wordAt: (number: number) => string
  readonly #numbersWith: (gram: string) => Uint32Array | undefined
  /** How many grams each word shares with a text; all zeros between two calls of `sharing`. */
  readonly #shared: Uint8Array

  constructor(db: DatabaseSync, table: 'term' | 'word') {
    const counts = db.prepare(`SELECT anon, total FROM ${table} WHERE text = ?`)
    const countsOf = memoize((word: string): WordCounts | undefined => {
      const row = counts.get(word)
      return row && { anon: Number(row.anon), total: Number(row.total) }
    }, CACHE_SIZES.words)
    const stored = bytesIn(cell(db, 'SELECT data FROM columns WHERE name = ?')(`${table}_filter`))
    const filter: BloomFilter = stored ?? new Uint8Array(8).fill(255)
    // Most spellings that search tries are not words. The Bloom filter excludes these without a query.
    this.counts = (word) => (mayContain(filter, word) ? countsOf(word) : undefined)
    this.#from = db.prepare(`SELECT text FROM ${table} WHERE text >= ? AND text < ? ORDER BY text`)
    const word = cell(db, `SELECT text FROM ${table}_list WHERE number = ?`)
    this.#wordAt = memoize((number: number) => String(word(number)), CACHE_SIZES.words)
    const gram = cell(db, `SELECT data FROM ${table}_gram WHERE gram = ?`)
    this.#numbersWith = memoize(
      (each: string) => {
        const data = bytesIn(gram(each))
        return data && unpackNumbers(data)
      },
      CACHE_SIZES.grams,
      (numbers) => numbers.length,
    )
    this.#shared = new Uint8Array(Number(cell(db, `SELECT count(*) FROM ${table}_list`)()))
  }

  /** Lists admitted words that begin with a text, in order, `most` at most. */
  beginning(text: string, most: number, admits: WordFilter): string[] {
    const words: string[] = []
    for (const row of this.#from.iterate(text, `${text}\u{10ffff}`)) {
      const word = String(row.text)
      if (admits(word)) words.push(word)
      if (words.length === most) break
    }
    return words
  }

  /** Lists admitted words with at least `least` of these grams, `most` at most. Words with the most grams come first. */
  sharing(grams: readonly string[], least: number, most: number, admits: WordFilter): string[] {
    const shared = this.#shared
    const numbers: number[] = []
    for (const gram of grams) {
      for (const number of this.#numbersWith(gram) ?? []) {
        const count = (shared[number] ?? 0) + 1
        shared[number] = count
        if (count === least) numbers.push(number)
      }
    }
    numbers.sort((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0) || a - b)
    shared.fill(0)
    const words: string[] = []
    for (const number of numbers) {
      const word = this.#wordAt(number)
      if (admits(word)) words.push(word)
      if (words.length === most) break
    }
    return words
  }
}

/** Runs one statement and returns the first column of its first row. */
type Cell = (...values: (string | number)[]) => unknown
function cell(db: DatabaseSync, sql: string): Cell {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return (...values) => statement.get(...values)?.[0]
}

const bytesIn = (data: unknown): Uint8Array | undefined => (data instanceof Uint8Array ? data : undefined)
const documentIn = (body: unknown): SearchDocument => unpackDocument(bytesIn(body) ?? new Uint8Array())
