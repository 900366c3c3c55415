import { omit } from '../../base/omit.ts'
import { historyAudiences } from '../../base/visibility.ts'
import { authorList, comment } from '../../domain/comments/items.ts'
import { extension, extensionList } from '../../domain/extensions/items.ts'
import { listHooks } from '../../domain/hooks/hooks.ts'
import { importItem, importLists } from '../../domain/imports/items.ts'
import { listMappings } from '../../domain/imports/kept-mappings.ts'
import { notification, notificationsOf } from '../../domain/notifications/items.ts'
import { listOrganizationsOf } from '../../domain/organizations/members.ts'
import type { Project } from '../../domain/projects/items.ts'
import { listProjects } from '../../domain/projects/lists.ts'
import { type ProposalSort, proposal, proposalList, titleOf } from '../../domain/proposals/items.ts'
import {
  activity,
  activityList,
  decision,
  decisionList,
  listsOf,
  recordItem,
  recordVisibilities,
} from '../../domain/records/items.ts'
import { scan, scanList } from '../../domain/scans/items.ts'
import { submission, submissionList, suggestion, suggestionList } from '../../domain/submissions/items.ts'
import { loadWatches } from '../../domain/watches/watches.ts'
import { type IndexName, type PageRequest, parse, type Stored, walk } from '../../engines/table/index.ts'
import { actorOf } from '../../platform/users/actor.ts'
import { keyView, listKeys } from '../../platform/users/keys.ts'
import { listSessions, sessionView } from '../../platform/users/tokens.ts'
import type { User } from '../../platform/users/users.ts'
import { loadSettings } from '../letters/settings.ts'

/** Items that one query reads. */
const ITEMS_IN_PAGE = 500

/**
 * Gathers what lists hold by person, as the person may see it. Leaves out password hashes, secrets, and what others wrote on the person's
 * records. `gatherScattered` gives the rest of the file.
 */
export async function gatherOwnData(user: User): Promise<Record<string, unknown>> {
  const records = await walkAll(
    'gsi3',
    recordVisibilities.map((it) => listsOf.owner(user.id, it)),
  )
  const activities = await walkAll(
    'gsi3',
    historyAudiences.map((it) => activityList(it, user.id)),
  )
  const decisions = await walkAll('gsi3', [decisionList(user.id)])
  const comments = await walkAll(
    'gsi3',
    historyAudiences.map((it) => authorList(user.id, it)),
  )
  const notices = await walkAll('gsi3', [notificationsOf(user.id)])
  const imports = await walkAll('gsi3', [importLists.of(user.id)])
  const settings = await loadSettings(user.id)
  return {
    account: omit(user, 'password', 'token_generation', 'ownership', 'seeded', 'version'),
    contributions: records
      .map((it) => parse(recordItem, it))
      .map(
        ({
          entity_id,
          kind,
          id,
          name,
          status,
          public: isPublic,
          data,
          proposed,
          access_tier,
          created_at,
          updated_at,
        }) => ({
          ...{
            entity_id,
            kind,
            id,
            name,
            status,
            public: isPublic,
            access_tier,
            data,
            proposed,
            created_at,
            updated_at,
          },
        }),
      ),
    activities: activities
      .map((it) => parse(activity, it))
      .map(({ entity_id, activity_type, comment: text, created_at }) => ({
        ...{ entity_id, activity_type, comment: text, created_at },
      })),
    decisions: decisions
      .map((it) => parse(decision, it))
      .map(({ entity_id, verdict, feedback, internal_note, created_at }) => ({
        ...{ entity_id, verdict, feedback, internal_note, created_at },
      })),
    comments: comments
      .map((it) => parse(comment, it))
      .map(({ id, entity_id, project_id, comment: text, created_at, updated_at }) => ({
        ...{ id, entity_id, project_id, comment: text, created_at, updated_at },
      })),
    notifications: notices
      .map((it) => parse(notification, it))
      .map(({ notification_type, created_at }) => ({ notification_type, created_at })),
    letters: omit(settings, 'origin', 'version'),
    watches: (await loadWatches(user.id)).watches.map(({ what, about, created_at }) => ({ what, about, created_at })),
    submissions: (await walkAll('gsi3', [submissionList(user.id)]))
      .map((it) => parse(submission, it))
      .map(({ submission_id, title, description, members, status, created_at }) => ({
        ...{ submission_id, title, description, members, status, created_at },
      })),
    suggestions: (await walkAll('gsi3', [suggestionList.by(user.id)]))
      .map((it) => parse(suggestion, it))
      .map(({ submission_id, title, description, approved, created_at }) => ({
        ...{ submission_id, title, description, approved, created_at },
      })),
    projects: (await projectsOf(user)).map(({ slug, title, abstract, state, visibility, created_at }) => ({
      ...{ slug, title, abstract, state, visibility, created_at },
    })),
    imports: imports
      .map((it) => parse(importItem, it))
      .map(({ id, file_name, size, state, created_at }) => ({ id, file_name, size, state, created_at })),
    mappings: (await listMappings(user.id)).map(({ name, mapping, created_at }) => ({ name, mapping, created_at })),
    organizations: (await listOrganizationsOf(user.id)).map(({ about, role }) => ({
      id: about.id,
      name: about.name,
      role,
    })),
    documents: (await walkAll('gsi3', [scanList(user.id)]))
      .map((it) => parse(scan, it))
      .map(({ id, file_name, size, status, created_at }) => ({ id, file_name, size, status, created_at })),
    schema_proposals: (await walkAll('gsi3', [extensionList(user.id)]))
      .map((it) => parse(extension, it))
      .map(({ id, title, status, created_at }) => ({ id, title, status, created_at })),
    entity_proposals: await proposalsOf(user.id, 'entity'),
    relationship_proposals: await proposalsOf(user.id, 'relationship'),
    keys: (await listKeys(user)).map(keyView),
    hooks: (await listHooks(actorOf(user))).map(({ id, url, changes, kinds, created_at }) => ({
      ...{ id, url, changes, kinds, created_at },
    })),
    sessions: (await listSessions(user)).map((it) => sessionView(it, undefined)),
  }
}

/** A person's proposals on records, of one sort. */
const proposalsOf = async (user: string, sort: ProposalSort) =>
  (await walkAll('gsi3', [proposalList(sort, { user })]))
    .map((it) => parse(proposal, it))
    .map(({ id, content, status, created_at }) => ({ id, title: titleOf(content), status, created_at }))

/** Projects that one page reads. */
const PROJECTS_IN_PAGE = 100

/** The projects that a person owns, oldest first. */
async function projectsOf(user: User): Promise<Project[]> {
  const all: Project[] = []
  const own = { owner: user.id, order: 'created_at', forward: true } as const
  // By the key of the last row: an offset reaches 1,000 rows only.
  for (let from: PageRequest['from']; ; ) {
    const { results, last } = await listProjects(own, actorOf(user), { limit: PROJECTS_IN_PAGE, offset: 0, from })
    all.push(...results)
    if (last === undefined) return all
    from = { side: 'after', at: last }
  }
}

/** All items of these partitions of an index, oldest first within each. */
async function walkAll(index: IndexName, partitions: readonly string[]): Promise<Stored[]> {
  const all: Stored[] = []
  for (const pk of partitions) {
    for (let beyond: string | undefined; ; ) {
      const page = await walk({ index, pk, forward: true, limit: ITEMS_IN_PAGE, beyond })
      all.push(...page)
      if (page.length < ITEMS_IN_PAGE) break
      beyond = String(page.at(-1)?.[`${index}_sk`])
    }
  }
  return all
}
