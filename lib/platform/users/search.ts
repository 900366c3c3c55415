import type { Scope } from '../../base/visibility.ts'
import { fold } from '../../engines/matching/index.ts'
import type { Hit, Model } from '../../engines/search/index.ts'
import { openSearchModelIfAny } from '../../engines/search/index.ts'
import type { Listing, PageRequest } from '../../engines/table/index.ts'
import { getMany, itemAt, queryBetween } from '../../engines/table/index.ts'
import { readEntry } from '../name-index/entries.ts'
import { key } from '../table/keys.ts'

/** The most profiles that one search looks at. If more contain the text, some users are not found. */
const MOST_LOOKED_AT = 5000
/** The most entries of names, and of addresses, that one search reads from the table. */
const MOST_PREFIXED = 100

const inactiveToo: Scope = { signedIn: true, everything: true, own: null }

/**
 * Lists one page of the users whose name contains a text, in the order in which they joined. With `byEmail` the list also has users whose
 * address begins with it: addresses are in the table, never in search. New users are not in search yet, so the beginnings of names are
 * looked up in the table. Calls besides those of search: a query for names, one for addresses, one for each hundred users that search
 * lacks, and one for the page.
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

/** The ids of users whose username or name begins with a text, read from the table. With `byEmail` also by address. */
export async function findUsersByPrefix(text: string, byEmail = false): Promise<string[]> {
  const prefix = fold(text)
  if (prefix === '') return []
  const names = ['user', ...(byEmail ? ['user_email'] : [])].map((sort) => key.name(sort, prefix, '').pk)
  const entries = await Promise.all(names.map((pk) => queryBetween(pk, prefix, `${prefix}\u{10ffff}`, MOST_PREFIXED)))
  return [...new Set(entries.flat().map((it) => readEntry(it).entity_id))]
}

/**
 * Users whose username or full name contains the text as typed. Also users with words that begin like the words of the text, in any
 * spelling: `may sha` finds Maya Shakya. Hits elsewhere in a profile are dropped.
 */
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
