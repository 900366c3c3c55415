import { fold } from '../domain/fold.ts'
import type { Scope } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { queryBetween } from '../table/read.ts'
import { readEntry } from './entries.ts'
import { modelIfAny } from './found.ts'

/** So many people are found by one search. */
const MOST_FOUND = 50
/** Of those in whose public profile a text stands so many are looked at. */
const MOST_LOOKED_AT = 500

const everyone: Scope = { signedIn: false, everything: false, own: null }

/**
 * Who is called so: first those of whom the username, full name or last name begins with a text, as the table has them
 * now, then those whose username or full name holds it elsewhere, as search knows them. Of very many, some. Two calls.
 */
export async function whoIs(text: string): Promise<string[]> {
  const [begin, hold] = await Promise.all([beginning(text), holding(text)])
  return [...new Set([...begin, ...hold])].slice(0, MOST_FOUND)
}

async function beginning(text: string): Promise<string[]> {
  const prefix = fold(text)
  if (prefix === '') return []
  const { pk } = key.name('user', '', '')
  const entries = await queryBetween(pk, prefix, `${prefix}\u{10ffff}`, 2 * MOST_FOUND)
  return entries.map((it) => readEntry(it).entity_id)
}

/** Search looks through the rest of a profile too, which is not asked for here. Where there is no search, nobody. */
async function holding(text: string): Promise<string[]> {
  const needle = plain(text)
  const ask = { text, scope: everyone, resources: ['users'], limit: MOST_LOOKED_AT }
  const found = (await modelIfAny())?.literal(ask).get('users') ?? []
  return found.filter((it) => [it.title, ...it.names].some((name) => plain(name).includes(needle))).map((it) => it.id)
}

const plain = (text: string) => text.trim().normalize('NFC').toLowerCase()
