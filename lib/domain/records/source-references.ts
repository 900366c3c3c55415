import { createHash } from 'node:crypto'
import { packOf } from '../../base/ids/address.ts'
import { fold } from '../../engines/matching/index.ts'
import { isLink, textOf } from '../names/text.ts'
import type { DataSource } from '../sources/sources.ts'
import type { Assertion, RecordItem } from './items.ts'

/**
 * References by which claims name their sources. `id:` is a registered source, `cite:` the words of a citation, `url:` an address. A
 * claim that names no source has the reference `none`. It never falls with a source.
 */
export const NONE = 'none'

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
const ID = 'id:'
const idReference = (id: string): string => `${ID}${id}`
/** The ids of the registered sources among references. */
export const registeredIn = (references: readonly string[]): string[] =>
  references.filter((it) => it.startsWith(ID)).map((it) => it.slice(ID.length))
export const citationReference = (text: string): string[] => {
  const folded = fold(text)
  return folded === '' ? [] : [`cite:${digest(folded)}`]
}
const addressReference = (url: string): string[] => {
  const bare = url
    .trim()
    .replace(/^https?:\/\/(www\.)?/i, '')
    .replace(/\/+$/, '')
  return bare === '' ? [] : [`url:${digest(bare)}`]
}

/** The registered sources of a record's contributions, by pack. The field `source` of a contribution is the source of all its claims. */
export function sourcesByPack(assertions: readonly Assertion[]): Map<string, readonly string[]> {
  const named = new Map<string, readonly string[]>()
  for (const claim of assertions) {
    if (claim.asserted_property !== 'source' || !Array.isArray(claim.value)) continue
    const ids = claim.value.filter(isLink).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
    if (ids.length > 0) named.set(packOf(claim.id), ids)
  }
  return named
}

/** The references of a claim: its registered sources, else the words of its citation, else its address. */
export function referencesOf(claim: Assertion, byPack: ReadonlyMap<string, readonly string[]>): string[] {
  const registered = [claim.source, ...claim.supporting_sources].filter((id) => id !== null)
  const ids = registered.length > 0 ? registered : (byPack.get(packOf(claim.id)) ?? [])
  if (ids.length > 0) return [...new Set(ids.map(idReference))]
  const cited = citationReference(claim.source_citation)
  const addressed = cited.length > 0 ? cited : addressReference(claim.source_url)
  return addressed.length > 0 ? addressed : [NONE]
}

/** The references by which claims may name a registered source. */
export const referencesOfSource = ({ id, name, data }: Pick<DataSource, 'id' | 'name' | 'data'>): string[] => [
  idReference(id),
  ...citationReference(name),
  ...citationReference(textOf(data.citation)),
  ...addressReference(textOf(data.url)),
]

/** The references by which claims may name the document that a record describes. */
export const referencesOfRecord = ({ name, data }: Pick<RecordItem, 'name' | 'data'>): string[] => [
  ...citationReference(name),
  ...citationReference(textOf(data.source_citation)),
  ...addressReference(textOf(data.digital_link)),
]
