import * as v from 'valibot'
import { confidences } from '../../lib/domain/kinds/schema/enums.ts'
import type { Named, ProposalContent } from '../../lib/domain/proposals/items.ts'
import { MOST_ANCHORS, resolutionModes } from '../../lib/domain/proposals/items.ts'
import {
  choice,
  line,
  lines,
  members,
  objectOf,
  orEmpty,
  prose,
  REQUIRED,
  uuidOf,
} from '../../lib/platform/http/body.ts'

/**
 * The bodies of proposals, and how a body changes a proposal. A draft may name things that do not exist. Whether they exist is checked when
 * the draft is submitted.
 */

const MOST_SOURCES = 20
const MOST_NAMES = 50
const atMost = (count: number) => `Give no more than ${count} of them.`
const IDS = 'Give a list of ids.'
const ANCHORS = 'Give a list of {entity_type, entity_id}.'

/** The number of a record in its kind, or its review identity. A draft may hold any text. */
const recordId = v.pipe(
  v.nullish(
    v.union([v.pipe(v.number(), v.integer(ANCHORS)), v.pipe(v.string(), v.trim(), v.maxLength(36, ANCHORS))], ANCHORS),
    '',
  ),
  v.transform((id) => (typeof id === 'string' && /^[1-9]\d{0,11}$/.test(id) ? Number(id) : id)),
  v.transform((id) => (typeof id === 'number' && (id < 1 || id > 1e12 - 1) ? String(id) : id)),
  v.transform((id) => (typeof id === 'string' ? id.toLowerCase() : id)),
)
const label = v.pipe(v.string(REQUIRED), line(500), v.trim(), v.nonEmpty('This field may not be blank.'))
const scope = v.pipe(v.string(REQUIRED), line(100), v.trim(), v.nonEmpty('This field may not be blank.'))
const names = v.pipe(
  v.array(
    v.pipe(v.string('Give a list of names.'), line(255), v.trim(), v.nonEmpty('Give a list of names.')),
    'Give a list of names.',
  ),
  v.maxLength(MOST_NAMES, atMost(MOST_NAMES)),
)
const anchors = v.pipe(
  v.array(v.object({ entity_type: line(100), entity_id: recordId }, ANCHORS), ANCHORS),
  v.maxLength(MOST_ANCHORS, atMost(MOST_ANCHORS)),
)
const sources = v.pipe(v.array(uuidOf(IDS), IDS), v.maxLength(MOST_SOURCES, atMost(MOST_SOURCES)))
const identifiers = v.pipe(
  objectOf(line(100), line(500), 'Give an object of identifiers.'),
  v.check((it) => Object.keys(it).length <= MOST_NAMES, atMost(MOST_NAMES)),
)
/** The id of one thing. Blank is none. */
const reference = v.pipe(
  v.nullable(v.union([v.literal(''), uuidOf()], 'Not a valid UUID.')),
  v.transform((id) => id || null),
)

export const NewEntity = members({
  canonical_label: label,
  type_scope: scope,
  aliases: v.nullish(names, () => []),
  anchor_records: v.nullish(anchors, () => []),
  supporting_source_ids: v.nullish(sources, () => []),
  contributor_note: prose(5000),
  external_identifiers: v.nullish(identifiers, () => ({})),
  resolution_mode: v.nullish(choice(resolutionModes), 'new_cluster'),
  existing_cluster: v.optional(reference, null),
})
export const ChangedEntity = members({
  canonical_label: v.exactOptional(label),
  type_scope: v.exactOptional(scope),
  aliases: v.exactOptional(names),
  anchor_records: v.exactOptional(anchors),
  supporting_source_ids: v.exactOptional(sources),
  contributor_note: v.exactOptional(prose(5000)),
  external_identifiers: v.exactOptional(identifiers),
  resolution_mode: v.exactOptional(choice(resolutionModes)),
  existing_cluster: v.exactOptional(reference),
})

const end = {
  subject_entity_type: orEmpty(line(100)),
  subject_entity_id: recordId,
  object_entity_type: orEmpty(line(100)),
  object_entity_id: recordId,
}
export const NewRelationship = members({
  predicate: v.pipe(v.string(REQUIRED), line(100), v.trim()),
  ...end,
  primary_source: v.optional(reference, null),
  supporting_source_ids: v.nullish(sources, () => []),
  temporal_scope_edtf: orEmpty(line(255)),
  confidence: v.nullish(choice(confidences), 'likely'),
  interpretation_note: prose(5000),
})
export const ChangedRelationship = members({
  predicate: v.exactOptional(v.pipe(v.string(REQUIRED), line(100), v.trim())),
  subject_entity_type: v.exactOptional(end.subject_entity_type),
  subject_entity_id: v.exactOptional(recordId),
  object_entity_type: v.exactOptional(end.object_entity_type),
  object_entity_id: v.exactOptional(recordId),
  primary_source: v.exactOptional(reference),
  supporting_source_ids: v.exactOptional(sources),
  temporal_scope_edtf: v.exactOptional(orEmpty(line(255))),
  confidence: v.exactOptional(choice(confidences)),
  interpretation_note: v.exactOptional(lines(5000)),
})
const nameRecord = (entity_type: string, entity_id: string | number): Named => ({ entity_type, entity_id })

export const newEntity = (body: v.InferOutput<typeof NewEntity>): ProposalContent => ({ sort: 'entity', ...body })

export const newRelationship = ({
  subject_entity_type,
  subject_entity_id,
  object_entity_type,
  object_entity_id,
  ...body
}: v.InferOutput<typeof NewRelationship>): ProposalContent => ({
  sort: 'relationship',
  ...body,
  subject: nameRecord(subject_entity_type, subject_entity_id),
  object: nameRecord(object_entity_type, object_entity_id),
})

/** The content of an entity proposal, with some members changed. */
export const changeEntity = (old: ProposalContent, body: v.InferOutput<typeof ChangedEntity>): ProposalContent =>
  old.sort === 'entity' ? { ...old, ...body } : old

/** The content of a relationship proposal, with some members changed. */
export function changeRelationship(
  old: ProposalContent,
  body: v.InferOutput<typeof ChangedRelationship>,
): ProposalContent {
  if (old.sort !== 'relationship') return old
  const {
    subject_entity_type: type = old.subject.entity_type,
    subject_entity_id: id = old.subject.entity_id,
    object_entity_type: otherType = old.object.entity_type,
    object_entity_id: otherId = old.object.entity_id,
    ...others
  } = body
  return { ...old, ...others, subject: nameRecord(type, id), object: nameRecord(otherType, otherId) }
}
