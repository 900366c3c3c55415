import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { languages } from '../../base/language/languages.ts'
import { mailingWrites } from '../../domain/notifications/letters.ts'
import { mailingModes } from '../../domain/notifications/mailing.ts'
import { defineItem, get, parse, put, type UnitOfWork, walk, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import type { User } from '../../platform/users/users.ts'

export const letterModes = ['off', ...mailingModes] as const

const Settings = v.object({
  user_id: v.string(),
  mode: v.picklist(letterModes),
  /** Null means the language of the profile, else English. */
  language: v.nullable(v.picklist(languages)),
  hour: v.number(),
  zone: v.string(),
  /** The origin that this person used. Links in letters begin with it. */
  origin: v.string(),
  /** The address that its owner has confirmed. */
  confirmed: v.nullable(v.string()),
  /** When a letter that asks for confirmation was requested; null if none is to be sent. */
  asked_at: v.nullable(v.string()),
  version: v.number(),
})
export type Settings = v.InferOutput<typeof Settings>

const CONFIRM = 'LETTERS#CONFIRM'
const settings = defineItem({
  type: 'letters',
  schema: Settings,
  key: ({ user_id }: { user_id: string }) => key.letters(user_id),
  indexes: ({ asked_at, user_id }) => (asked_at ? { gsi2: { pk: CONFIRM, sk: `${asked_at}#${user_id}` } } : {}),
})

/** The settings of a person who has set nothing: no letters. */
const unset = (user_id: string): Settings => ({
  user_id,
  mode: 'off',
  language: null,
  hour: 7,
  zone: 'Asia/Kathmandu',
  origin: '',
  version: 0,
  confirmed: null,
  asked_at: null,
})

/** A person's settings, or the default ones. */
export const loadSettings = async (user_id: string): Promise<Settings> =>
  (await get(settings, { user_id })) ?? unset(user_id)

/** Why a person who wants letters gets none. */
export const obstacles = ['unconfirmed', 'unsendable'] as const
type Obstacle = (typeof obstacles)[number]

/** Why no letters go to a person's address; undefined if they do. An identity provider (`subjects`) counts as confirmation. */
export function obstacleOf(it: Settings, { email, subjects }: Pick<User, 'email' | 'subjects'>): Obstacle | undefined {
  if (!isSendable(email)) return 'unsendable'
  return it.confirmed === email || Object.keys(subjects).length > 0 ? undefined : 'unconfirmed'
}

/** Whether a text is a single email address: ASCII on one line, without characters that could begin another header or address. */
export const isSendable = (email: string): boolean => /^[!-~]{1,254}$/.test(email) && v.is(Address, email)
const Address = v.pipe(v.string(), v.email(), v.regex(/^[^,;:<>"()[\]\\]+$/))

type Wanted = Partial<Pick<Settings, 'mode' | 'language' | 'hour' | 'zone' | 'origin'>>

/**
 * Changes a person's settings. Notifications from now on go into letters. If the address is not confirmed yet, a letter that asks for it
 * goes first.
 */
export async function changeSettings(unit: UnitOfWork, user: User, wanted: Wanted): Promise<Settings> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id: user.id })
  const next = withNextVersion<Settings>(old ?? unset(user.id), wanted)
  const obstacle = obstacleOf(next, user)
  const asks = next.mode !== 'off' && obstacle === 'unconfirmed'
  const made = { ...next, asked_at: asks ? now() : null }
  unit.add(await writesOf(old, made, obstacle))
  return made
}

async function writesOf(old: Settings | undefined, made: Settings, obstacle: Obstacle | undefined) {
  const how = made.mode === 'off' || obstacle ? undefined : { mode: made.mode, hour: made.hour, zone: made.zone }
  return [put(settings, made, old), ...(await mailingWrites(made.user_id, how))]
}

/** Stops a person's letters. Safe to repeat. */
export async function stopLetters(unit: UnitOfWork, user_id: string): Promise<void> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id })
  if (!old || old.mode === 'off') return undefined
  const made = withNextVersion<Settings>(old, { mode: 'off', asked_at: null })
  unit.add(await writesOf(old, made, undefined))
}

/** Confirms a person's address, after they followed the link. Letters come from now on. Safe to repeat. */
export async function confirmAddress(unit: UnitOfWork, user: User): Promise<Settings> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id: user.id })
  const found = old ?? unset(user.id)
  if (found.confirmed === user.email) return found
  const made = withNextVersion<Settings>(found, { confirmed: user.email, asked_at: null })
  unit.add(await writesOf(old, made, obstacleOf(made, user)))
  return made
}

/** Lists people who wait for the letter that asks for confirmation, longest wait first. One call. */
export const listWaitingForQuestion = async (at: string, limit: number): Promise<Settings[]> =>
  (await walk({ index: 'gsi2', pk: CONFIRM, forward: true, limit }))
    .map((item) => parse(settings, item))
    .filter(({ asked_at }) => asked_at !== null && asked_at <= at)

/**
 * Takes the task to send the letter that asks for confirmation. Only the first caller gets true. With `back`, the letter was refused: the
 * task is given back, due at that time.
 */
export async function takeQuestion(unit: UnitOfWork, user_id: string, back?: string): Promise<boolean> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id })
  if (!old || (old.asked_at === null) === (back === undefined)) return false
  unit.add([put(settings, withNextVersion<Settings>(old, { asked_at: back ?? null }), old)])
  return true
}
