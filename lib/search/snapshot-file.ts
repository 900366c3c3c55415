import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import { FORMAT } from './build.ts'
import { eachNumber, type Postings, unpackPostings } from './codec.ts'
import { type Columns, columnsFrom, type Sight } from './columns.ts'
import type { Document } from './document.ts'
import { type Face, nameKey, namesIn, unpackFace } from './face.ts'
import { mayHold } from './sieve.ts'

export type Counts = Record<Sight, number>
/** A vocabulary of a snapshot: terms, or raw words. */
export type Lexicon = {
  counts: (text: string) => Counts | undefined
  /** The words that begin with a text, in order, so many at most of those that are admitted. */
  beginning: (text: string, most: number, admits: Admits) => string[]
  /** The words that hold at least `least` of these grams, those that hold most first, so many at most of those that are admitted. */
  sharing: (grams: readonly string[], least: number, most: number, admits: Admits) => string[]
}

/** Whether a word may be told of. What is cut off by a limit must not depend on words that may not. */
export type Admits = (word: string) => boolean

/** A snapshot, opened to be read. It is never written. */
export type SnapshotFile = {
  facts: Facts
  terms: Lexicon
  words: Lexicon
  postings: (term: string) => Postings | undefined
  columns: () => Columns
  face: (number: number) => Face
  /** The names as `packNames` wrote them. */
  names: (number: number) => string
  /** The names as they were written, the title first. */
  written: (number: number) => string[]
  text: (number: number) => string
  /** The documents whose ids begin alike; the caller compares the whole id. */
  at: (place: number) => number[]
  contributor: (id: string) => number | undefined
  gone: () => { id: string; version: number }[]
  /** Where a title stands among those of the snapshot; between two ranks when none is equal. */
  rank: (title: string) => number
  documents: () => Iterable<Document>
  close: () => void
}

const Facts = v.object({
  format: v.literal(FORMAT),
  position: v.number(),
  documents: v.number(),
  anonymous: v.number(),
  resources: v.array(v.string()),
  statuses: v.array(v.string()),
  categories: v.array(v.string()),
})
export type Facts = v.InferOutput<typeof Facts>

/** Lists of so many documents or more are kept unpacked, 5 bytes for each document of each list, until they are too many. */
const LONG = 2000
const MOST_HELD = 4_000_000

/** Opens a file that `build` wrote; fails on any other. */
export function openFile(path: string): SnapshotFile {
  // Nobody ever writes it, so that no read needs to lock it: a lock costs ten times what reading a row does.
  const db = new DatabaseSync(new URL('?immutable=1', pathToFileURL(path)), { readOnly: true })
  // Pages are read where they lie; the system keeps as many in memory as it has room for, for all processes together.
  db.exec('PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -2000')
  const one = (sql: string) => {
    const statement = db.prepare(sql)
    return (...values: (string | number)[]) => statement.get(...values)
  }
  const facts = v.parse(Facts, JSON.parse(String(one('SELECT facts FROM facts')()?.facts)))
  const postings = one('SELECT term.total, data FROM term JOIN term_list USING (number) WHERE term.text = ?')
  const names = one('SELECT names FROM document WHERE number = ?')
  const face = one('SELECT face FROM document WHERE number = ?')
  const text = one('SELECT text FROM document WHERE number = ?')
  const at = db.prepare('SELECT number FROM document WHERE place = ?')
  const contributor = one('SELECT number FROM contributor WHERE id = ?')
  const column = one('SELECT data FROM columns WHERE name = ?')
  const name = one('SELECT key FROM name WHERE rank = ?')
  const ranks = Number(one('SELECT max(rank) AS n FROM name')()?.n ?? 0)
  // Long lists belong to common words, which come in most questions.
  const lists = new Map<string, Postings>()
  let held = 0
  const keep = (term: string, list: Postings) => {
    if (list.numbers.length < LONG) return
    lists.set(term, list)
    held += list.numbers.length
    for (const [oldest, { numbers }] of lists) {
      if (held <= MOST_HELD) break
      lists.delete(oldest)
      held -= numbers.length
    }
  }
  return {
    facts,
    terms: lexicon(db, 'term'),
    words: lexicon(db, 'word'),
    postings: (term) => {
      const known = lists.get(term)
      if (known) return known
      const row = postings(term)
      if (!(row?.data instanceof Uint8Array)) return undefined
      const list = unpackPostings(row.data, Number(row.total))
      keep(term, list)
      return list
    },
    columns: () =>
      columnsFrom(facts.documents, (each) => {
        const data = column(each)?.data
        return data instanceof Uint8Array ? data : undefined
      }),
    face: (number) => unpackFace(String(face(number)?.face)),
    names: (number) => String(names(number)?.names),
    written: (number) => namesIn(String(face(number)?.face)),
    text: (number) => String(text(number)?.text),
    at: (place) => at.all(place).map((row) => Number(row.number)),
    contributor: (id) => {
      const row = contributor(id)
      return row && Number(row.number)
    },
    gone: () =>
      db
        .prepare('SELECT id, version FROM gone')
        .all()
        .map((row) => ({ id: String(row.id), version: Number(row.version) })),
    rank: (title) => {
      const key = nameKey(title)
      let [low, high] = [0, ranks]
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if (String(name(middle)?.key) <= key) low = middle
        else high = middle - 1
      }
      return low > 0 && String(name(low)?.key) === key ? low : low + 0.5
    },
    documents: function* () {
      for (const row of db.prepare('SELECT face, text FROM document ORDER BY number').iterate())
        yield { ...unpackFace(String(row.face)), text: String(row.text) }
    },
    close: () => db.close(),
  }
}

