import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import type { PeopleById } from '../../../platform/users/people.ts'

/** A person in a project. `email` is always "": the address is shown to the person and to staff only. */
export const ParticipantView = s.shape('Participant', () => v.object({ id: s.uuid, username: s.text, email: s.text }))

export function personOf(people: PeopleById, id: string): s.Output<typeof ParticipantView>
export function personOf(people: PeopleById, id: string | null): s.Output<typeof ParticipantView> | null
export function personOf(people: PeopleById, id: string | null) {
  const card = people(id)
  return card && { id: card.id, username: card.username, email: '' }
}
