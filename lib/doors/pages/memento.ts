import { notFound } from '../../base/errors.ts'
import { type History, loadHistory } from '../../domain/records/history.ts'
import { resourcePath } from '../../domain/records/iri.ts'
import { publicMoments } from '../../domain/records/past/moments.ts'
import { LINK_FORMAT } from '../../platform/http/media.ts'
import type { PastState } from '../../platform/http/memento.ts'
import { httpDate } from '../../platform/http/moment.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type Link, linkValue } from './address.ts'

/**
 * Memento (RFC 7089). The address that stays is the original and its own TimeGate; a memento is that address with `?at=`. A memento
 * begins at each moment from which another state was public.
 */

/** Lists the mementos of a record that the caller may read, by the times at which they begin, oldest first. */
export const mementosOf = (history: History, actor: Actor | null): string[] => publicMoments(history, actor)

/** The address of the state of a moment. */
export const mementoAddress = (original: string, at: string): string => `${original}/?at=${encodeURIComponent(at)}`

/** The links of an original and of each of its mementos. */
export const mementoLinks = (original: string): Link[] => [
  { to: original, rel: 'original timegate' },
  { to: `${original}/timemap/`, rel: 'timemap', type: LINK_FORMAT },
]

/** The memento that held at a moment. For a moment before all mementos it is the first memento. Undefined if the record has no memento. */
export const mementoAt = (mementos: readonly string[], at: string): string | undefined =>
  mementos.findLast((it) => it <= at) ?? mementos[0]

/** The state of a record that held at a moment. Fails with `notFound` if none was ever public. */
export async function pastStateOf(
  it: Pick<History, 'entity_id' | 'kind' | 'id'>,
  wanted: string,
  { actor, origin }: { actor: Actor | null; origin: string },
): Promise<PastState & { original: string }> {
  const history = await loadHistory(it.entity_id)
  const at = history && mementoAt(mementosOf(history, actor), wanted)
  if (at === undefined) throw notFound()
  const original = `${origin}${resourcePath(it)}`
  return { at, original, link: mementoLinks(original).map(linkValue).join(', ') }
}

/** The TimeMap: every memento of an original. */
export function timeMap(original: string, mementos: readonly string[]): string {
  const [first, last] = [mementos[0], mementos.at(-1)]
  const span = first && last ? `; from="${httpDate(first)}"; until="${httpDate(last)}"` : ''
  const relOf = (at: string) => `${at === first ? 'first ' : ''}${at === last ? 'last ' : ''}memento`
  return [
    `<${original}>; rel="original timegate"`,
    `<${original}/timemap/>; rel="self"; type="${LINK_FORMAT}"${span}`,
    ...mementos.map((at) => linkValue({ to: mementoAddress(original, at), rel: relOf(at), datetime: httpDate(at) })),
  ].join(',\n')
}
