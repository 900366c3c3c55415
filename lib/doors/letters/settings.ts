import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { languages } from '../../base/language/languages.ts'
import { mailingWrites } from '../../domain/notifications/letters.ts'
import { mailingModes } from '../../domain/notifications/mailing.ts'
import { defineItem, get, parse, put, type UnitOfWork, walk, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import type { User } from '../../platform/users/users.ts'
import { isSendable } from './sendable.ts'

export const letterModes = ['off', ...mailingModes] as const

const LetterSettings = v.object({
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
  /** How often the letter that asks for confirmation was refused since it was requested. */
  refusals: v.optional(v.number(), 0),
  version: v.number(),
})
export type LetterSettings = v.InferOutput<typeof LetterSettings>

const CONFIRM = 'LETTERS#CONFIRM'
const settings = defineItem({
  type: 'letters',
  schema: LetterSettings,
  key: ({ user_id }: { user_id: string }) => key.letters(user_id),
  indexes: ({ asked_at, user_id }) => (asked_at ? { gsi2: { pk: CONFIRM, sk: `${asked_at}#${user_id}` } } : {}),
})

/** The settings of a person who has set nothing: no letters. */
const defaultSettings = (user_id: string): LetterSettings => ({
  user_id,
  mode: 'off',
  language: null,
  hour: 7,
  zone: 'Asia/Kathmandu',
  origin: '',
  version: 0,
  confirmed: null,
  asked_at: null,
  refusals: 0,
})

/** Loads a person's settings, or the default ones. */
export const loadSettings = async (user_id: string): Promise<LetterSettings> =>
  (await get(settings, { user_id })) ?? defaultSettings(user_id)

/** Reasons why a person who has switched letters on gets none. */
export const obstacles = ['unconfirmed', 'unsendable'] as const
type Obstacle = (typeof obstacles)[number]

/** The reason why no letters go to a person's address. Undefined if they do. A verified address needs no confirmation. */
export function obstacleOf(
  { confirmed }: LetterSettings,
  { email, email_verified, subjects }: Pick<User, 'email' | 'email_verified' | 'subjects'>,
): Obstacle | undefined {
  if (!isSendable(email)) return 'unsendable'
  // Accounts from before `email_verified` are proven by `confirmed`, or by an identity provider.
  const isProven = email_verified || confirmed === email || Object.keys(subjects).length > 0
  return isProven ? undefined : 'unconfirmed'
}

type SettingsChanges = Partial<Pick<LetterSettings, 'mode' | 'language' | 'hour' | 'zone' | 'origin'>>

/**
 * Changes a person's settings. Notifications from now on go into letters. If the address is not confirmed yet, a letter that asks
 * for confirmation goes first.
 */
export async function changeSettings(unit: UnitOfWork, user: User, changes: SettingsChanges): Promise<LetterSettings> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id: user.id })
  const next = withNextVersion<LetterSettings>(old ?? defaultSettings(user.id), changes)
  const obstacle = obstacleOf(next, user)
  const needsConfirmation = next.mode !== 'off' && obstacle === 'unconfirmed'
  const changed = { ...next, asked_at: needsConfirmation ? now() : null, refusals: 0 }
  unit.add(await settingsWrites(old, changed, obstacle))
  return changed
}

/** The writes of changed settings: the settings, and the mode in which the inbox gathers letters. */
async function settingsWrites(old: LetterSettings | undefined, next: LetterSettings, obstacle: Obstacle | undefined) {
  const { user_id, mode, hour, zone } = next
  const mailing = mode === 'off' || obstacle ? undefined : { mode, hour, zone }
  return [put(settings, next, old), ...(await mailingWrites(user_id, mailing))]
}

/** Stops a person's letters. Safe to repeat. */
export async function stopLetters(unit: UnitOfWork, user_id: string): Promise<void> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id })
  if (!old || old.mode === 'off') return undefined
  const next = withNextVersion<LetterSettings>(old, { mode: 'off', asked_at: null })
  unit.add(await settingsWrites(old, next, undefined))
}

/** Confirms a person's address, after they followed the link. Letters come from now on. Safe to repeat. */
export async function confirmAddress(unit: UnitOfWork, user: User): Promise<LetterSettings> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id: user.id })
  const current = old ?? defaultSettings(user.id)
  if (current.confirmed === user.email) return current
  const next = withNextVersion<LetterSettings>(current, { confirmed: user.email, asked_at: null })
  unit.add(await settingsWrites(old, next, obstacleOf(next, user)))
  return next
}

/** Lists people who wait for the letter that asks for confirmation, longest wait first. One call. */
export const listUnconfirmed = async (time: string, limit: number): Promise<LetterSettings[]> =>
  (await walk({ index: 'gsi2', pk: CONFIRM, forward: true, limit }))
    .map((item) => parse(settings, item))
    .filter(({ asked_at }) => asked_at !== null && asked_at <= time)

/**
 * Takes the task to send the letter that asks for confirmation. Returns how often the letter was refused before; undefined for all callers but
 * the first.
 */
export async function takeConfirmationRequest(unit: UnitOfWork, user_id: string): Promise<number | undefined> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id })
  if (!old || old.asked_at === null) return undefined
  unit.add([put(settings, withNextVersion<LetterSettings>(old, { asked_at: null }), old)])
  return old.refusals
}

/** Gives the task back after a refusal: the letter is due again at `asked_at`. */
export async function postponeConfirmationRequest(unit: UnitOfWork, user_id: string, asked_at: string): Promise<void> {
  unit.retryOn('conflict')
  const old = await get(settings, { user_id })
  if (!old || old.asked_at !== null) return
  unit.add([put(settings, withNextVersion<LetterSettings>(old, { asked_at, refusals: old.refusals + 1 }), old)])
}
