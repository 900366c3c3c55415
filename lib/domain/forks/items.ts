import * as v from 'valibot'
import { phrase } from '../../base/language/languages.ts'
import { defineItem } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { RecordItem } from '../records/items.ts'

/** The item type of forks. A fork is a record with a parent; this item says why it was made, and what became of it. */

/** Why a fork was made, with its label, and the points of its author once it is merged or promoted. */
export const forkTags = {
  correction: { label: phrase('Factual Correction'), points: 15 },
  translation: { label: phrase('Language / Translation Variant'), points: 25 },
  expansion: { label: phrase('Add Missing Information'), points: 20 },
  source_addition: { label: phrase('Source Citation'), points: 20 },
  dispute: { label: phrase('Dispute Existing Claim'), points: 10 },
  other: { label: phrase('Other'), points: 15 },
} as const
export type ForkTag = keyof typeof forkTags
export const forkTagNames = Object.keys(forkTags) as ForkTag[]

/** The states of a fork, with their labels. It is decided on once. */
export const forkStates = {
  active: phrase('Active'),
  merged: phrase('Merged'),
  promoted: phrase('Promoted'),
  rejected: phrase('Rejected'),
} as const
export type ForkState = keyof typeof forkStates
export const forkStateNames = Object.keys(forkStates) as ForkState[]

const nullableText = v.optional(v.nullable(v.string()), null)

const Fork = v.object({
  /** The review identity of the record that is the fork. It is the id of the fork, too. */
  id: v.string(),
  /** The review identity of the record that it is a version of. */
  entity_id: v.string(),
  root: v.string(),
  depth: v.number(),
  forked_by: v.string(),
  /** The revision of the original whose values it began with. */
  base_revision: v.number(),
  base_revision_id: v.string(),
  reason: v.string(),
  tag: v.picklist(forkTagNames),
  state: v.picklist(forkStateNames),
  /** The members that differed when it was made. */
  fields: v.array(v.string()),
  /** Members of the original that it did not take along, since its author may not know them. Example: an exact place. */
  withheld: v.array(v.string()),
  judged_by: nullableText,
  judged_at: nullableText,
  created_at: v.string(),
  version: v.number(),
})
export type Fork = v.InferOutput<typeof Fork>

/** Only the sizes of these lists are stored: the forks of a person, or those of one state and tag. */
export const forkList = (user: string, state?: ForkState, tag?: ForkTag): string =>
  `FORKS#${user}${state ? `#${state}` : ''}${tag ? `#${tag}` : ''}`

export const fork = defineItem({
  type: 'fork',
  schema: Fork,
  key: (it: Pick<Fork, 'root' | 'created_at' | 'id'>) => key.fork(it.root, it.created_at, it.id),
  counted: (it) => [forkList(it.forked_by), forkList(it.forked_by, it.state, it.tag)],
})

/** Returns the key of the fork that a record is. Undefined if it is none. */
export const forkKeyOf = ({
  fork: origin,
  created_at,
  entity_id,
}: Pick<RecordItem, 'fork' | 'created_at' | 'entity_id'>) =>
  origin ? key.fork(origin.root, created_at, entity_id) : undefined

/** A fork as the subject of permissions, with its record and the record that it is a version of. */
export type ForkSubject = Subject & { about: Fork; record: RecordItem; original: RecordItem; version: number }

/** Returns a fork with its records. Neither its author nor the contributor of the original decides on it. */
export const asSubject = (about: Fork, record: RecordItem, original: RecordItem): ForkSubject => ({
  about,
  record,
  original,
  contributor_id: record.contributor_id,
  public: record.public,
  access_tier: record.access_tier,
  deleted_at: record.deleted_at,
  is_rejected: stateOf(about, record) === 'rejected',
  authors: [about.forked_by, record.contributor_id, original.contributor_id],
  version: about.version + record.version,
})

/** The state of a fork. A verdict in the workspace that refuses its record turns the fork down, too. */
export const stateOf = ({ state }: Fork, { status, public: isPublic }: RecordItem): ForkState =>
  state === 'active' && status === 'rejected' && !isPublic ? 'rejected' : state
