import { getMany, itemIn } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { kinds } from '../kinds/index.ts'
import type { History } from '../records/history.ts'
import { SAME_REFERENT } from '../records/items.ts'
import type { SourceMark } from '../sources/marks.ts'
import { dataSource } from '../sources/sources.ts'
import { fallsWith, footingsOf, groundsOf, publicText, standingWithout } from './footings.ts'
import { type Footing, sourceRuling } from './items.ts'

/** One value of the plan: the claim that falls, and the claim that stands in its place. */
export type Fall = { property: string; before: string; after: string | null }

/**
 * What happens to the values of a record if these references fall. A name that nothing replaces stays: a record cannot be without one.
 * Membership in a cluster is left out, since it is decided on elsewhere. Pure.
 */
export function planFall(history: History, fallen: ReadonlySet<string>): (Fall & { footing: Footing })[] {
  const { nameField } = kinds[history.kind]
  const grounds = groundsOf(history)
  return footingsOf(history)
    .filter((footing) => footing.property !== SAME_REFERENT && fallsWith(footing, fallen))
    .map((footing) => ({
      footing,
      property: footing.property,
      before: footing.claim,
      after: standingWithout(grounds, footing.property, fallen)?.id ?? null,
    }))
    .filter(({ property, after }) => property !== nameField || after !== null)
}

/**
 * The values of a record that fall with sources in question, each with the plan as advice. `marks`: notes under the references of the
 * record, which say that a source is in question. One call, none without marks.
 */
export async function loadFalls(history: History, marks: readonly SourceMark[]) {
  const { entity_id } = history
  const ids = [...new Set(marks.flatMap((mark) => [mark, ...mark.others]).map(({ source_id }) => source_id))]
  const found = await getMany(ids.flatMap((id) => [key.source(id), key.sourceRuling(id, entity_id)]))
  return ids.flatMap((source_id) => {
    const source = itemIn(found, dataSource, { id: source_id })
    const question = source?.question
    if (!source || !question || question.standing === 'trusted') return []
    const { standing, reason } = question
    const decided = itemIn(found, sourceRuling, { source_id, entity_id })?.verdict ?? null
    return planFall(history, new Set(question.references)).map(({ footing, after }) => ({
      property: footing.property,
      label: kinds[history.kind].fields[footing.property]?.label ?? footing.property,
      value: footing.value,
      claim: footing.claim,
      source: { id: source_id, name: source.name, standing, reason },
      instead: insteadOf(history, after),
      decided,
    }))
  })
}

function insteadOf(history: History, id: string | null) {
  const claim = history.assertions.find((it) => it.id === id)
  return claim ? { claim: claim.id, value: publicText(history, claim) } : null
}
