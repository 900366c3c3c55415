import * as v from 'valibot'
import { now } from '../clock.ts'
import { languages } from '../language/languages.ts'
import { mailingWrites } from '../notifications/letters.ts'
import { mailingModes } from '../notifications/mailing.ts'
import { amended, defineItem, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, walk } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import type { User } from '../users/users.ts'

/** How someone wants letters, and what is known of the address that they go to. */

export const letterModes = ['off', ...mailingModes] as const

const Settings = v.object({
  user_id: v.string(),
  mode: v.picklist(letterModes),
  /** Null: the one that the profile has, else English. */
  language: v.nullable(v.picklist(languages)),
  hour: v.number(),
  zone: v.string(),
  /** Where the service lies for this person: links in letters begin so. */
  origin: v.string(),
  /** The address that its owner has confirmed; letters go to no other one. */
  confirmed: v.nullable(v.string()),
  /** When a letter was asked for that asks whether the address is theirs; null when none is to be sent. */
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

/** Nobody gets letters who has not asked for them. */
const unset = (user_id: string): Settings => ({
  ...{ user_id, mode: 'off', language: null, hour: 7, zone: 'Asia/Kathmandu', origin: '', version: 0 },
  ...{ confirmed: null, asked_at: null },
})

/** Someone's settings; of who has set nothing, the usual. */
export const load = async (user_id: string): Promise<Settings> => (await get(settings, { user_id })) ?? unset(user_id)

/** Why no letters come although they are wanted. */
export const obstacles = ['unconfirmed', 'unsendable'] as const
type Obstacle = (typeof obstacles)[number]

/** What keeps letters from someone's address: it is no address, or nobody has confirmed it. A provider that signs people in has. */
export function obstacleOf(it: Settings, { email, subjects }: Pick<User, 'email' | 'subjects'>): Obstacle | undefined {
  if (!isSendable(email)) return 'unsendable'
  return it.confirmed === email || Object.keys(subjects).length > 0 ? undefined : 'unconfirmed'
}

/** Whether a text is one address and nothing else: one line of ASCII, without what could begin another header or address. */
export const isSendable = (email: string): boolean => /^[!-~]{1,254}$/.test(email) && v.is(Address, email)
const Address = v.pipe(v.string(), v.email(), v.regex(/^[^,;:<>"()[\]\\]+$/))

type Wanted = Partial<Pick<Settings, 'mode' | 'language' | 'hour' | 'zone' | 'origin'>>

/**
 * Changes how someone wants letters. What arrives from now on is told in letters; where their address is not confirmed yet, a
 * letter that asks for it goes out first.
 */
export const change = (user: User, wanted: Wanted): Promise<Settings> =>
  retryOnConflict(async () => {
    const old = await get(settings, { user_id: user.id })
    const next = amended<Settings>(old ?? unset(user.id), wanted)
    const obstacle = obstacleOf(next, user)
    const asks = next.mode !== 'off' && obstacle === 'unconfirmed'
    const made = { ...next, asked_at: asks ? now() : null }
    return { result: made, writes: await writesOf(old, made, obstacle) }
  })

async function writesOf(old: Settings | undefined, made: Settings, obstacle: Obstacle | undefined) {
  const how = made.mode === 'off' || obstacle ? undefined : { mode: made.mode, hour: made.hour, zone: made.zone }
  return [put(settings, made, old), ...(await mailingWrites(made.user_id, how))]
}

/** Ends someone's letters; nothing where they get none. Safe to repeat. */
export const stop = (user_id: string): Promise<void> =>
  retryOnConflict(async () => {
    const old = await get(settings, { user_id })
    if (!old || old.mode === 'off') return { result: undefined, writes: [] }
    const made = amended<Settings>(old, { mode: 'off', asked_at: null })
    return { result: undefined, writes: await writesOf(old, made, undefined) }
  })

/** Takes it that an address is its owner's, who has followed the link. From now on letters come. Safe to repeat. */
export const confirm = (user: User): Promise<Settings> =>
  retryOnConflict(async () => {
    const old = await get(settings, { user_id: user.id })
    const found = old ?? unset(user.id)
    if (found.confirmed === user.email) return { result: found, writes: [] }
    const made = amended<Settings>(found, { confirmed: user.email, asked_at: null })
    return { result: made, writes: await writesOf(old, made, obstacleOf(made, user)) }
  })

/** Who waits for the letter that asks whether an address is theirs, the longest first. One call. */
export const waitingForQuestion = async (at: string, limit: number): Promise<Settings[]> =>
  (await walk({ index: 'gsi2', pk: CONFIRM, forward: true, limit }))
    .map((item) => parse(settings, item))
    .filter(({ asked_at }) => asked_at !== null && asked_at <= at)

/** Takes the letter that asks, once: whoever comes second gets false. `back`: it was certainly not taken, and is due again then. */
export const takeQuestion = (user_id: string, back?: string): Promise<boolean> =>
  retryOnConflict(async () => {
    const old = await get(settings, { user_id })
    if (!old || (old.asked_at === null) === (back === undefined)) return { result: false, writes: [] }
    return { result: true, writes: [put(settings, amended<Settings>(old, { asked_at: back ?? null }), old)] }
  })
