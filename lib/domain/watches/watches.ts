import { later, newId, now } from '../../base/clock.ts'
import { impossible, invalid } from '../../base/errors.ts'
import {
  get,
  getMany,
  itemIn,
  parse,
  put,
  queryAll,
  remove,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import { chooseFrom } from '../../platform/http/body.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { loadLastNumber } from '../feed/read.ts'
import { kinds } from '../kinds/index.ts'
import { type KindKey, reviewedKinds } from '../kinds/keys.ts'
import { recordItem } from '../records/items.ts'
import { loadSource } from '../sources/sources.ts'
import { subjectOf, type Watch, type WatchCount, type Watcher, watch, watchCount, watcher } from './items.ts'

/** Each watch takes two writes, and a transaction holds 100 actions. */
const ENDED_AT_ONCE = 49
/** The most things that one person watches. One transaction ends them all. */
const MOST_WATCHES = ENDED_AT_ONCE
/** The most searches among them. Each costs a search a day. */
const MOST_SEARCHES = 10
/** Seconds between two bulletins of one person. */
export const BULLETIN_PERIOD_S = 86_400

type WatchInput = Pick<Watch, 'what' | 'about'>

/** Loads all that a person watches, oldest first, and when their next bulletin is due. One query, strongly consistent. */
export async function loadWatches(user_id: string): Promise<{ watches: Watch[]; head: Watcher | undefined }> {
  const items = await queryAll(key.watcher(user_id).pk, '')
  const watches = items.filter((item) => item.type === watch.type).map((item) => parse(watch, item))
  const head = items.find((item) => item.type === watcher.type)
  return {
    watches: watches.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)),
    head: head && parse(watcher, head),
  }
}

export const loadWatch = (user_id: string, id: string): Promise<Watch | undefined> => get(watch, { user_id, id })

/**
 * Begins to watch something that the caller may see. Fails with `invalid` if there is no such thing for the caller, if the caller
 * watches it already, or if they watch too many things.
 */
export async function beginWatch(unit: UnitOfWork, actor: Actor, input: WatchInput): Promise<Watch> {
  unit.retryOn('conflict', ATTEMPTS)
  await checkSubject(input, actor)
  const { watches, head } = await loadWatches(actor.id)
  if (watches.some((it) => it.what === input.what && it.about === input.about))
    throw invalid({ about: ['You watch this already.'] })
  if (watches.length >= MOST_WATCHES)
    throw impossible(`Nobody watches more than ${MOST_WATCHES} things. Stop one first.`)
  if (input.what === 'search' && watches.filter((it) => it.what === 'search').length >= MOST_SEARCHES)
    throw impossible(`Nobody watches more than ${MOST_SEARCHES} searches. Stop one first.`)
  const since = await loadLastNumber()
  const made: Watch = { user_id: actor.id, id: newId(), ...input, since, created_at: now(), version: 1 }
  const first = { user_id: actor.id, told: since, due_at: later(BULLETIN_PERIOD_S), version: 1 }
  unit.add([
    put(watch, made, undefined),
    // The head is written each time, so that two requests at once cannot pass the limit.
    put(watcher, head ? withNextVersion<Watcher>(head, {}) : first, head),
    ...(await countWrites([made], 1)),
  ])
  return made
}

/** Many people may begin to watch one thing at once. */
const ATTEMPTS = 10

/** Ends the first 49 of the given watches of a person, as many as one transaction holds. Repeat it until none is left. */
export async function endWatches(unit: UnitOfWork, user_id: string, isEnding: (it: Watch) => boolean): Promise<void> {
  unit.retryOn('conflict', ATTEMPTS)
  const { watches, head } = await loadWatches(user_id)
  const ending = watches.filter(isEnding).slice(0, ENDED_AT_ONCE)
  const isLast = ending.length === watches.length
  const counts = await countWrites(ending, -1)
  unit.add([...ending.map((it) => remove(watch, it)), ...(head && isLast ? [remove(watcher, head)] : []), ...counts])
}

/** The writes that count watchers of subjects up or down. */
async function countWrites(watches: readonly Watch[], by: 1 | -1): Promise<Write[]> {
  const subjects = watches.flatMap((it) => subjectOf(it) ?? [])
  const found = await getMany(subjects.map(key.watched), true)
  return subjects.flatMap((subject) => {
    const old = itemIn(found, watchCount, { subject })
    const watchers = (old?.watchers ?? 0) + by
    if (old && watchers <= 0) return [remove(watchCount, old)]
    const next = old ? withNextVersion<WatchCount>(old, { watchers }) : { subject, watchers, version: 1 }
    return watchers <= 0 ? [] : [put(watchCount, next, old)]
  })
}

/** Fails with `invalid` if what is to be watched does not exist, or not for the caller. */
async function checkSubject({ what, about }: WatchInput, actor: Actor): Promise<void> {
  const fault = await checks[what](about, actor)
  if (fault !== undefined) throw invalid({ about: [fault] })
}

const noRecord = 'There is no record with this id.'
const noneOf = (kind: KindKey) => `There is no ${kinds[kind].label.toLowerCase()} with this id.`

/** By sort: the reason why something cannot be watched. */
const checks: Readonly<Record<Watch['what'], (about: string, actor: Actor) => Promise<string | undefined>>> = {
  record: async (entity_id, actor) => {
    const head = await get(recordItem, { entity_id })
    return head && maySee(actor, head) ? undefined : noRecord
  },
  place: async (entity_id, actor) => {
    const head = await get(recordItem, { entity_id })
    return head?.kind === 'location' && maySee(actor, head) ? undefined : noneOf('location')
  },
  source: async (id, actor) => {
    const source = await loadSource(id)
    return source && maySee(actor, source) ? undefined : noneOf('data_source')
  },
  kind: async (kind) => (reviewedKinds.some((it) => it === kind) ? undefined : chooseFrom(reviewedKinds)),
  search: async (words) => (words.trim().length < 2 ? 'Give at least 2 characters.' : undefined),
}
