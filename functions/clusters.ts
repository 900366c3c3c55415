import { withTables } from '../lib/exports/list-tables.ts'
import { cut } from '../lib/matching/cut.ts'
import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import * as clusters from '../lib/clusters/clusters.ts'
import { rivalsOf } from '../lib/clusters/duplicates.ts'
import { ClusterQuery } from '../lib/clusters/queries.ts'
import { findClusters } from '../lib/clusters/search.ts'
import { clusterView, memberView, suggestionsView, typeScopeOf } from '../lib/clusters/view.ts'
import { invalid } from '../lib/errors.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { chooseFrom, line, members, objectOf, prose } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { BooleanFlag, ById } from '../lib/http/params.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { type Contribution, type Kind, kindOfScope, kinds, type Mode, noKind, schemaOf } from '../lib/kinds/index.ts'
import { textOf } from '../lib/names/text.ts'
import type { Actor } from '../lib/permissions.ts'
import { needsSearch } from '../lib/search/open.ts'
import { signedToday } from '../lib/users/people.ts'

/** What clusters gather: everything that is reviewed. */
const clustered: readonly Kind[] = Object.values(kinds).filter((it) => it.record || it.key === 'entity')
const scopes = clustered.map(typeScopeOf)
const MEMBERS = 'Give a list of {entity_type, entity_id}.'
const TOO_MANY = `A cluster gathers at most ${clusters.MOST_MEMBERS} records.`

const version = v.pipe(v.number('Give a whole number.'), v.integer('Give a whole number.'))
const subject = ({ id }: { id: string }) => clusters.load(id)

const lock = (locked: boolean) =>
  changeRoute({
    permission: 'cluster.change',
    params: ById,
    subject,
    body: members({ reason: prose(5000), expected_version: absentable(version) }),
    handle: ({ subject, actor, body }) => answering(() => clusters.setLock(subject, locked, body, actor), clusterView),
  })

/** Entity clusters, and the hint that a record may be there already. Nobody deletes a cluster: its history would go with it. */
export const routes = withTables({
  'GET /cidoc/entity-clusters/': publicRoute({
    permission: 'cluster.list',
    query: ClusterQuery,
    handle: async ({ query: { search, type_scope, locked, ordering }, page, request }) => {
      const kind = type_scope ? kindOfScope(type_scope) : undefined
      const filter = { kind: kind?.key, locked, search, ...ordering }
      const listed =
        type_scope && !kind
          ? { count: 0, results: [] }
          : needsSearch(filter)
            ? await findClusters(filter, page)
            : await clusters.list(filter, page)
      return listBody(request, page, { ...listed, results: (await signed(listed.results)).map(clusterView) })
    },
  }),

  'POST /cidoc/entity-clusters/': actorRoute({
    permission: 'cluster.create',
    body: bodyFor('create'),
    idempotent: '24h',
    handle: async ({ actor, body }) => {
      const kind = clustered.find((it) => it === kindOfScope(textOf(body.data.type_scope)))
      if (!kind) throw invalid({ type_scope: [chooseFrom(scopes)] })
      return creating(() => clusters.create(kind, changesOf(body), body.members ?? [], actor), shown)
    },
  }),

  'GET /cidoc/entity-clusters/suggest-duplicates/': actorRoute({
    permission: 'duplicates.suggest',
    query: v.object({
      q: v.pipe(v.optional(v.string(), ''), v.trim(), v.minLength(2, 'Give at least 2 characters.')),
      registry_key: scopeMember(),
      type_scope: scopeMember(),
      include_members: BooleanFlag,
    }),
    handle: async ({ actor, query: { q, registry_key, type_scope, include_members } }) => {
      const text = cut(q, LONGEST)
      const kind = registry_key ?? type_scope
      const among = kind ? clustered.filter((it) => it === kind) : clustered
      return suggestionsView(text, await rivalsOf(text, among, actor), include_members)
    },
  }),

  'GET /cidoc/entity-clusters/{id}/': readRoute({
    permission: 'cluster.read',
    params: ById,
    subject,
    handle: async ({ subject }) => shown(subject),
  }),

  'GET /cidoc/entity-clusters/{id}/members/': readRoute({
    permission: 'cluster.read',
    params: ById,
    subject,
    handle: async ({ subject, actor }) => ({
      cluster_id: subject.id,
      members: (await clusters.membersOf(subject, actor)).map(memberView),
    }),
  }),

  'PUT /cidoc/entity-clusters/{id}/': changeRoute({
    permission: 'cluster.change',
    params: ById,
    subject,
    body: bodyFor('create'),
    handle: ({ subject, actor, body }) => answering(() => amend(subject, body, emptied, actor), shown),
  }),

  'PATCH /cidoc/entity-clusters/{id}/': changeRoute({
    permission: 'cluster.change',
    params: ById,
    subject,
    body: bodyFor('change'),
    handle: ({ subject, actor, body }) => answering(() => amend(subject, body, {}, actor), shown),
  }),

  'POST /cidoc/entity-clusters/{id}/lock/': lock(true),
  'POST /cidoc/entity-clusters/{id}/unlock/': lock(false),
} satisfies Routes)

