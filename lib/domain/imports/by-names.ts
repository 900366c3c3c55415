import { foldedName, readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Kind, type KindKey, kinds } from '../kinds/index.ts'
import type { Column } from './columns.ts'
import { buildMapping, type Guessed, isOpen } from './guess.ts'
import { loadHeads } from './known.ts'
import { findWanted, type Wanted, wantText } from './sweep.ts'

/** Different texts of a column that are looked up, and the share of them that must be names of one kind. */
const LOOKED_UP = 40
const ENOUGH = 0.5

/**
 * Guesses relations for columns that neither header nor values explain. Most cells must be names of records that the caller may
 * see. These records must be of a kind to which the rows may link.
 */
export async function guessByNames(guessed: Guessed, columns: readonly Column[], actor: Actor): Promise<Guessed> {
  const kind = kinds[guessed.kind]
  const taken = new Set(guessed.guesses.map(({ field }) => field))
  const free = new Map(
    relationsOf(kind)
      .filter(({ name }) => !taken.has(name))
      .reverse()
      .map(({ name, to }) => [to, name]),
  )
  const open = columns
    .filter((it, i) => guessed.guesses[i]?.field === null && isOpen(kind, it))
    .map((it) => ({ name: it.name, texts: namesIn(it) }))
    .filter(({ texts }) => texts.length > 0)
  if (open.length === 0 || free.size === 0) return guessed
  const known = await knownNames(
    [...free.keys()],
    open.flatMap(({ texts }) => texts),
    actor,
  )
  const found = new Map<string, { field: string; sure: number }>()
  for (const { name, texts } of open) {
    const best = [...free]
      .map(([to, field]) => ({ to, field, sure: texts.filter((it) => known.has(`${to} ${it}`)).length / texts.length }))
      .reduce((a, b) => (b.sure > a.sure ? b : a))
    if (best.sure < ENOUGH) continue
    free.delete(best.to)
    found.set(name, { field: best.field, sure: Math.round(best.sure * 60) / 100 })
    if (free.size === 0) break
  }
  if (found.size === 0) return guessed
  const guesses = guessed.guesses.map((it) => {
    const of = found.get(it.column)
    return of ? { ...it, ...of, by: 'names' as const } : it
  })
  const { sheet, header_row } = guessed.mapping
  return { ...guessed, guesses, mapping: buildMapping(kind, guesses, { sheet, header_row }, columns) }
}

const relationsOf = ({ fields }: Kind): { name: string; to: KindKey }[] =>
  Object.entries(fields).flatMap(([name, { type, relation }]) =>
    type === 'relation' && relation && kinds[relation].record ? [{ name, to: relation }] : [],
  )

/** The different names in a column, folded. */
const namesIn = ({ values, samples }: Column): string[] => {
  const texts = (values ?? samples).flatMap((it) => it.split(';')).map((it) => foldedName(it))
  return [...new Set(texts.filter(Boolean))].slice(0, LOOKED_UP)
}

/** Looks folded names up among these kinds. Returns the names that exist, each as "kind name". */
async function knownNames(among: readonly KindKey[], names: readonly string[], actor: Actor): Promise<Set<string>> {
  const wanted: Wanted = new Map()
  const places = new Map<string, string>()
  for (const kind of among)
    for (const name of names) {
      const { pk } = key.name(kind, name, '')
      wantText(wanted, pk, name)
      places.set(`${pk} ${name}`, `${kind} ${name}`)
    }
  const found: { place: string; entity_id: string }[] = []
  await findWanted(wanted, 3, (pk, prefix, item) => {
    const place = places.get(`${pk} ${prefix}`)
    if (place !== undefined) found.push({ place, entity_id: readEntry(item).entity_id })
  })
  const heads = await loadHeads([...new Set(found.map(({ entity_id }) => entity_id))])
  return new Set(
    found.flatMap(({ place, entity_id }) => {
      const head = heads.get(entity_id)
      return head && !head.deleted_at && mayInspect(actor, head) ? [place] : []
    }),
  )
}
