import * as v from 'valibot'
import { fold } from '../../engines/matching/index.ts'
import {
  getMany,
  itemIn,
  type Key,
  type PageRequest,
  type PageResult,
  parse,
  queryBetween,
  readList,
  type Stored,
  sizesOfGroup,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { keyOf } from '../../platform/users/users.ts'
import { NOTES, type Note, type NoteState, type NoteType, type NoteWay, note, noteList } from './items.ts'

export type NoteFilter = {
  state?: NoteState | undefined
  type?: NoteType | undefined
  way?: NoteWay | undefined
  forward: boolean
}
/** `found` holds the texts, records and people that the rows name. */
export type NotePage = PageResult<Note> & { found: ReadonlyMap<string, Stored> }

/** Lists one page of the notes, newest first unless `forward`. One query, or more with several filters or `way`, and one batch read. */
export async function listNotes({ state, type, way, forward }: NoteFilter, page: PageRequest): Promise<NotePage> {
  const index = type ? 'gsi3' : state ? 'gsi1' : 'gsi2'
  const { items, ...listed } = await readList(
    {
      partitions: [{ index, pk: noteList(type ? { type } : { state }) }],
      counted: [noteList({ state, type, way })],
      forward,
      only: { ...(state && type && { state }), ...(way && { way }) },
    },
    page,
    (rows) => rows.flatMap((row) => keysNamedBy(parse(note, row))),
  )
  return { ...listed, results: items.map((it) => parse(note, it)) }
}

/** The keys of the text, the records and the reviewer that a row names. */
export const keysNamedBy = ({ id, entity_id, promoted_entity, reviewed_by }: Note): Key[] => [
  key.noteText(id),
  ...[...new Set([entity_id, promoted_entity])].flatMap((record) => (record ? [key.head(record)] : [])),
  ...(reviewed_by ? [keyOf(reviewed_by)] : []),
]

/** The most notes that are read for one word of a search, and the most words. */
const MOST_FOUND = 200
const MOST_WORDS = 6
const Entry = v.object({ note_id: v.string(), created_at: v.string() })

/**
 * Lists one page of the notes that match all words of the search. A word matches if a word of the names, or of the first words of the text,
 * begins with it. One query for each word, and one call for each hundred items of the hits and of the page. Exact up to 200 notes for a
 * word.
 */
export async function searchNotes(
  text: string,
  { state, type, way, forward }: NoteFilter,
  { offset, limit }: PageRequest,
): Promise<NotePage> {
  const words = [...new Set(fold(text).split(' '))].filter(Boolean).slice(0, MOST_WORDS)
  const [first = new Map(), ...others] = await Promise.all(words.map(findByWord))
  const ids = [...first.keys()].filter((id) => others.every((each) => each.has(id)))
  const read = await getMany(ids.map((id) => key.note(id)))
  const hits = ids
    .flatMap((id) => itemIn(read, note, { id }) ?? [])
    .filter((it) => (!state || it.state === state) && (!type || it.note_type === type) && (!way || it.way === way))
    .sort((a, b) => (`${a.created_at}${a.id}` < `${b.created_at}${b.id}` === forward ? -1 : 1))
  const results = hits.slice(offset, offset + limit)
  return { count: hits.length, results, found: await getMany(results.flatMap(keysNamedBy)) }
}

async function findByWord(word: string): Promise<Map<string, string>> {
  const { pk } = key.noteWord('', '')
  const stored = await queryBetween(pk, word, `${word}\u{10ffff}`, MOST_FOUND)
  return new Map(stored.map((entry) => v.parse(Entry, entry)).map((it) => [it.note_id, it.created_at]))
}

/** Loads the sizes of all lists of notes. Returns a function from a list to its size. One call. */
export async function countNotes(): Promise<(list: Parameters<typeof noteList>[0]) => number> {
  const sizes = await sizesOfGroup(NOTES)
  return (list) => sizes.get(noteList(list).slice(NOTES.length) || 'ALL') ?? 0
}
