import * as v from 'valibot'
import { beingDeleted } from '../../base/errors.ts'
import {
  defineItem,
  enter,
  getMany,
  isFull,
  itemAt,
  openRegister,
  putAlways,
  readRegister,
  type Write,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import type { RecordItem } from './items.ts'

/**
 * Notes a link to a record of an import from outside that import. The transaction of the link enters it in the register of its target. Who
 * takes the import back closes the register in the transaction that deletes the target. So no link is missed: whoever commits second is
 * refused, and reads again. The register holds the first notes. Each further note is an item, so its link takes two actions.
 */
const Naming = v.object({ to: v.string(), from: v.string(), version: v.literal(1) })
const naming = defineItem({
  type: 'naming',
  schema: Naming,
  key: (it: { to: string; from: string }) => key.naming(it.to, it.from),
})

/**
 * The writes that note the links of the record `from` to the records `to`. They fail with `being_made` if an import is taken back
 * meanwhile, and a record of `to` with it. One call, or none without records.
 */
export async function namingWrites(to: readonly string[], from: string): Promise<Write[]> {
  if (to.length === 0) return []
  const registers = await getMany([...new Set(to)].map(key.namings))
  return [...new Set(to)].flatMap((each) => {
    const at = key.namings(each)
    const isHeld = !isFull(readRegister(itemAt(registers, at)))
    const entry = enter(at, from, isHeld, beingDeleted)
    return isHeld ? [entry] : [putAlways(naming, { to: each, from, version: 1 }), entry]
  })
}

/** The writes that let others link to a record again, after it was deleted. */
export const allowNaming = ({ entity_id, batch }: Pick<RecordItem, 'entity_id' | 'batch'>): Write[] =>
  batch ? [openRegister(key.namings(entity_id))] : []

/**
 * Whether a link to `target` is noted. Only records of an import count, since an import can be taken back. Links among a person's rows of one
 * import are not noted, since these rows go together. `import_id`: the import of which the linking record is a row.
 */
export const isNamingNoted = (
  target: { batch?: { id?: unknown } | null | undefined; contributor_id: string | null },
  actor: { id: string },
  import_id?: string,
): boolean =>
  Boolean(target.batch) &&
  (target.contributor_id !== actor.id || import_id === undefined || target.batch?.id !== import_id)
