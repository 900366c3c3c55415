import type { Scope } from '../../base/visibility.ts'
import { fold } from '../../engines/matching/index.ts'
import type { Hit, Model } from '../../engines/search/index.ts'
import { openSearchModelIfAny } from '../../engines/search/index.ts'
import type { Listing, PageRequest } from '../../engines/table/index.ts'
import { getMany, itemAt, queryBetween } from '../../engines/table/index.ts'
import { readEntry } from '../name-index/entries.ts'
import { key } from '../table/keys.ts'

/** At most this many people whose profile holds a text are looked at; a text that more profiles hold finds some of them. */
const MOST_LOOKED_AT = 5000
/** At most this many people whose name or address begins with a text are read from the table. */
const MOST_PREFIXED = 100

const inactiveToo: Scope = { signedIn: true, everything: true, own: null }

/**
 * One page of the users of whom a name holds a text, or the address begins with it with `byEmail`, in the order in which they
 * joined. Addresses are in the table alone: search knows none. Who has just joined is found by how a name begins. Costs a query
 * for names and one for addresses, a call for those that search has not heard of, and one for the page.
 */
export async function searchUsers(
  text: string,
  { byEmail, forward }: { byEmail: boolean; forward: boolean },
  { offset, limit }: PageRequest,
): Promise<Pick<Listing, 'items' | 'count'>> {
  const [model, begin] = await Promise.all([openSearchModelIfAny(), findUsersByPrefix(text, byEmail)])
  const called = model ? await filterUsersByName(model, text, inactiveToo) : []
  const places = new Map(called.map((it) => [it.id, `${it.created_at}#${it.id}`]))
  const unheardOf = await getMany(begin.filter((id) => !places.has(id)).map(key.user))
  for (const it of unheardOf.values()) places.set(String(it.id), String(it.gsi2_sk))
  const ids = [...places].sort(([, a], [, b]) => (a < b === forward ? -1 : 1)).map(([id]) => id)
  const found = await getMany(ids.slice(offset, offset + limit).map(key.user))
  const page = ids.slice(offset, offset + limit).map((id) => itemAt(found, key.user(id)))
  return { items: page.filter((it) => it !== undefined), count: ids.length }
}

/** The ids of those whose username or a name begins with a text, as the table has them now, or whose address does. */
export async function findUsersByPrefix(text: string, byEmail = false): Promise<string[]> {
  const prefix = fold(text)
  if (prefix === '') return []
  const names = ['user', ...(byEmail ? ['user_email'] : [])].map((sort) => key.name(sort, prefix, '').pk)
  const entries = await Promise.all(names.map((pk) => queryBetween(pk, prefix, `${prefix}\u{10ffff}`, MOST_PREFIXED)))
  return [...new Set(entries.flat().map((it) => readEntry(it).entity_id))]
}

/** Those whose username or full name holds a text as it was typed, or has words that begin with each of its own, however spelt. Search looks through the rest of a profile too, which is not asked for here. */
export async function filterUsersByName(model: Model, text: string, scope: Scope): Promise<Hit[]> {
  const [typed, words] = [plain(text), fold(text).split(' ').filter(Boolean)]
  if (words.length === 0) return []
  const ask = { text, scope, literal: true, resources: ['users'], limit: MOST_LOOKED_AT }
  const found = [...((await model.literal(ask)).get('users') ?? []), ...(await model.search(ask)).hits]
  const holds = (name: string) =>
    plain(name).includes(typed) || words.every((it) => ` ${fold(name)}`.includes(` ${it}`))
  return [...new Map(found.map((it) => [it.id, it])).values()].filter((it) => [it.title, ...it.names].some(holds))
}

const plain = (text: string) => text.trim().normalize('NFC').toLowerCase()
