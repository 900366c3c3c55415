import { DatabaseSync } from 'node:sqlite'
import type { GoneDocument, SearchDocument } from '../document.ts'
import { loadVocabulary, vocabularyDigest } from '../vocabulary.ts'
import { bloomFilterOf } from './bloom-filter.ts'
import { newPackedNumbers, type PackedNumbers, packedBytes, pushNumber, VoicedLists, writePostings } from './codec.ts'
import {
  appendRow,
  type ColumnTally,
  columnBytes,
  columnNames,
  columnsFrom,
  columnTallies,
  labelsFrom,
  Numbering,
  tallyFlags,
  textsOf,
} from './columns.ts'
import { contentsOf } from './contents.ts'
import { piecesOf, termGramsOf } from './grams.ts'
import { nameKey, packDocument, packNames } from './header.ts'

/** `position`: the last entry of the change log that is in the file. */
export type BuildResult = { documents: number; position: number }

/**
 * Writes a snapshot: one SQLite file that never changes afterwards. It contains the documents, the columns, and two
 * vocabularies: terms and raw words. Each term has its postings, each gram the words that contain it.
 *
 * `gone` are recently removed documents. Their versions keep a late, older change from bringing them back.
 */
export async function buildSnapshot(
  path: string,
  documents: Iterable<SearchDocument> | AsyncIterable<SearchDocument>,
  position: number,
  gone: Iterable<GoneDocument> = [],
): Promise<BuildResult> {
  await loadVocabulary()
  const db = new DatabaseSync(path)
  db.exec(
    `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA locking_mode = EXCLUSIVE`,
  )
  db.exec(schema)
  db.exec('BEGIN')
  const columns = columnsFrom(0, () => undefined)
  const [terms, raws] = [new Vocabulary(), new Vocabulary()]
  const labels = labelsFrom()
  const contributors = new Numbering([''], 2 ** 32)
  const names: { key: string; number: number }[] = []
  const insert = db.prepare('INSERT INTO document (number, place, names, body) VALUES (?, ?, ?, ?)')

  for await (const document of documents) {
    const { title, contributor_id } = document
    const number = appendRow(columns, labels, document, {
      contributor: contributors.of(contributor_id ?? ''),
      name: 0,
    })
    insert.run(number, columns.order[number] ?? 0, packNames([title, ...document.names]), packDocument(document))
    names.push({ key: nameKey(title), number })
    const contents = contentsOf(document)
    const increments = tallyFlags(columns.flags[number] ?? 0)
    for (const term of contents.terms) terms.countIn(term, increments)
    for (const impact of contents.impacts) terms.entry(impact.term).lists.push(number, impact)
    for (const raw of contents.raws) raws.countIn(raw, increments)
  }

  writeNames(db, names, columns.name)
  writeVocabulary(db, 'term', terms, termGramsOf)
  writeVocabulary(db, 'word', raws, piecesOf)
  const column = db.prepare('INSERT INTO columns (name, data) VALUES (?, ?)')
  for (const [name, bytes] of columnBytes(columns)) column.run(name, bytes)
  const contributor = db.prepare('INSERT INTO contributor (id, number) VALUES (?, ?)')
  for (const [number, id] of contributors.texts.entries()) contributor.run(id, number)
  const tombstone = db.prepare('INSERT OR REPLACE INTO gone (id, version) VALUES (?, ?)')
  for (const { id, version } of gone) tombstone.run(id, version)
  const anonymous = columns.flags.subarray(0, columns.size).reduce((sum, flags) => sum + tallyFlags(flags).anon, 0)
  db.prepare('INSERT INTO facts (facts) VALUES (?)').run(
    JSON.stringify({
      format: snapshotFormat(),
      position,
      documents: columns.size,
      anonymous,
      labels: textsOf(labels),
    }),
  )
  db.exec('COMMIT; CREATE INDEX document_place ON document (place)')
  db.close()
  return { documents: columns.size, position }
}

