import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { conflict, conflictWith, type Fields, invalid } from '../../base/errors.ts'
import { fold } from '../../engines/matching/index.ts'
import { getMany, itemIn, type UnitOfWork } from '../../engines/table/index.ts'
import { chooseFrom } from '../../platform/http/body.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { isVisibleMember, loadRecords, memberId, newCluster } from '../clusters/clusters.ts'
import { gatherRecords } from '../clusters/gather.ts'
import { type Cluster, cluster } from '../clusters/items.ts'
import { type Evidence, loadMemberships } from '../clusters/memberships.ts'
import { clusteredKinds, clusterScopes } from '../clusters/view.ts'
import { answerCandidate, loadCandidatesOf } from '../identity/candidates.ts'
import { type Kind, kindOfScope, kinds, schemaOf, unknownKindMessage } from '../kinds/index.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { createRecord } from '../records/write.ts'
import { settleDuplicates } from '../review/duplicates.ts'
import { type DataSource, dataSource } from '../sources/sources.ts'
import { nameOfClaim } from './claims.ts'
import type { EntityContent, Named } from './items.ts'

/** Proposals that records are about one thing: checks what a proposal says, and makes it true. */

/** What a proposal names, as it is now. */
type EntityFindings = {
  kind: Kind
  anchors: RecordItem[]
  cluster: Cluster | undefined
  source: DataSource | undefined
}

/**
 * Looks up what a proposal names. What its author may not see is treated as absent. Fails with an error for each member that names nothing.
 * One call.
 */
export async function findEntity(content: EntityContent, author: Actor): Promise<EntityFindings> {
  const { anchor_records, supporting_source_ids, existing_cluster } = content
  const kind = clusteredKinds.find((it) => it === kindOfScope(content.type_scope))
  const ids = anchor_records.map(identityOf)
  const clusterId = content.resolution_mode === 'link_existing' ? existing_cluster : null
  const found = await getMany(
    [
      ...ids.flatMap((id) => (id === undefined ? [] : key.head(id))),
      ...supporting_source_ids.map(key.source),
      ...(clusterId ? [key.cluster(clusterId)] : []),
    ],
    true,
  )
  const records = ids.map((id) => {
    const record = id === undefined ? undefined : itemIn(found, recordItem, { entity_id: id })
    return record && isVisibleMember(record, author) ? record : undefined
  })
  const sources = supporting_source_ids.map((id) => {
    const source = itemIn(found, dataSource, { id })
    return source && !source.deleted_at && maySee(author, source) ? source : undefined
  })
  const into = clusterId ? itemIn(found, cluster, { id: clusterId }) : undefined
  const faults: Fields = {
    ...(!kind && { type_scope: [chooseFrom(clusterScopes)] }),
    ...Object.assign({}, ...anchor_records.map((it, i) => anchorFault(`anchor_records[${i}]`, it, kind, records[i]))),
    ...repeatFaults(ids),
    ...Object.fromEntries(
      sources.flatMap((it, i) => (it ? [] : [[`supporting_source_ids[${i}]`, ['There is no source with this id.']]])),
    ),
    ...(ids.length > 0 && sources.length === 0 && { supporting_source_ids: [SOURCE_NEEDED] }),
    ...(clusterId && clusterFault(into, kind)),
  }
  if (!kind || Object.keys(faults).length > 0) throw invalid(faults)
  return { kind, anchors: records.flatMap((it) => it ?? []), cluster: into, source: sources[0] }
}

const SOURCE_NEEDED = 'Name at least one source which says that these records are one thing.'

/** The review identity of a record that a proposal names. Undefined if its kind is unknown. */
export function identityOf({ entity_type, entity_id }: Named): string | undefined {
  const kind = kindOfScope(entity_type)
  return kind && (kind.record || typeof entity_id === 'string') && entity_id !== ''
    ? memberId({ kind, id: entity_id })
    : undefined
}

function anchorFault(at: string, named: Named, kind: Kind | undefined, record: RecordItem | undefined): Fields {
  const own = kindOfScope(named.entity_type)
  if (!own) return { [`${at}.entity_type`]: [unknownKindMessage(named.entity_type)] }
  if (kind && own !== kind) return { [`${at}.entity_type`]: ['It is of another kind than the proposal.'] }
  return record && record.kind === own.key ? {} : { [`${at}.entity_id`]: ['There is no record with this id.'] }
}

const repeatFaults = (ids: readonly (string | undefined)[]): Fields =>
  Object.fromEntries(
    ids.flatMap((id, i) =>
      id !== undefined && ids.indexOf(id) < i ? [[`anchor_records[${i}]`, ['This record is named twice.']]] : [],
    ),
  )

function clusterFault(into: Cluster | undefined, kind: Kind | undefined): Fields {
  if (!into || into.merged_into) return { existing_cluster: ['There is no cluster with this id.'] }
  return kind && into.kind !== kind.key ? { existing_cluster: ['It gathers records of another kind.'] } : {}
}

