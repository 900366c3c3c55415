import { foldedName, readEntry } from '../../../platform/name-index/entries.ts'
import { type Actor, mayInspect } from '../../../platform/permissions.ts'
import { key } from '../../../platform/table/keys.ts'
import { type Kind, type KindKey, kinds } from '../../kinds/index.ts'
import { KeySearch } from '../key-search.ts'
import { loadHeads } from '../known.ts'
import type { Column } from './columns.ts'
import { buildMapping, isOpen, type TableGuess } from './guess.ts'

/** Different texts of a column that are looked up. */
const TEXTS_PER_COLUMN = 40
/** The share of a column's texts that must be names of records of one kind. */
const LEAST_SHARE = 0.5

/**
 * Guesses relations for columns that neither header nor values explain. At least half of a column's different texts must be names of
 * records that the caller may see. These records must be of a kind to which the rows may link.
 */
export async function guessByNames(guess: TableGuess, columns: readonly Column[], actor: Actor): Promise<TableGuess> {
  const kind = kinds[guess.kind]
  const taken = new Set(guess.guesses.map(({ field }) => field))
  // Of several free relations to one kind the first in the declaration is taken.
  const freeRelations = new Map(
    relationsOf(kind)
      .filter(({ name }) => !taken.has(name))
      .reverse()
      .map(({ name, to }) => [to, name]),
  )
  const open = columns
    .filter((column, i) => guess.guesses[i]?.field === null && isOpen(kind, column))
    .map((column) => ({ name: column.name, texts: namesIn(column) }))
    .filter(({ texts }) => texts.length > 0)
  if (open.length === 0 || freeRelations.size === 0) return guess
  const texts = open.flatMap((column) => column.texts)
  const knownNames = await findKnownNames([...freeRelations.keys()], texts, actor)
  const relations = chooseRelations(open, freeRelations, knownNames)
  if (relations.size === 0) return guess
  const guesses = guess.guesses.map((each) => {
    const relation = relations.get(each.column)
    return relation ? { ...each, ...relation, by: 'names' as const } : each
  })
  const { sheet, header_row } = guess.mapping
  return { ...guess, guesses, mapping: buildMapping(kind, guesses, { sheet, header_row }, columns) }
}

/** Chooses a relation for each column if at least half of its texts are names of one kind. No relation is chosen twice. */
function chooseRelations(
  columns: readonly { name: string; texts: readonly string[] }[],
  relations: ReadonlyMap<KindKey, string>,
  knownNames: ReadonlySet<string>,
): Map<string, { field: string; sure: number }> {
  const free = new Map(relations)
  const chosen = new Map<string, { field: string; sure: number }>()
  for (const { name, texts } of columns) {
    if (free.size === 0) break
    const best = [...free]
      .map(([to, field]) => ({
        to,
        field,
        share: texts.filter((text) => knownNames.has(`${to} ${text}`)).length / texts.length,
      }))
      .reduce((a, b) => (b.share > a.share ? b : a))
    if (best.share < LEAST_SHARE) continue
    free.delete(best.to)
    chosen.set(name, { field: best.field, sure: Math.round(best.share * 60) / 100 })
  }
  return chosen
}

const relationsOf = ({ fields }: Kind): { name: string; to: KindKey }[] =>
  Object.entries(fields).flatMap(([name, { type, relation }]) =>
    type === 'relation' && relation && kinds[relation].record ? [{ name, to: relation }] : [],
  )

/** The different names in a column, folded. */
const namesIn = ({ values, samples }: Column): string[] => {
  const texts = (values ?? samples).flatMap((it) => it.split(';')).map((it) => foldedName(it))
  return [...new Set(texts.filter(Boolean))].slice(0, TEXTS_PER_COLUMN)
}

/** Looks folded names up among these kinds. Returns those that the caller may see, each as "kind name". */
async function findKnownNames(among: readonly KindKey[], names: readonly string[], actor: Actor): Promise<Set<string>> {
  const search = new KeySearch()
  const nameByKey = new Map<string, string>()
  for (const kind of among)
    for (const name of names) {
      const { pk } = key.name(kind, name, '')
      search.add(pk, name)
      nameByKey.set(`${pk} ${name}`, `${kind} ${name}`)
    }
  const entries: { name: string; entity_id: string }[] = []
  await search.run(RECORDS_PER_NAME, (pk, prefix, item) => {
    const name = nameByKey.get(`${pk} ${prefix}`)
    if (name !== undefined) entries.push({ name, entity_id: readEntry(item).entity_id })
  })
  const heads = await loadHeads([...new Set(entries.map(({ entity_id }) => entity_id))])
  return new Set(
    entries.flatMap(({ name, entity_id }) => {
      const head = heads.get(entity_id)
      return head && !head.deleted_at && mayInspect(actor, head) ? [name] : []
    }),
  )
}

/** Records of one name that are looked at: the first may be hidden from the caller. */
const RECORDS_PER_NAME = 3
