import type { Images } from '../../engines/table/index.ts'
import { get, getMany, itemIn, parse, queryAll, type Stored } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { userOf } from '../../platform/users/users.ts'
import { comment } from '../comments/items.ts'
import { importItem, type Task } from '../imports/items.ts'
import type { NewAnnouncement } from '../notifications/announcements.ts'
import { type NoticeName, notices } from '../notifications/events.ts'
import { memberRoles, type Project, type ProjectActivity, project, projectActivity } from '../projects/items.ts'
import { activity, decision, flag, type RecordItem, recordItem } from '../records/items.ts'
import { batchRowOf } from '../records/queue-entry.ts'
import { moderation, suggestion } from '../submissions/items.ts'

/** A notification to send. `user_id: null` means all reviewers, except those in `not_for`. */
export type Telling = NewAnnouncement & { user_id: string | null }

/** An event that people are notified of, read from a change. */
type NotifiableEvent = {
  notices: readonly NoticeName[]
  /** The id of the event. A repeated change gives the same id. */
  event: string
  at: string
  actor_id: string | null
  entity_id: string | null
  project_id?: string | null
  named?: string | null
  detail?: string
  /** Of a decision: whether a verdict on a whole batch made it. */
  of_batch?: boolean
}

/** The notifications that a change causes. A repeated change causes the same ones. */
export async function notificationsOf(type: string, images: Images, memo: Memo): Promise<Telling[]> {
  const it = eventOf[type]?.(images)
  if (!it || it.notices.length === 0) return []
  const about = it.entity_id === null ? undefined : await headOf(it.entity_id, memo)
  if (it.entity_id !== null && (!about || about.deleted_at)) return []
  const on = it.project_id ? await get(project, { id: it.project_id }) : undefined
  if (it.project_id && (!on || on.deleted_at)) return []
  const tellings = await Promise.all(it.notices.map((name) => tellingsOf(name, it, { about, on, memo })))
  return tellings.flat()
}

/** By item type, the event that a change is. Undefined if it notifies nobody. */
const eventOf: Readonly<Record<string, (images: Images) => NotifiableEvent | undefined>> = {
  decision: ({ before, after }) => {
    if (before || !after) return undefined
    const it = parse(decision, after)
    return {
      notices: it.escalated_to === null ? [it.verdict] : [it.verdict, 'asked'],
      event: it.id,
      at: it.created_at,
      actor_id: it.reviewer_id,
      entity_id: it.entity_id,
      named: it.escalated_to,
      of_batch: it.of_batch,
    }
  },

  activity: ({ before, after }) => {
    if (before || !after) return undefined
    const it = parse(activity, after)
    return {
      notices: byActivity[it.activity_type] ?? [],
      event: it.activity_id,
      at: it.created_at,
      actor_id: it.user_id,
      entity_id: it.entity_id,
    }
  },

  flag: ({ before, after }) => {
    if (before || !after) return undefined
    const it = parse(flag, after)
    return {
      notices: ['flagged'],
      event: it.id,
      at: it.created_at,
      actor_id: it.flagged_by,
      entity_id: it.entity_id,
      detail: it.flag_type,
    }
  },

  comment: ({ before, after }) => {
    if (before || !after) return undefined
    const it = parse(comment, after)
    return {
      notices: it.entity_id === null ? ['project_comment'] : ['commented', 'answered'],
      project_id: it.project_id,
      event: `comment#${it.id}`,
      at: it.created_at,
      actor_id: it.user_id,
      entity_id: it.entity_id,
      named: it.parent_user_id,
    }
  },

  project_activity: ({ before, after }) => {
    if (before || !after) return undefined
    const it = parse(projectActivity, after)
    const notices = noticesOf(it)
    if (notices.length === 0) return undefined
    return {
      notices,
      named: it.actor_id,
      detail: it.action === 'merge_failed' ? String(it.payload.reason).replace(/\.$/, '') : '',
      event: it.id,
      at: it.created_at,
      actor_id: it.actor_id,
      entity_id: null,
      project_id: it.project_id,
    }
  },

  import: ({ before, after }) => {
    if (!before || !after) return undefined
    const [{ work }, it] = [parse(importItem, before), parse(importItem, after)]
    if (!work || it.work) return undefined
    return {
      notices: it.failed === null ? [...byTask[work.task]] : ['import_failed'],
      event: `import#${it.id}#${it.version}`,
      at: it.updated_at,
      actor_id: work.by.id,
      entity_id: null,
      named: it.contributor_id,
      detail: `"${it.file_name}"`,
    }
  },

  submission_suggestion: ({ before, after }) => {
    const [old, it] = [before && parse(suggestion, before), after && parse(suggestion, after)]
    if (!it || (old && old.approved === it.approved)) return undefined
    const made = { entity_id: null, detail: it.submission_id }
    if (!old)
      return {
        ...made,
        notices: ['suggested'],
        event: `suggestion#${it.id}`,
        at: it.created_at,
        actor_id: it.suggested_by,
        named: it.contributor_id,
      }
    return {
      ...made,
      notices: [it.approved ? 'suggestion_approved' : 'suggestion_rejected'],
      event: `suggestion#${it.id}`,
      at: it.reviewed_at ?? it.created_at,
      actor_id: it.reviewed_by,
      named: it.suggested_by,
    }
  },

  moderation: ({ after }) => {
    if (!after) return undefined
    const it = parse(moderation, after)
    return {
      notices: ['moderated'],
      event: `moderation#${it.submission}#${it.version}`,
      at: it.reviewed_at,
      actor_id: it.moderator_id,
      entity_id: null,
      named: it.contributor_id,
      detail: `${it.submission_id}, ${it.status}`,
    }
  },

  user: ({ before, after }) => {
    const [old, role] = [before && userOf(before).reviewer_role, after && userOf(after).reviewer_role]
    if (!before || !role?.is_active || (old?.is_active && old.role === role.role)) return undefined
    return {
      notices: ['role'],
      event: `${role.id}#${role.updated_at}`,
      at: role.updated_at,
      actor_id: role.assigned_by,
      entity_id: null,
      named: role.id,
      detail: role.role,
    }
  },
}

