import { type Actor, mayInspect, partsIn } from '../../permissions.ts'
import type { RecordItem } from '../../records/items.ts'
import { statusOf } from '../../records/views/record.ts'
import type { PeopleById } from '../../users/people.ts'
import type { Membership, Project, ProjectActivity, ProjectEntity } from '../items.ts'
import type { Whole } from '../projects.ts'
import { isFrozen, type Part, targetsFrom } from '../states.ts'

/** How projects and what belongs to them look on the wire. */

/** Someone in a project: no address, which is shown to the person and to staff only. */
export function personOf(people: PeopleById, id: string | null) {
  const card = people(id)
  return card && { id: card.id, username: card.username, email: '' }
}

/** A row of the list of projects. */
export const projectRow = (it: Project, people: PeopleById): Record<string, unknown> => ({
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

export type Referenced = { people: PeopleById; head: (entity_id: string) => RecordItem | undefined }

/** What goes on with a project by itself; null where nothing does. */
export type Progress = { state: 'running'; action: 'merge' | 'rollback'; done: number; of: number } | null

/** A project with all that belongs to it, and with what this caller may do with it. `assets` are shown already. */
export function projectDetail(
  it: Whole,
  assets: readonly object[],
  actor: Actor | null,
  { people, head, merge }: Referenced & { merge: Progress },
): Record<string, unknown> {
  const { about } = it
  const isOne = (part: Part) => actor !== null && partsIn[part](actor, it)
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

/** Who works on a project, in which role, and by whose invitation. */
export const membershipView = ({ id }: Project, { user_id, invited_by, ...rest }: Membership, people: PeopleById) => ({
  ...rest,
  project: id,
  user: personOf(people, user_id),
  invited_by: personOf(people, invited_by),
})

/** A linked record. Of one that the caller may not see, neither the name nor the id is told. */
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
    entity_status: shown ? statusOf(shown) : '',
    added_by: personOf(people, added_by),
  }
}

export const projectActivityView = (
  { version: _, number: __, project_id, actor_id, ...rest }: ProjectActivity,
  people: PeopleById,
) => ({
  ...rest,
  project: project_id,
  actor: personOf(people, actor_id),
})
