import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { ChangeSort, FeedEntry } from '../../domain/feed/items.ts'
import { iriOf } from '../../domain/records/iri.ts'
import { crmClasses } from '../linked/classes.ts'

/** The feed as IIIF Change Discovery 1.0, which is ActivityStreams 2.0: a collection in pages, oldest first. */

/** The number of changes on a page. The activities of a full page never change again. */
export const PAGE = 100

const context = ['http://iiif.io/api/discovery/1/context.json', { crm: 'http://www.cidoc-crm.org/cidoc-crm/' }] as const
const root = (origin: string) => `${origin}/data/changes/activity/`
const pageId = (origin: string, number: number) => `${root(origin)}${number}/`
/** The number of pages for `last` changes, at least one. */
const pagesOf = (last: number) => Math.max(1, Math.ceil(last / PAGE))

const pageLink = () => v.object({ id: s.text, type: s.text })
export const ChangeCollectionView = s.shape('ChangeCollection', () =>
  v.object({
    '@context': v.unknown(),
    id: s.text,
    type: s.text,
    totalItems: s.whole,
    first: pageLink(),
    last: pageLink(),
  }),
)

/** The collection: how many changes there are, and its first and last page. */
export const collectionView = (last: number, origin: string) => ({
  '@context': context,
  id: root(origin),
  type: 'OrderedCollection',
  totalItems: last,
  first: { id: pageId(origin, 1), type: 'OrderedCollectionPage' },
  last: { id: pageId(origin, pagesOf(last)), type: 'OrderedCollectionPage' },
})

/** Whether a page of this number exists. */
export const isPage = (number: number, last: number): boolean => number <= pagesOf(last)

const activityEntries = () => ({
  id: s.text,
  type: s.oneOf(['Create', 'Update', 'Delete']),
  endTime: s.time,
  object: v.object({
    id: s.text,
    type: s.text,
    seeAlso: v.optional(v.object({ id: s.text, type: s.text, format: s.text })),
  }),
})
export const ChangeActivityView = s.shape('ChangeActivity', () =>
  v.object({ '@context': v.unknown(), ...activityEntries() }),
)
export const ChangePageView = s.shape('ChangePage', () =>
  v.object({
    '@context': v.unknown(),
    id: s.text,
    type: s.text,
    startIndex: s.whole,
    partOf: pageLink(),
    prev: v.optional(pageLink()),
    next: v.optional(pageLink()),
    orderedItems: v.array(v.object(activityEntries())),
  }),
)

/** One page, with its changes (`entries`). */
export const pageView = (number: number, last: number, entries: readonly FeedEntry[], origin: string) => ({
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

/** One change as an activity. Its object is the address of a record or a cluster. Only the address of a record serves JSON-LD. */
export const activityOf = (it: FeedEntry, origin: string) => ({
  id: `${origin}/data/changes/${it.number}/`,
  type: types[it.change],
  endTime: it.at,
  object: {
    id: iriOf(origin, it.kind, it.object_pk),
    type: crmClasses[it.kind],
    ...(it.change !== 'withdrawn' &&
      it.kind !== 'entity_cluster' && {
        seeAlso: { id: iriOf(origin, it.kind, it.object_pk), type: 'Dataset', format: 'application/ld+json' },
      }),
  },
})
