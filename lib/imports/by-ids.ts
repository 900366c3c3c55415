import { recordId } from '../ids/address.ts'
import { type KindKey, kinds, recordKinds } from '../kinds/index.ts'
import { foldedName } from '../names/index.ts'
import { type Actor, mayInspect } from '../permissions.ts'
import { headsOf } from './known.ts'
import type { Mapping } from './mapping.ts'
import type { TableRow } from './store.ts'

/** So many rows tell of which kind all are. */
const LOOKED_AT = 20

/**
 * Of which kind the rows of a table are that has come back: numbers are ids of every kind, so it is the one whose records are called as
 * the rows say. Undefined where none is, or where no column says how they are called.
 */
export async function kindByIds(
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
  const heads = await headsOf(recordKinds.flatMap((kind) => pairs.map(({ number }) => idIn(kind, number))))
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