/** The layout of the file. Raise it if the layout changes, or the way in which words, postings and documents are made. */
const LAYOUT = 16
/** The format of a snapshot. A process opens no file of another format. It also changes with vocabulary and columns. */
export const snapshotFormat = (): string => [LAYOUT, vocabularyDigest(), ...columnNames()].join(' ')

const schema = `
  CREATE TABLE facts (facts TEXT);
  CREATE TABLE document (number INTEGER PRIMARY KEY, place INTEGER, names TEXT, body BLOB);
  CREATE TABLE columns (name TEXT PRIMARY KEY, data BLOB);
  CREATE TABLE name (rank INTEGER PRIMARY KEY, key TEXT);
  CREATE TABLE contributor (id TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;
  CREATE TABLE gone (id TEXT PRIMARY KEY, version INTEGER) WITHOUT ROWID;
  CREATE TABLE term (text TEXT PRIMARY KEY, number INTEGER, anon INTEGER, total INTEGER) WITHOUT ROWID;
  CREATE TABLE term_list (number INTEGER PRIMARY KEY, text TEXT, data BLOB);
  CREATE TABLE term_gram (gram TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
  CREATE TABLE word (text TEXT PRIMARY KEY, number INTEGER, anon INTEGER, total INTEGER) WITHOUT ROWID;
  CREATE TABLE word_list (number INTEGER PRIMARY KEY, text TEXT);
  CREATE TABLE word_gram (gram TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;`

type Entry = { lists: VoicedLists } & Record<ColumnTally, number>

class Vocabulary {
  readonly entries = new Map<string, Entry>()

  countIn(text: string, increments: Record<ColumnTally, 0 | 1>): void {
    const entry = this.entry(text)
    for (const tally of columnTallies) entry[tally] += increments[tally]
  }

  entry(text: string): Entry {
    let entry = this.entries.get(text)
    if (!entry) {
      entry = { lists: new VoicedLists(), anon: 0, total: 0 }
      this.entries.set(text, entry)
    }
    return entry
  }
}

function writeNames(db: DatabaseSync, names: { key: string; number: number }[], column: Float64Array): void {
  const insert = db.prepare('INSERT INTO name (rank, key) VALUES (?, ?)')
  names.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  let [rank, last] = [0, '']
  for (const { key, number } of names) {
    if (rank === 0 || key !== last) insert.run(++rank, key)
    last = key
    column[number] = rank
  }
}

function writeVocabulary(
  db: DatabaseSync,
  table: 'term' | 'word',
  vocabulary: Vocabulary,
  pieces: (word: string) => string[],
): void {
  const insert = db.prepare(`INSERT INTO ${table} (text, number, anon, total) VALUES (?, ?, ?, ?)`)
  const lists = table === 'term' ? db.prepare('INSERT INTO term_list (number, text, data) VALUES (?, ?, ?)') : undefined
  const texts = table === 'word' ? db.prepare('INSERT INTO word_list (number, text) VALUES (?, ?)') : undefined
  db.prepare('INSERT INTO columns (name, data) VALUES (?, ?)').run(
    `${table}_filter`,
    bloomFilterOf(vocabulary.entries.keys(), vocabulary.entries.size),
  )
  const grams = new Map<string, PackedNumbers>()
  let number = 0
  for (const text of [...vocabulary.entries.keys()].sort()) {
    const entry = vocabulary.entries.get(text)
    if (!entry) continue
    insert.run(text, number, entry.anon, entry.total)
    lists?.run(number, text, writePostings(entry.lists.voiced))
    texts?.run(number, text)
    for (const gram of pieces(text)) {
      const list = grams.get(gram) ?? newPackedNumbers()
      grams.set(gram, list)
      pushNumber(list, number)
    }
    number += 1
  }
  const gram = db.prepare(`INSERT INTO ${table}_gram (gram, data) VALUES (?, ?)`)
  for (const text of [...grams.keys()].sort()) gram.run(text, packedBytes(grams.get(text) ?? newPackedNumbers()))
}