export const handler = endpoint(routes)

const signed = (found: readonly clusters.Cluster[]) => signedToday('contributor', found)
const shown = async (it: clusters.Cluster) => clusterView((await signed([it]))[0] ?? it)

/** A longer text names nothing. */
const LONGEST = 200

type Body = Contribution & {
  members?: clusters.MemberInput[] | undefined
  external_identifiers?: Record<string, string> | undefined
  expected_version?: number | undefined
}

async function amend(old: clusters.Cluster, body: Body, base: clusters.Changes, actor: Actor) {
  const { expected_version } = body
  if (expected_version !== undefined && expected_version !== old.version)
    throw invalid({ expected_version: [`The cluster has changed since: it is at version ${old.version}.`] })
  const scope = body.data.type_scope
  if (scope !== undefined && kindOfScope(textOf(scope))?.key !== old.kind)
    throw invalid({ type_scope: ['What a cluster gathers cannot be changed.'] })
  return clusters.amend(old, { ...base, ...changesOf(body) }, body.members, actor)
}

/** What a whole new statement of a cluster does not mention. Its members stay: they are no property of it. */
const emptied: clusters.Changes = { locked: false, note: '', curated_aliases: [], external_identifiers: {} }

function changesOf({ data, cleared, external_identifiers }: Body): clusters.Changes {
  const { canonical_label, locked, note, curated_aliases } = data
  const says = (name: string) => name in data || cleared.includes(name)
  return {
    ...(says('canonical_label') && { canonical_label: textOf(canonical_label).trim() }),
    ...(says('locked') && { locked: locked === true }),
    ...(says('note') && { note: textOf(note) }),
    ...(says('curated_aliases') && {
      curated_aliases: Array.isArray(curated_aliases) ? curated_aliases.map(textOf) : [],
    }),
    ...(external_identifiers && { external_identifiers }),
  }
}

/** The declared fields of a cluster, and what is beside them on the wire. */
function bodyFor(mode: Mode) {
  return v.intersect([
    schemaOf(kinds.entity_cluster, mode),
    v.object({
      members: absentable(v.pipe(v.array(named(), MEMBERS), v.maxLength(clusters.MOST_MEMBERS, TOO_MANY))),
      external_identifiers: absentable(
        v.pipe(
          objectOf(line(100), line(500), 'Give an object of identifiers.'),
          v.check((it) => Object.keys(it).length <= 50, 'Give no more than 50 of them.'),
        ),
      ),
      expected_version: absentable(version),
    }),
  ])
}

/** One record, as the members of a cluster are read, by registry key or type scope. */
function named() {
  const number = v.pipe(v.number(MEMBERS), v.integer(MEMBERS), v.minValue(1, MEMBERS), v.maxValue(1e12 - 1, MEMBERS))
  const digits = v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/, MEMBERS), v.transform(Number))
  const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid(MEMBERS))
  return v.pipe(
    v.object({ entity_type: v.string(MEMBERS), entity_id: v.union([number, digits, uuid], MEMBERS) }, MEMBERS),
    v.forward(
      v.partialCheck(
        [['entity_type']],
        ({ entity_type }) => kindOfScope(entity_type) !== undefined,
        ({ input }) => noKind(input.entity_type),
      ),
      ['entity_type'],
    ),
    v.transform(
      ({ entity_type, entity_id }): clusters.MemberInput => ({
        kind: kindOfScope(entity_type) ?? kinds.entity,
        id: entity_id,
      }),
    ),
  )
}

/** A member that may be missing; null is the same. */
function absentable<S extends v.GenericSchema>(schema: S) {
  return v.pipe(
    v.nullish(schema),
    v.transform((it) => it ?? undefined),
  )
}

function scopeMember() {
  return v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => (it === '' ? null : (kindOfScope(it) ?? undefined))),
    v.check((it): boolean => it !== undefined, chooseFrom(scopes)),
    v.transform((it) => it ?? null),
  )
}
