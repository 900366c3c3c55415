import { now } from '../../base/clock.ts'
import { isDone } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, parse, put, walk, withNextVersion } from '../../engines/table/index.ts'
import { CONTACTS, type Note, note } from './items.ts'

/** The most notes of one visit. */
const NOTES_PER_VISIT = 100

/** Erases contacts of visitors that are due. Returns the number of notes. Safe to repeat. One query, and two calls for each note. */
export async function sweepContacts(): Promise<number> {
  const oldest = await walk({ index: 'gsi4', pk: CONTACTS, forward: true, limit: NOTES_PER_VISIT })
  let erased = 0
  for (const { id, contacts_until } of oldest.map((item) => parse(note, item))) {
    if (contacts_until === null || contacts_until > now()) break
    if (await isDone(eraseContacts(id))) erased += 1
  }
  return erased
}

async function eraseContacts(id: string): Promise<void> {
  const old = await get(note, { id })
  if (old?.contacts_until == null) return
  const next = withNextVersion<Note>(old, { email: '', phone: '', contacts_until: null, updated_at: now() })
  await commitWrites([put(note, next, old)])
}
