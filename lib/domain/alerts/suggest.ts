import { phrase } from '../../base/language/languages.ts'
import { getMany, itemIn } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { loadMembers } from '../clusters/clusters.ts'
import { findDuplicates } from '../clusters/duplicates.ts'
import type { Cluster } from '../clusters/items.ts'
import { typeScopeOf } from '../clusters/view.ts'
import { kinds } from '../kinds/index.ts'
import type { RecordItem } from '../records/items.ts'
import { linkTextsOf, reconciledLink, type Target, targetOf } from './items.ts'

const MOST_SHOWN = 20

type Found = Target & { score: number; record: RecordItem; isMember: boolean }

/**
 * Suggests what a cluster is called in other collections: the links of its members, and those of records that look like it, best first.
 * Links that the cluster has already are left out. No other server is asked. Costs what `findDuplicates` does, and two reads.
 */
export async function suggestTargets(it: Cluster, actor: Actor | null) {
  const [members, alike] = await Promise.all([
    loadMembers(it, actor),
    findDuplicates(it.canonical_label, [kinds[it.kind]], actor),
  ])
  const own = new Set(it.members)
  const others = alike.flatMap(({ members: records, score }) =>
    records.filter(({ entity_id }) => !own.has(entity_id)).map((record) => ({ record, score, isMember: false })),
  )
  const named = new Set(Object.values(it.external_identifiers).flatMap((text) => targetOf('', text)?.target_uri ?? []))
  const best = new Map<string, Found>()
  for (const found of [...members.map((record) => ({ record, score: 1, isMember: true })), ...others])
    for (const target of targetsOf(found.record))
      if (!named.has(target.target_uri) && (best.get(target.target_uri)?.score ?? 0) < found.score)
        best.set(target.target_uri, { ...target, ...found })
  const shown = [...best.values()].sort((a, b) => b.score - a.score).slice(0, MOST_SHOWN)
  const links = await getMany(shown.map(({ id }) => key.reconciledLink(id)))
  return {
    cluster_id: it.id,
    canonical_label: it.canonical_label,
    type_scope: typeScopeOf(kinds[it.kind]),
    suggestions: shown.map(({ id, authority, target_uri, score, record, isMember }) => ({
      authority,
      iri: target_uri,
      label: itemIn(links, reconciledLink, { id })?.target_label || record.name,
      description: isMember
        ? phrase(`A link of the member "${record.name}".`)
        : phrase(`A link of "${record.name}", which looks alike.`),
      score: Math.round(score * 100) / 100,
    })),
  }
}

/** The links of a record as it stands. */
const targetsOf = ({ entity_id, data }: RecordItem): Target[] =>
  linkTextsOf(data).flatMap((text) => targetOf(entity_id, text) ?? [])
