import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { type Actor, mayInspect, mayReview, projectParts } from '../../../platform/permissions.ts'
import type { PeopleById } from '../../../platform/users/people.ts'
import type { RecordItem } from '../../records/items.ts'
import { recordStatuses } from '../../records/rules/status.ts'
import { publicStatus } from '../../records/views/record.ts'
import { AssetRowView } from '../assets/view.ts'
import {
  licenses,
  type Membership,
  memberRoles,
  type Project,
  type ProjectActivity,
  type ProjectEntity,
  projectActions,
  visibilities,
} from '../items.ts'
import type { WholeProject } from '../projects.ts'
import { type Knows, knownTo, type Referenced } from '../referenced.ts'
import { isFrozen, type MoveRole, projectStates, targetsFrom } from '../states.ts'
import { ParticipantView, personOf } from './participant.ts'

/** The JSON of projects and of what belongs to them. */

export const ProjectRowView = s.shape('ProjectRow', () =>
  v.object({
    id: s.uuid,
    slug: s.text,
    title: s.text,
    abstract: s.text,
    intended_subject: s.text,
    languages: v.array(s.text),
    license: s.oneOf(licenses),
    owner: ParticipantView,
    visibility: s.oneOf(visibilities),
    state: s.oneOf(projectStates),
    forked_from: s.maybe(s.uuid),
    tags: v.array(s.text),
    pid: s.text,
    asset_count: s.whole,
    entity_count: s.whole,
    collaborator_count: s.whole,
    submitted_at: s.maybe(s.time),
    merged_at: s.maybe(s.time),
    created_at: s.time,
    updated_at: s.time,
  }),
)

/** A row of the list of projects. */
export const projectRow = (it: Project, people: PeopleById): s.Output<typeof ProjectRowView> => ({
  id: it.id,
  slug: it.slug,
  title: it.title,
  abstract: it.abstract,
  intended_subject: it.intended_subject,
  languages: it.languages,
  license: it.license,
  owner: personOf(people, it.owner_id),
  visibility: it.visibility,
  state: it.state,
  forked_from: it.forked_from,
  tags: it.tags,
  pid: it.pid,
  asset_count: it.asset_count,
  entity_count: it.entity_count,
  collaborator_count: it.memberships.length - 1,
  submitted_at: it.submitted_at,
  merged_at: it.merged_at,
  created_at: it.created_at,
  updated_at: it.updated_at,
})

/** The progress of a background merge or rollback, in records; null without one. */
export type MergeProgress = { state: 'running'; action: 'merge' | 'rollback'; done: number; of: number } | null

/** The progress of a background merge or rollback, in records. Meanwhile the project takes no edits. */
const ProjectMergeView = s.shape('ProjectMerge', () =>
  v.object({
    state: v.literal('running'),
    action: s.oneOf(['merge', 'rollback']),
    done: s.whole,
    of: s.whole,
  }),
)
/** A project with all that belongs to it, and what the caller may do with it. */
export const ProjectView = s.shape('Project', () =>
  v.object({
    ...ProjectRowView.entries,
    schema_version: s.text,
    canvas_state: s.Values,
    prov_activity_uri: s.text,
    named_graph_uri: s.text,
    memberships: v.array(MembershipView),
    assets: v.array(AssetRowView),
    entities: v.array(ProjectEntityView),
    merge: s.maybe(ProjectMergeView),
    allowed_transitions: v.array(s.oneOf(projectStates)),
    can_edit: v.boolean(),
    is_read_only: v.boolean(),
  }),
)