/** The notices when a task of an import has ended. */
const byTask: Readonly<Record<Task, readonly NoticeName[]>> = {
  read: ['import_read'],
  check: ['import_checked'],
  run: ['import_done', 'import_waiting'],
  decide: ['import_decided'],
  withdraw: ['import_withdrawn'],
  take_back: ['import_taken_back'],
}

/** The item types whose changes may notify people. */
export const notifiedTypes = (): string[] => Object.keys(eventOf)

const byActivity: Readonly<Partial<Record<string, readonly NoticeName[]>>> = {
  submitted: ['received', 'waiting'],
  revised: ['revised'],
}

/** A change of state notifies the people of the project. If it ran in the background, whoever began it gets a notice too. */
function noticesOf({ action, payload }: ProjectActivity): NoticeName[] {
  if (action === 'merge_failed') return ['project_merge_failed']
  if (action !== 'state_changed') return []
  const names = byState[String(payload.to)] ?? []
  if (payload.background !== true) return [...names]
  return [...names, payload.to === 'merged' ? 'project_merge_done' : 'project_rollback_done']
}

const byState: Readonly<Partial<Record<string, readonly NoticeName[]>>> = {
  in_review: ['project_in_review'],
  needs_revision: ['project_needs_revision'],
  approved: ['project_approved'],
  merged: ['project_merged'],
}

async function tellingsOf(name: NoticeName, it: NotifiableEvent, scene: Scene): Promise<Telling[]> {
  const notice: { to: keyof typeof audience | 'reviewers'; receipt?: true; unless_stub?: true; unless_batch?: true } =
    notices[name]
  if (notice.unless_stub && scene.about?.stub) return []
  if (notice.unless_batch && isOfBatch(it, scene)) return []
  const ids = notice.to === 'reviewers' ? [null] : new Set(await audience[notice.to](it, scene))
  return [...ids]
    .filter((id) => notice.receipt || id === null || id !== it.actor_id)
    .map((user_id) => ({
      user_id,
      not_for: [it.actor_id, scene.about?.contributor_id].filter((id) => typeof id === 'string'),
      notice: name,
      event: it.event,
      actor_id: it.actor_id,
      entity_id: it.entity_id,
      project_id: it.project_id ?? null,
      detail: it.detail ?? '',
      created_at: it.at,
    }))
}

/** Whether the event is part of a batch, which has notices of its own: a row that was made, or a verdict on all rows. */
const isOfBatch = (it: NotifiableEvent, { about }: Scene): boolean =>
  it.of_batch ?? (about !== undefined && batchRowOf(about) !== null)

/** What an event is about: its record, its project. */
type Scene = { about: RecordItem | undefined; on: Project | undefined; memo: Memo }

/** What several events share: the records that they are about, read after all of these events. */
export type Memo = { heads?: ReadonlyMap<string, Stored> }

/** Reads the records about which these changes may notify people. One call for each hundred. */
export function headsOf(changes: readonly Images[]): Promise<Map<string, Stored>> {
  const events = changes.flatMap(({ before, after }) =>
    after && !before && eventOf[String(after.type)] ? [after] : [],
  )
  const ids = new Set(events.flatMap((it) => (typeof it.entity_id === 'string' ? it.entity_id : [])))
  return getMany([...ids].map(key.head), true)
}

const headOf = async (entity_id: string, { heads }: Memo): Promise<RecordItem | undefined> =>
  heads ? itemIn(heads, recordItem, { entity_id }) : get(recordItem, { entity_id })

/** Who is notified. Only people who were there when it happened, so a repeat reaches nobody else. */
const audience = {
  contributor: async (_: NotifiableEvent, { about }: Scene): Promise<string[]> => (about ? [about.contributor_id] : []),
  contributor_unless_named: async ({ named }: NotifiableEvent, { about }: Scene): Promise<string[]> =>
    about && about.contributor_id !== named ? [about.contributor_id] : [],
  named: async ({ named }: NotifiableEvent): Promise<string[]> => (named ? [named] : []),
  earlier_reviewers: async ({ at, entity_id }: NotifiableEvent): Promise<string[]> => {
    const { pk, sk } = key.decision(entity_id ?? '', '')
    const made = (await queryAll(pk, sk)).map((item) => parse(decision, item))
    return made.filter((it) => it.created_at <= at).map((it) => it.reviewer_id)
  },
  project_owner: async ({ at }: NotifiableEvent, { on }: Scene): Promise<string[]> => membersOf(on, at, ['owner']),
  project_editors: async ({ at }: NotifiableEvent, { on }: Scene): Promise<string[]> =>
    membersOf(on, at, ['owner', 'editor']),
  project_members: async ({ at }: NotifiableEvent, { on }: Scene): Promise<string[]> => membersOf(on, at, memberRoles),
}

const membersOf = (on: Project | undefined, at: string, roles: readonly string[]) =>
  (on?.memberships ?? []).filter((it) => roles.includes(it.role) && it.created_at <= at).map((it) => it.user_id)