/** Fails with `conflict` and the records, if some are in another cluster than the proposal puts them into. Two calls at most. */
export async function checkAnchorsFree({ anchors, cluster: into }: EntityFindings): Promise<void> {
  const memberships = await loadMemberships(anchors.map(({ entity_id }) => entity_id))
  const conflicts = anchors.flatMap(({ entity_id, kind, id }) => {
    const cluster_id = memberships.get(entity_id)?.membership.cluster_id
    if (cluster_id === undefined || cluster_id === into?.id) return []
    return [{ entity_type: kind, entity_id: kinds[kind].record ? id : entity_id, cluster_id }]
  })
  if (conflicts.length > 0) throw conflictWith('Some of these records are in another cluster.', conflicts)
}

/**
 * Fails with `conflict` if a reviewer has held two of these records to be different things. The cluster's members count, too: those that
 * `reader` may see, or all without a `reader`. Returns the pairs, their identity candidates and the records. One call for each hundred
 * members, and one for each hundred pairs.
 */
export async function checkPairs({ anchors, cluster: into }: EntityFindings, reader?: Actor) {
  const stored = into ? await loadRecords(into.members) : new Map<string, RecordItem>()
  const members = [...stored.values()].filter((it) => !reader || isVisibleMember(it, reader))
  const ids = anchors.map(({ entity_id }) => entity_id)
  const others = members.map(({ entity_id }) => entity_id).filter((id) => !ids.includes(id))
  const pairs = [
    ...ids.flatMap((id, i) => ids.slice(i + 1).map((other): [string, string] => [id, other])),
    ...ids.flatMap((id) => others.map((other): [string, string] => [id, other])),
  ]
  const candidates = await loadCandidatesOf(pairs)
  if (candidates.some(({ status }) => status === 'rejected'))
    throw conflict('A reviewer has held two of these records to be different things.')
  return { pairs, candidates, records: [...anchors, ...members] }
}

/** The names that a proposal reserves: that these records are one thing or, without records, that something of this name exists. */
export function namesOfEntity(content: EntityContent, { kind, anchors, cluster: into }: EntityFindings): string[] {
  const ids = anchors.map(({ entity_id }) => entity_id).sort()
  const thing = ids.length > 0 || into ? ids : [kind.key, fold(content.canonical_label)]
  return [nameOfClaim('entity', ...thing, into?.id ?? '')]
}
/** The name that a proposal of just these two records would reserve. */
export const nameOfPair = ([one, other]: readonly [string, string]) => nameOfClaim('entity', ...[one, other].sort(), '')

/**
 * Carries out a proposal in the name of its author. The records get into one cluster, each by an accepted claim of identity with the
 * proposal's sources. If it names neither a record nor a cluster, a new record is made, which waits for review. None is made if the kind
 * requires more than a name. Open and deferred identity candidates of the pairs are accepted. Returns the id of the cluster. Fails with
 * `conflict` as the checks above do, and if the cluster is locked.
 */
export async function makeEntity(
  unit: UnitOfWork,
  content: EntityContent,
  author: Actor,
  { decider, comment }: { decider: Actor; comment: string },
): Promise<string> {
  const findings = await findEntity(content, author)
  const { kind, cluster: into, source } = findings
  await checkAnchorsFree(findings)
  const { pairs, candidates, records } = await checkPairs(findings)
  const at = now()
  const evidence: Evidence = {
    author,
    source: source?.id ?? null,
    source_type: source?.source_type ?? '',
    supporting_sources: content.supporting_source_ids.slice(1),
    confidence: 'likely',
    note: content.contributor_note,
    decided: { by: decider.id, way: 'proposal', reason: comment },
  }
  const described = findings.anchors.length > 0 || into ? [] : await makeRecord(unit, kind, content, author)
  const gathered = await gatherRecords(
    unit,
    into ?? newCluster(kind, { canonical_label: content.canonical_label }, author, at),
    {
      records: [...findings.anchors, ...described],
      evidence,
      isNew: !into,
      input: namesAfter(into, content),
    },
  )
  const open = candidates.filter(({ status }) => status === 'open' || status === 'deferred')
  const answer = { status: 'accepted', notes: comment, cluster_id: gathered.cluster.id, at } as const
  unit.add(open.flatMap((it) => answerCandidate(it, answer, decider).writes))
  const asked = new Set(open.flatMap(({ left, right }) => [left, right]))
  if (pairs.length > 0 && asked.size > 0)
    unit.add(
      await settleDuplicates(
        records.filter(({ entity_id }) => asked.has(entity_id)),
        decider,
      ),
    )
  return gathered.cluster.id
}

/** The cluster's names and identifiers after the proposal. The proposal adds its own, and replaces none of the cluster's. */
const namesAfter = (into: Cluster | undefined, { aliases, external_identifiers, canonical_label }: EntityContent) => ({
  curated_aliases: [
    ...new Set([
      ...(into?.curated_aliases ?? []),
      ...[...(into ? [canonical_label] : []), ...aliases].filter(
        (name) => name !== (into?.canonical_label ?? canonical_label),
      ),
    ]),
  ],
  external_identifiers: { ...external_identifiers, ...into?.external_identifiers },
})

/** Makes a record of the thing, as a contribution of the author. None if the kind requires more than a name. */
async function makeRecord(unit: UnitOfWork, kind: Kind, content: EntityContent, author: Actor): Promise<RecordItem[]> {
  const body = {
    [kind.nameField]: content.canonical_label,
    ...(content.contributor_note && { description: content.contributor_note }),
  }
  const parsed = v.safeParse(schemaOf(kind, 'create'), body)
  return parsed.success ? [await createRecord(unit, kind, author, parsed.output)] : []
}
