import { crmClasses } from '../linked/classes.ts'
import { iriOf } from '../linked/iri.ts'
import type { ChangeSort, Entry } from './items.ts'

/** The feed as IIIF Change Discovery 1.0, which is ActivityStreams 2.0: a collection in pages, oldest first. */

/** So many changes are on a page; a full page never changes again. */
export const PAGE = 100

const context = ['http://iiif.io/api/discovery/1/context.json', { crm: 'http://www.cidoc-crm.org/cidoc-crm/' }] as const
const root = (origin: string) => `${origin}/data/changes/activity/`
const pageId = (origin: string, number: number) => `${root(origin)}${number}/`
/** How many pages hold so many changes; there is always one. */
const pagesOf = (last: number) => Math.max(1, Math.ceil(last / PAGE))

/** The collection: how many changes there are, and its first and last page. */
export const collectionView = (last: number, origin: string) => ({
  '@context': context,
  id: root(origin),
  type: 'OrderedCollection',
  totalItems: last,
  first: { id: pageId(origin, 1), type: 'OrderedCollectionPage' },
  last: { id: pageId(origin, pagesOf(last)), type: 'OrderedCollectionPage' },
})

/** Whether there is a page of this number. */
export const isPage = (number: number, last: number): boolean => number <= pagesOf(last)

/** One page, where `entries` are its changes. */
export const pageView = (number: number, last: number, entries: readonly Entry[], origin: string) => ({
  '@context': context,
  id: pageId(origin, number),
  type: 'OrderedCollectionPage',
  startIndex: (number - 1) * PAGE,
  partOf: { id: root(origin), type: 'OrderedCollection' },
  ...(number > 1 && { prev: { id: pageId(origin, number - 1), type: 'OrderedCollectionPage' } }),
  ...(number < pagesOf(last) && { next: { id: pageId(origin, number + 1), type: 'OrderedCollectionPage' } }),
  orderedItems: entries.map((it) => activityOf(it, origin)),
})

const types: Readonly<Record<ChangeSort, string>> = { created: 'Create', updated: 'Update', withdrawn: 'Delete' }

/** One change as an activity. Its object is the record, by the address that answers JSON-LD too. */
export const activityOf = (it: Entry, origin: string) => ({
  id: `${origin}/data/changes/${it.number}/`,
  type: types[it.change],
  endTime: it.at,
  object: {
    id: iriOf(origin, it.kind, it.object_pk),
    type: crmClasses[it.kind],
    ...(it.change !== 'withdrawn' && {
      seeAlso: { id: iriOf(origin, it.kind, it.object_pk), type: 'Dataset', format: 'application/ld+json' },
    }),
  },
})