/** So many words of a vocabulary are kept in memory once they have been read. */
const MOST_KEPT = 50_000

function lexicon(db: DatabaseSync, table: 'term' | 'word'): Lexicon {
  const counts = db.prepare(`SELECT anon, total FROM ${table} WHERE text = ?`)
  const beginning = db.prepare(`SELECT text FROM ${table} WHERE text >= ? AND text < ? ORDER BY text`)
  const gram = db.prepare(`SELECT data FROM ${table}_gram WHERE gram = ?`)
  const word = db.prepare(`SELECT text FROM ${table}_list WHERE number = ?`)
  const size = Number(db.prepare(`SELECT count(*) AS n FROM ${table}_list`).get()?.n)
  // The file never changes, so what was read once holds. Words come again and again.
  const read = new Map<number, string>()
  const textOf = (number: number): string => {
    const known = read.get(number)
    if (known !== undefined) return known
    const text = String(word.get(number)?.text)
    if (read.size < MOST_KEPT) read.set(number, text)
    return text
  }
  const counted = new Map<string, Counts>()
  const stored = db.prepare('SELECT data FROM columns WHERE name = ?').get(`${table}_sieve`)?.data
  const sieve = stored instanceof Uint8Array ? stored : new Uint8Array(8).fill(255)
  return {
    counts: (text) => {
      const known = counted.get(text)
      if (known || !mayHold(sieve, text)) return known
      const row = counts.get(text)
      if (!row) return undefined
      const found = { anon: Number(row.anon), total: Number(row.total) }
      if (counted.size < MOST_KEPT) counted.set(text, found)
      return found
    },
    beginning: (text, most, admits) => {
      const words: string[] = []
      for (const row of beginning.iterate(text, `${text}\u{10ffff}`)) {
        const word = String(row.text)
        if (admits(word)) words.push(word)
        if (words.length === most) break
      }
      return words
    },
    sharing: (grams, least, most, admits) => {
      const shared = new Uint8Array(size)
      const found: number[] = []
      for (const each of grams) {
        const data = gram.get(each)?.data
        if (!(data instanceof Uint8Array)) continue
        eachNumber(data, (number) => {
          const n = (shared[number] ?? 0) + 1
          shared[number] = n
          if (n === least) found.push(number)
        })
      }
      found.sort((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0) || a - b)
      const words: string[] = []
      for (const number of found) {
        const text = textOf(number)
        if (admits(text)) words.push(text)
        if (words.length === most) break
      }
      return words
    },
  }
}
