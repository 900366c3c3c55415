import { recordId } from '../../../base/ids/address.ts'
import { foldedName } from '../../../platform/name-index/entries.ts'
import { type Actor, mayInspect } from '../../../platform/permissions.ts'
import { type KindKey, kinds, recordKinds } from '../../kinds/index.ts'
import { loadHeads } from '../known.ts'
import type { Mapping } from '../mapping.ts'
import type { TableRow } from '../store.ts'

/** Rows that are looked at to find the kind. */
const LOOKED_AT = 20

/**
 * Finds the kind of a table that comes back: the records of this kind have both the ids and the names of the rows. Ids alone do not
 * suffice, since each kind has a number 7. Undefined if no kind fits, or if no column holds names.
 */
export async function findKindByIds(
  { rules }: Mapping,
  names: readonly string[],
  rows: readonly TableRow[],
  actor: Actor,
): Promise<KindKey | undefined> {
  const at = (field: string) => names.indexOf(rules.find((it) => it.field === field)?.column ?? '')
  const [id, name] = [at('id'), at('name')]
  const pairs = rows.slice(0, LOOKED_AT).flatMap(([, cells]) => {
    const number = Number(cells[id])
    return Number.isSafeInteger(number) && number > 0 ? [{ number, name: foldedName(cells[name] ?? '') }] : []
  })
  if (id < 0 || name < 0 || pairs.length === 0) return undefined
  const idIn = (kind: KindKey, number: number) => recordId(kinds[kind].code, number)
  const heads = await loadHeads(recordKinds.flatMap((kind) => pairs.map(({ number }) => idIn(kind, number))))
  const scores = recordKinds.map((kind) => ({
    kind,
    score: pairs.filter(({ number, name }) => {
      const head = heads.get(idIn(kind, number))
      return head && mayInspect(actor, head) && foldedName(String(head.data[kinds[kind].nameField] ?? '')) === name
    }).length,
  }))
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a))
  return best.score * 2 >= pairs.length ? best.kind : undefined
}
