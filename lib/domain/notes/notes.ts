import { hash } from 'node:crypto'
import { newId, now, nowSeconds } from '../../base/clock.ts'
import { get, getMany, itemIn, put, putEntry, type UnitOfWork } from '../../engines/table/index.ts'
import { sealText } from '../../platform/http/seal.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { findNamedRecord } from '../records/named.ts'
import { asSubject, type Note, type NoteSubject, note, noteSent, noteText, wordsOf } from './items.ts'

/** What a visitor sends. `entity_type` is the kind of a record that `entity_id` names by its number. */
export type NoteInput = Pick<
  Note,
  'entity_name' | 'note_type' | 'way' | 'name' | 'email' | 'phone' | 'source_description' | 'latitude' | 'longitude'
> & { entity_id: string; entity_type: string; content: string }

export type WholeNote = NoteSubject & { content: string }

/** Loads a note with its text. Undefined if absent. One call. */
export async function loadNote(id: string): Promise<WholeNote | undefined> {
  const found = await getMany([key.note(id), key.noteText(id)], true)
  const about = itemIn(found, note, { id })
  return about && { ...asSubject(about), content: itemIn(found, noteText, { id })?.content ?? '' }
}

/** Seconds within which the same text of the same sender is one note: a day. */
const SAME_S = 86_400

/**
 * Stores a note of a visitor. If the same address sent the same text about the same thing within a day, it returns that note instead.
 * `actor` is null if nobody is signed in. Some 85 capacity units at most: text and words cost the most. Safe to repeat.
 */
export async function leaveNote(
  unit: UnitOfWork,
  { entity_id, entity_type, content, ...given }: NoteInput,
  { actor, address }: { actor: Actor | null; address: string },
): Promise<{ id: string }> {
  unit.retryOn('conflict')
  const digest = hash('sha256', sealText(JSON.stringify([address, given.entity_name, content]), 'note'), 'base64url')
  const sent = await get(noteSent, { digest })
  if (sent && sent.until > nowSeconds()) return { id: sent.note_id }
  const at = now()
  const made: Note = {
    ...given,
    ...(await resolveRecord(entity_id, entity_type, actor)),
    id: newId(),
    sender_id: actor?.id ?? null,
    state: 'pending',
    reviewed_by: null,
    reviewed_at: null,
    review_notes: '',
    promoted_entity: null,
    promoted_claim: null,
    contacts_until: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  const mark = { digest, note_id: made.id, until: nowSeconds() + SAME_S, version: (sent?.version ?? 0) + 1 }
  unit.add([
    put(note, made, undefined),
    put(noteText, { id: made.id, content, version: 1 }, undefined),
    put(noteSent, mark, sent),
    ...wordsOf(made, content).map((word) =>
      putEntry(key.noteWord(word, made.id), { note_id: made.id, created_at: made.created_at }),
    ),
  ])
  return { id: made.id }
}

/** The record that a visitor names. What the visitor may not see is treated as unknown: the id is kept as it was sent. */
async function resolveRecord(
  id: string,
  entity_type: string,
  actor: Actor | null,
): Promise<Pick<Note, 'entity_id' | 'entity_reference_id'>> {
  const found = await findNamedRecord(id, entity_type, actor)
  return { entity_id: found?.entity_id ?? null, entity_reference_id: found ? '' : id }
}
