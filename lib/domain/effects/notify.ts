import type { Images } from '../../engines/table/index.ts'
import { get, getMany, itemIn, parse, queryAll, type Stored } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { userOf } from '../../platform/users/users.ts'
import { comment } from '../comments/items.ts'
import { type ForkState, fork } from '../forks/items.ts'
import { importItem, type Task } from '../imports/items.ts'
import type { NewAnnouncement } from '../notifications/announcements.ts'
import { type NoticeName, notices } from '../notifications/events.ts'
import { memberRoles, type Project, type ProjectActivity, project, projectActivity } from '../projects/items.ts'
import { proposal, titleOf } from '../proposals/items.ts'
import { activity, decision, flag, type RecordItem, recordItem } from '../records/items.ts'
import { batchRowOf } from '../records/queue-entry.ts'
import { moderation, suggestion } from '../submissions/items.ts'

/** A notification that is to be sent. `user_id: null` means all reviewers, except those in `not_for`. */
export type PendingNotice = NewAnnouncement & { user_id: string | null }

/** An event that people are notified of, read from a change. */
type NotifiableEvent = {
  notices: readonly NoticeName[]
  /** The id of the event. A repeated change gives the same id. */
  event: string
  /** The time of the event, ISO 8601. */
  at: string
  actor_id: string | null
  entity_id: string | null
  project_id?: string | null
  /** The person whom the event itself names. Example: the author of the comment that is answered. */
  named?: string | null
  detail?: string
  /** Whether the event is part of a batch. Decisions and flags by persons set it. For any other event `batchRowOf` of the record decides. */
  of_batch?: boolean
}

/** The notifications that a change causes. A repeated change causes the same ones. */
export async function noticesOfChange(type: string, images: Images, reads: SharedReads): Promise<PendingNotice[]> {
  const event = loudEventOf(type, images)
  if (!event) return []
  const record = event.entity_id === null ? undefined : await loadHead(event.entity_id, reads)
  if (event.entity_id !== null && (!record || record.deleted_at)) return []
  const projectOfEvent = event.project_id ? await get(project, { id: event.project_id }) : undefined
  if (event.project_id && (!projectOfEvent || projectOfEvent.deleted_at)) return []
  const scene = { record, project: projectOfEvent }
  const pending = await Promise.all(event.notices.map((name) => pendingNotices(name, event, scene)))
  return pending.flat()
}

/** The event of a change that notifies somebody. Undefined if it notifies nobody. */
function loudEventOf(type: string, images: Images): NotifiableEvent | undefined {
  const event = eventOf[type]?.(images)
  return event && event.notices.length > 0 ? event : undefined
}

/**
 * By item type: reads the event from a change. Undefined if the change notifies nobody. An event that names a record (`entity_id`) gets
 * its head, read once for all events of a batch.
 */
