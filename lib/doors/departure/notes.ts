import { isDone } from '../../base/errors.ts'
import { type Note, note, noteAddress, noteText, visitorIn, wordsOf } from '../../domain/notes/items.ts'
import { claimPack } from '../../domain/records/claim-packs.ts'
import { commitWrites, putIfUnchanged } from '../../engines/table/immediate.ts'
import {
  get,
  parse,
  put,
  putEntry,
  queryAll,
  removeEntry,
  type Stored,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import type { Former } from './scrub.ts'

/** Notes that visitors sent while signed in. The name stands in the note, in its words for search, and in citations that a review made of it. */

/**
 * Takes name and contacts out of a note of one of these people. Returns whether this was still to do. The note is changed last: it alone
 * tells with which name the citations begin.
 */
export async function clearNote(stored: Stored, former: Former): Promise<boolean> {
  const called = stored.type === note.type ? former.get(String(stored.sender_id)) : undefined
  if (called === undefined) return false
  const old = parse(note, stored)
  if (old.name === called && old.email === '' && old.phone === '') return false
  await clearCitations(old, called)
  const next = withNextVersion<Note>(old, { name: called, email: '', phone: '', contacts_until: null })
  const content = (await get(noteText, { id: old.id }))?.content ?? ''
  const [before, after] = [wordsOf(old, content), wordsOf(next, content)]
  const entry = { note_id: old.id, created_at: old.created_at }
  await isDone(
    commitWrites([
      put(note, next, old),
      ...before.filter((word) => !after.includes(word)).map((word) => removeEntry(key.noteWord(word, old.id))),
      ...after.filter((word) => !before.includes(word)).map((word) => putEntry(key.noteWord(word, old.id), entry)),
    ]),
  )
  return true
}

/** The most times that the claims of a record are read. Between two passes a writer may store a copy that it read before. */
const MOST_PASSES = 5

/** Renames the visitor in the claims that a review has made of a note. Usually two queries of the record, and one write for each pack. */
async function clearCitations({ id, promoted_entity, name }: Note, called: string): Promise<void> {
  if (promoted_entity === null) return
  const { pk, sk } = key.head(promoted_entity)
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const packs = (await queryAll(pk, sk)).filter(({ type }) => type === claimPack.type)
    const changed = packs.map((it) => renameVisitor(it, id, name, called)).filter((it) => it !== undefined)
    if (changed.length === 0) return
    for (const it of changed) await putIfUnchanged(it)
  }
}

/** A pack of claims with another name for its visitor. Undefined if the pack does not cite this note by this name. */
function renameVisitor(pack: Stored, id: string, name: string, called: string): Stored | undefined {
  const [old, next] = [visitorIn(name), visitorIn(called)]
  const text = JSON.stringify(pack)
  if (!text.includes(noteAddress(id))) return undefined
  const written: Stored = JSON.parse(text, (member, value: unknown) => {
    if (typeof value !== 'string') return value
    if (member === 'source_citation' && value.startsWith(old.citation))
      return next.citation + value.slice(old.citation.length)
    if (member === 'data_quality_note' && value.startsWith(old.remark))
      return next.remark + value.slice(old.remark.length)
    return value
  })
  return JSON.stringify(written) === text ? undefined : written
}
