import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { roundPoint } from '../../engines/matching/index.ts'
import { itemIn, type Stored } from '../../engines/table/index.ts'
import { type Actor, mayInspect, mayReview, maySeePlace } from '../../platform/permissions.ts'
import { peopleIn } from '../../platform/users/people.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { visibleStatus } from '../records/views/record.ts'
import {
  type Note,
  noteStateNames,
  noteStates,
  noteText,
  noteTypeNames,
  noteTypes,
  noteWayNames,
  noteWays,
} from './items.ts'

export const NoteView = s.shape('PublicContribution', () =>
  v.object({
    id: s.uuid,
    entity: s.maybe(s.uuid),
    entity_reference_id: s.text,
    entity_name: s.text,
    entity_name_display: s.text,
    contribution_type: s.oneOf(noteTypeNames),
    contribution_type_display: s.text,
    content: s.text,
    contributor_name: s.text,
    contributor_email: s.maybe(s.text),
    contributor_phone: s.maybe(s.text),
    source_description: s.text,
    submitted_via: s.oneOf(noteWayNames),
    submitted_via_display: s.text,
    latitude: s.maybe(v.number()),
    longitude: s.maybe(v.number()),
    status: s.oneOf(noteStateNames),
    status_display: s.text,
    reviewed_by_username: s.maybe(s.text),
    reviewed_at: s.maybe(s.time),
    review_notes: s.text,
    promoted_entity: s.maybe(s.uuid),
    promoted_claim: s.maybe(s.uuid),
    canonical_status: s.maybe(s.text),
    created_at: s.time,
    updated_at: s.time,
  }),
)
export const NoteLeftView = s.shape('PublicContributionLeft', () => v.object({ message: s.text, id: s.uuid }))
export const NoteDecidedView = s.shape('PublicContributionDecided', () =>
  v.object({
    message: s.text,
    id: s.uuid,
    status: s.oneOf(noteStateNames),
    promoted_entity_id: s.maybe(s.uuid),
  }),
)
export const NoteCountsView = s.shape('PublicContributionCounts', () =>
  v.object({
    total: s.whole,
    pending: s.whole,
    approved: s.whole,
    rejected: s.whole,
    incorporated: s.whole,
    by_type: v.array(v.object({ contribution_type: s.oneOf(noteTypeNames), count: s.whole })),
    by_source: v.array(v.object({ submitted_via: s.oneOf(noteWayNames), count: s.whole })),
  }),
)
/** The paths of translatable texts in a row. */
export const noteTexts = ['contribution_type_display', 'submitted_via_display', 'status_display'] as const

/**
 * Where the visitor stood. It tells no more of a record than the reader may know of the place. Of a record that the reader or the visitor may
 * not see it tells nothing.
 */
function placeFor(
  { entity_id, entity_reference_id, latitude, longitude }: Note,
  about: RecordItem | undefined,
  actor: Actor,
) {
  const namesNothing = entity_id === null && entity_reference_id === ''
  if (namesNothing || mayReview(actor) || (about && maySeePlace(actor, about))) return { latitude, longitude }
  if (!about || latitude === null || longitude === null) return { latitude: null, longitude: null }
  const { lat, lng } = roundPoint({ lat: latitude, lng: longitude })
  return { latitude: lat, longitude: lng }
}

/**
 * A note as this reader sees it. Contacts and the reviewer's notes are for reviewers alone. A record that the reader may not see is not
 * named. `found` holds what the note names (`keysNamedBy`).
 */
export function noteRow(it: Note, found: ReadonlyMap<string, Stored>, actor: Actor) {
  const seen = (id: string | null) => {
    const record = id === null ? undefined : itemIn(found, recordItem, { entity_id: id })
    return record && mayInspect(actor, record) ? record : undefined
  }
  const [about, promoted] = [seen(it.entity_id), seen(it.promoted_entity)]
  const reviews = mayReview(actor)
  return {
    id: it.id,
    entity: about?.entity_id ?? null,
    entity_reference_id: it.entity_reference_id,
    entity_name: it.entity_name,
    entity_name_display: about?.name ?? it.entity_name,
    contribution_type: it.note_type,
    contribution_type_display: noteTypes[it.note_type],
    content: itemIn(found, noteText, { id: it.id })?.content ?? '',
    contributor_name: it.name,
    contributor_email: reviews && it.email !== '' ? it.email : null,
    contributor_phone: reviews && it.phone !== '' ? it.phone : null,
    source_description: it.source_description,
    submitted_via: it.way,
    submitted_via_display: noteWays[it.way],
    ...placeFor(it, about, actor),
    status: it.state,
    status_display: noteStates[it.state],
    reviewed_by_username: it.reviewed_by === null ? null : (peopleIn(found)(it.reviewed_by)?.username ?? null),
    reviewed_at: it.reviewed_at,
    review_notes: reviews ? it.review_notes : '',
    promoted_entity: promoted?.entity_id ?? null,
    promoted_claim: promoted ? it.promoted_claim : null,
    canonical_status: promoted ? visibleStatus(promoted, actor) : null,
    created_at: it.created_at,
    updated_at: it.updated_at,
  }
}