export const eventOf: Readonly<Record<string, (images: Images) => NotifiableEvent | undefined>> = {
  decision: ({ before, after }) => {
    if (before || !after) return undefined
    const it = parse(decision, after)
    // The item of the fork causes the notices of its merge.
    if (it.fork !== null) return undefined
    const ruled = rulings.find((rule) => it.outcomes.some((outcome) => outcome.rule === rule))
    return {
      notices: ruled ? [ruled] : it.escalated_to === null ? [it.verdict] : [it.verdict, 'asked'],
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
    if (it.concealed) return undefined
    return {
      notices: ['flagged'],
      event: it.id,
      at: it.created_at,
      actor_id: it.flagged_by,
      entity_id: it.entity_id,
      detail: it.flag_type,
      // A flag by a person causes a notice even on a row of a batch. A flag by the service on a row causes none, since the import counts
      // it.
      ...(it.flagged_by !== null && { of_batch: false }),
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
    const notices = noticesOfActivity(it)
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

  fork: ({ before, after }) => {
    const [old, it] = [before && parse(fork, before), after && parse(fork, after)]
    if (!it || old?.state === it.state) return undefined
    return {
      notices: old ? byForkState[it.state] : ['forked'],
      event: `fork#${it.id}#${it.state}`,
      at: it.judged_at ?? it.created_at,
      actor_id: it.judged_by ?? it.forked_by,
      entity_id: it.entity_id,
      named: it.forked_by,
    }
  },

  import: ({ before, after }) => {
    if (!before || !after) return undefined
    const [{ work }, it] = [parse(importItem, before), parse(importItem, after)]
    if (!work || it.work || work.preview) return undefined
    const isInPart = work.task === 'take_back' && work.rows.length > 0
    return {
      notices: it.failed !== null ? ['import_failed'] : isInPart ? ['import_rows_taken_back'] : [...byTask[work.task]],
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

  proposal: ({ before, after }) => {
    const [old, it] = [before && parse(proposal, before), after && parse(proposal, after)]
    if (!it || old?.status === it.status || (it.status !== 'approved' && it.status !== 'rejected')) return undefined
    return {
      notices: [it.status === 'approved' ? 'proposal_approved' : 'proposal_rejected'],
      event: `proposal#${it.id}#${it.version}`,
      at: it.updated_at,
      actor_id: it.decided_by,
      entity_id: null,
      named: it.author_id,
      detail: `"${titleOf(it.content)}"`,
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

/** The notices when a fork is decided on. A refusal has none here: the verdict on the fork's record tells its author. */
const byForkState: Readonly<Record<ForkState, readonly NoticeName[]>> = {
  active: [],
  merged: ['fork_merged', 'fork_taken'],
  promoted: ['fork_promoted'],
  rejected: [],
}

/** Decisions on values that rest on a source in question are no verdict on what the contributor sent. */
const rulings = ['source_withdrawn', 'source_restored'] as const satisfies readonly NoticeName[]

/** The item types whose changes may notify people. */
export const notifiedTypes = (): string[] => Object.keys(eventOf)

const byActivity: Readonly<Partial<Record<string, readonly NoticeName[]>>> = {
  submitted: ['received', 'waiting'],
  revised: ['revised'],
}

/**
 * The notices of an activity of a project. A change of state has those of `byState`. If it ran in the background, whoever began it gets one
 * more.
 */
function noticesOfActivity({ action, payload }: ProjectActivity): NoticeName[] {
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

/** The notices of one name that an event causes, one for each person. */
async function pendingNotices(name: NoticeName, event: NotifiableEvent, scene: Scene): Promise<PendingNotice[]> {
  const notice: { to: keyof typeof audience | 'reviewers'; receipt?: true; unless_stub?: true; unless_batch?: true } =
    notices[name]
  if (notice.unless_stub && scene.record?.stub) return []
  if (notice.unless_batch && isOfBatch(event, scene)) return []
  const ids = notice.to === 'reviewers' ? [null] : new Set(await audience[notice.to](event, scene))
  return [...ids]
    .filter((id) => notice.receipt || id === null || id !== event.actor_id)
    .map((user_id) => ({
      user_id,
      not_for: [event.actor_id, scene.record?.contributor_id].filter((id) => typeof id === 'string'),
      notice: name,
      event: event.event,
      actor_id: event.actor_id,
      entity_id: event.entity_id,
      project_id: event.project_id ?? null,
      detail: event.detail ?? '',
      created_at: event.at,
    }))
}

/** Whether the event is part of a batch, which has notices of its own: a row that was made, or a verdict on all rows. */
const isOfBatch = ({ of_batch }: NotifiableEvent, { record }: Scene): boolean =>
  of_batch ?? (record !== undefined && batchRowOf(record) !== null)

/** The record and the project that an event is about, as they are now. */
type Scene = { record: RecordItem | undefined; project: Project | undefined }

/** Items that are read once for several events: the heads of their records, as they are after all of these events. */
export type SharedReads = { heads?: ReadonlyMap<string, Stored> }

/** Reads the records about which these changes notify people. One call for each hundred; none if all of them notify nobody. */
export async function loadHeads(changes: readonly Images[]): Promise<Map<string, Stored>> {
  const ids = new Set(changes.flatMap((images) => recordOf(images) ?? []))
  return ids.size === 0 ? new Map() : getMany([...ids].map(key.head), true)
}

/** The id of the record about which a change notifies people. Null if it notifies nobody, or if its event names no record. */
function recordOf(images: Images): string | null {
  try {
    const event = loudEventOf(String((images.after ?? images.before)?.type), images)
    return event?.entity_id ?? null
  } catch {
    // An item that cannot be read fails when its own change is followed.
    return null
  }
}

const loadHead = async (entity_id: string, { heads }: SharedReads): Promise<RecordItem | undefined> =>
  heads ? itemIn(heads, recordItem, { entity_id }) : get(recordItem, { entity_id })

/**
 * Loads the ids of the people whom a notice is for. People who joined the project or decided after the event are left out. So a repeat
 * notifies nobody else.
 */
const audience = {
  contributor: async (_: NotifiableEvent, { record }: Scene): Promise<string[]> =>
    record ? [record.contributor_id] : [],
  contributor_unless_named: async ({ named }: NotifiableEvent, { record }: Scene): Promise<string[]> =>
    record && record.contributor_id !== named ? [record.contributor_id] : [],
  named: async ({ named }: NotifiableEvent): Promise<string[]> => (named ? [named] : []),
  earlier_reviewers: async ({ at, entity_id }: NotifiableEvent): Promise<string[]> => {
    const { pk, sk } = key.decision(entity_id ?? '', '')
    const decisions = (await queryAll(pk, sk)).map((item) => parse(decision, item))
    return decisions.filter(({ created_at }) => created_at <= at).map(({ reviewer_id }) => reviewer_id)
  },
  project_owner: async ({ at }: NotifiableEvent, scene: Scene): Promise<string[]> => membersOf(scene, at, ['owner']),
  project_editors: async ({ at }: NotifiableEvent, scene: Scene): Promise<string[]> =>
    membersOf(scene, at, ['owner', 'editor']),
  project_members: async ({ at }: NotifiableEvent, scene: Scene): Promise<string[]> =>
    membersOf(scene, at, memberRoles),
}

const membersOf = ({ project: projectOfEvent }: Scene, at: string, roles: readonly string[]): string[] =>
  (projectOfEvent?.memberships ?? [])
    .filter(({ role, created_at }) => roles.includes(role) && created_at <= at)
    .map(({ user_id }) => user_id)