/** A project with all that belongs to it, and what the caller may do with it. `assets` are rows already. */
export function projectDetail(
  it: WholeProject,
  assets: readonly s.Output<typeof AssetRowView>[],
  actor: Actor | null,
  { people, head, merge }: Referenced & { merge: MergeProgress },
): s.Output<typeof ProjectView> {
  const { about } = it
  const isOne = (part: MoveRole) => actor !== null && projectParts[part](actor, it)
  return {
    ...projectRow(about, people),
    schema_version: about.schema_version,
    canvas_state: about.canvas_state,
    prov_activity_uri: about.prov_activity_uri,
    named_graph_uri: '',
    memberships: about.memberships.map((one) => membershipView(about, one, people)),
    assets,
    entities: it.entities.map((one) => entityView(one, head(one.entity_id), actor, people)),
    merge,
    allowed_transitions: merge ? [] : targetsFrom(about.state, isOne),
    can_edit: isOne('editors'),
    is_read_only: merge !== null || isFrozen(about.state),
  }
}

export const MembershipView = s.shape('Membership', () =>
  v.object({
    id: s.uuid,
    project: s.uuid,
    user: ParticipantView,
    role: s.oneOf(memberRoles),
    invited_by: s.maybe(ParticipantView),
    created_at: s.time,
    updated_at: s.time,
  }),
)

/** A member, with role and inviter. */
export const membershipView = ({ id }: Project, { user_id, invited_by, ...rest }: Membership, people: PeopleById) => ({
  ...rest,
  project: id,
  user: personOf(people, user_id),
  invited_by: personOf(people, invited_by),
})

/** A linked record. If the caller may not see it, `entity` is null and its description is "". */
export const ProjectEntityView = s.shape('ProjectEntity', () =>
  v.object({
    id: s.uuid,
    project: s.uuid,
    entity: s.maybe(s.uuid),
    entity_name: s.text,
    entity_category: s.text,
    entity_status: s.oneOf(['', ...recordStatuses]),
    role_in_project: s.text,
    added_by: ParticipantView,
    added_at: s.time,
  }),
)

/** A linked record. Name and id of a record that the caller may not see are left out. */
export function entityView(
  { version: _, project_id, entity_id, added_by, ...rest }: ProjectEntity,
  head: RecordItem | undefined,
  actor: Actor | null,
  people: PeopleById,
) {
  const shown = head && mayInspect(actor, head) ? head : undefined
  return {
    ...rest,
    project: project_id,
    entity: shown ? entity_id : null,
    entity_name: shown?.name ?? '',
    entity_category: shown?.category ?? '',
    entity_status: shown ? publicStatus(shown) : '',
    added_by: personOf(people, added_by),
  }
}

/**
 * An activity of a project; `actor` is null if the service itself did it. It does not name records that the caller may not see. So
 * `blockers`, sentences with names of records that wait, are for reviewers.
 */
export const ProjectActivityView = s.shape('ProjectActivity', () =>
  v.object({
    id: s.uuid,
    project: s.uuid,
    actor: s.maybe(ParticipantView),
    action: s.oneOf(projectActions),
    target_kind: s.text,
    target_id: s.text,
    payload: s.Values,
    created_at: s.time,
  }),
)

/** The ids of records that an activity names. */
export const recordsOf = ({ target_kind, target_id, payload }: ProjectActivity): string[] => [
  ...(target_kind === 'entity' ? [target_id] : []),
  ...(payload.kept ?? []),
]

export function projectActivityView(
  { version: _, number: __, project_id, actor_id, ...rest }: ProjectActivity,
  { people, head }: Referenced,
  actor: Actor | null,
) {
  const knows = knownTo(actor, head)
  const isSecret = rest.target_kind === 'entity' && !knows(rest.target_id)
  return {
    ...rest,
    project: project_id,
    actor: personOf(people, actor_id),
    target_id: isSecret ? '' : rest.target_id,
    payload: payloadFor(rest.payload, knows, actor),
  }
}

function payloadFor(payload: ProjectActivity['payload'], knows: Knows, actor: Actor | null) {
  const { kept, kept_reasons, blockers, ...open } = payload
  return {
    ...open,
    ...(kept && { kept: kept.filter(knows) }),
    ...(kept_reasons && {
      kept_reasons: Object.fromEntries(Object.entries(kept_reasons).filter(([id]) => knows(id))),
    }),
    ...(blockers && { blockers: mayReview(actor) ? blockers : [] }),
  }
}
