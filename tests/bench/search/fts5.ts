import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { fold } from '../../../lib/engines/matching/fold.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'

/** What it was given, in words, for the output. */
export const setUp = `SQLite FTS5 (node:sqlite): texts folded as ours are, in a contentless table of unicode61 without diacritics with an index of
beginnings (names weigh 10, summary 3, text 1), and one of trigrams over the names; read without locks, as our snapshots are.
First all words, the last one as a beginning, the ten best by bm25; fewer than ten rows and the query has three letters or
more: the rows whose names have any trigrams of the query as well, the ten best by bm25. No filter, no date, no count;
of many documents 25 questions of each sort only, and of more than 100,000 none.`

export type Fts5 = { seconds: number; bytes: number; find: (text: string) => string[]; close: () => void }

const schema = `
  CREATE TABLE document (number INTEGER PRIMARY KEY, id TEXT);
  CREATE VIRTUAL TABLE words USING fts5(
    title, names, summary, body, content = '', prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE trigrams USING fts5(names, content = '', tokenize = 'trigram');`

/** Builds a file of its own from the documents and opens it. */
export function openFts5(documents: Iterable<SearchDocument>): Fts5 {
  const directory = mkdtempSync(join(tmpdir(), 'heritage-fts5-'))
  const path = join(directory, 'fts5.sqlite')
  const began = performance.now()
  write(path, documents)
  const seconds = (performance.now() - began) / 1000
  const db = new DatabaseSync(new URL('?immutable=1', pathToFileURL(path)), { readOnly: true })
  db.exec('PRAGMA mmap_size = 2147418112')
  return {
    seconds,
    bytes: statSync(path).size,
    find: finder(db),
    close: () => {
      db.close()
      rmSync(directory, { recursive: true })
    },
  }
}

function write(path: string, documents: Iterable<SearchDocument>): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536')
  db.exec(schema)
  db.exec('BEGIN')
  const document = db.prepare('INSERT INTO document (number, id) VALUES (?, ?)')
  const words = db.prepare('INSERT INTO words (rowid, title, names, summary, body) VALUES (?, ?, ?, ?, ?)')
  const trigrams = db.prepare('INSERT INTO trigrams (rowid, names) VALUES (?, ?)')
  let number = 0
  for (const it of documents) {
    number += 1
    const [title, names] = [fold(it.title), it.names.map(fold).join(' ')]
    document.run(number, it.object_pk)
    words.run(number, title, names, fold(it.summary), fold(it.text))
    trigrams.run(number, `${title} ${names}`)
  }
  db.exec("COMMIT; INSERT INTO words (words, rank) VALUES ('rank', 'bm25(10, 10, 3, 1)')")
  for (const table of ['words', 'trigrams']) db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`)
  db.close()
}

function finder(db: DatabaseSync): (text: string) => string[] {
  const best = (table: string) => {
    const rows = db.prepare(`SELECT rowid AS number FROM ${table} WHERE ${table} MATCH ? ORDER BY rank LIMIT 10`)
    return (query: string) => rows.all(query).map(({ number }) => Number(number))
  }
  const [words, trigrams] = [best('words'), best('trigrams')]
  const id = db.prepare('SELECT id FROM document WHERE number = ?')
  return (text) => {
    const plain = fold(text)
    if (plain === '') return []
    const found = words(`${plain.split(' ').map(quoted).join(' ')}*`)
    if (found.length < 10 && plain.length >= 3) found.push(...trigrams(piecesOf(plain).map(quoted).join(' OR ')))
    return [...new Set(found)].slice(0, 10).map((number) => String(id.get(number)?.id))
  }
}

const quoted = (text: string) => `"${text}"`
const piecesOf = (text: string) => [...new Set(Array.from({ length: text.length - 2 }, (_, i) => text.slice(i, i + 3)))]

/**
 * What bm25() says of two public rows that hold both words of a question, before and after rows are stored that hardly anyone
 * may see. Less is better.
 */
export function bm25BesideHidden() {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE VIRTUAL TABLE words USING fts5(title)')
  const insert = db.prepare('INSERT INTO words (rowid, title) VALUES (?, ?)')
  const shown = ['shiva shiva kumari', 'shiva kumari kumari', 'kumari ghar', 'patan dhoka', 'hiti', 'pokhari', 'sattal']
  for (const [i, title] of shown.entries()) insert.run(i, title)
  const both = db.prepare("SELECT bm25(words) AS score FROM words WHERE words MATCH 'shiva kumari' ORDER BY rowid")
  const scores = () => both.all().map(({ score }) => Number(score))
  const before = scores()
  for (let i = 0; i < 20; i += 1) insert.run(100 + i, i % 2 ? 'shiva hidden' : 'pond hidden')
  return { titles: shown.slice(0, 2), before, after: scores() }
}

/** FTS5 with Porter's stems, as texts are commonly searched: any of the words, the best by bm25 (title 3, other names 3, the rest 1). */
export function openFts5Stemmed(documents: Iterable<SearchDocument>): Pick<Fts5, 'find' | 'close'> {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE document (number INTEGER PRIMARY KEY, id TEXT);
    CREATE VIRTUAL TABLE words USING fts5(title, names, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2')`)
  const document = db.prepare('INSERT INTO document (number, id) VALUES (?, ?)')
  const words = db.prepare('INSERT INTO words (rowid, title, names, body) VALUES (?, ?, ?, ?)')
  let number = 0
  for (const it of documents) {
    document.run(++number, it.object_pk)
    words.run(number, it.title, it.names.join(' '), `${it.summary} ${it.text}`)
  }
  const best = db.prepare(`SELECT id FROM words JOIN document ON number = words.rowid
    WHERE words MATCH ? ORDER BY bm25(words, 3, 3, 1) LIMIT 10`)
  return {
    find: (text) => {
      const asked = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
      return asked.length === 0 ? [] : best.all(asked.map(quoted).join(' OR ')).map(({ id }) => String(id))
    },
    close: () => db.close(),
  }
}
