import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { signedInAudience } from '../../base/visibility.ts'
import { LabelView } from '../../domain/labels/labels.ts'

/** Why a record, or one of its links, can no longer be shown as it was cited. */
const withdrawalRules = ['deleted', signedInAudience, 'taken_back', 'link_withdrawn'] as const
export type WithdrawalRule = (typeof withdrawalRules)[number]
const nameEntries = () => ({ kind: s.text, id: v.union([s.whole, s.uuid]), cultural_entity_id: s.uuid })
const rowEntries = () => ({
  ...nameEntries(),
  revision: s.maybe(s.whole),
  name: s.maybe(s.text),
  values: s.maybe(s.Values),
  digest: s.maybe(s.text),
  labels: v.optional(v.array(LabelView)),
})

const headEntries = () => ({
  id: s.uuid,
  url: s.text,
  of: s.text,
  title: s.text,
  at: s.time,
  count: s.whole,
  digest: s.text,
  kinds: v.record(v.string(), s.whole),
  licences: v.array(s.text),
  contributors: v.array(v.object({ id: s.uuid, username: s.text, name: s.text })),
  contributor_count: s.whole,
})
/** A citation without its records. */
export const CitationHeadView = s.shape('CitationHead', () => v.object(headEntries()))

const citedRecord = () =>
  v.object({
    ...rowEntries(),
    holds: v.boolean(),
    withdrawn: s.maybe(v.object({ rule: s.oneOf(withdrawalRules), why: s.text, links: v.array(s.text) })),
  })
/** A citation with a page of its records. `holds`: whether each record of the page is as it was. */
export const CitationView = s.shape('Citation', () =>
  v.object({
    ...headEntries(),
    holds: v.boolean(),
    next: s.maybe(s.text),
    previous: s.maybe(s.text),
    results: v.array(citedRecord()),
  }),
)

const differenceRow = () =>
  v.object({
    change: s.oneOf(['added', 'changed', 'removed']),
    ...rowEntries(),
    withdrawn: s.maybe(v.object({ rule: s.oneOf(withdrawalRules), why: s.text })),
  })
/** A page of the difference between two answers of a question. */
export const CitationDifferenceView = s.shape('CitationDifference', () =>
  v.object({
    from: v.object({ id: s.uuid, at: s.time, count: s.whole, digest: s.text }),
    to: v.object({ id: s.maybe(s.uuid), at: s.time }),
    next: s.maybe(s.text),
    differences: v.array(differenceRow()),
  }),
)

/** CSL-JSON of one item. Programs for references read it. */
export const CslView = s.shape('CslItem', () =>
  v.object({
    id: s.text,
    type: s.oneOf(['dataset']),
    title: s.text,
    author: v.array(v.object({ literal: s.text })),
    publisher: s.text,
    issued: v.object({ 'date-parts': v.array(v.array(s.whole)) }),
    version: s.text,
    license: s.text,
    note: s.text,
    URL: s.text,
  }),
)

/** Metadata of the kernel 4 of DataCite, as its JSON. */
export const DataCiteView = s.shape('DataCiteItem', () =>
  v.object({
    schemaVersion: s.text,
    identifiers: v.array(v.object({ identifier: s.text, identifierType: s.text })),
    creators: v.array(v.object({ name: s.text, nameType: s.text })),
    titles: v.array(v.object({ title: s.text, lang: s.text })),
    publisher: v.object({ name: s.text }),
    publicationYear: s.whole,
    types: v.object({ resourceTypeGeneral: s.text, resourceType: s.text }),
    dates: v.array(v.object({ date: s.time, dateType: s.text })),
    sizes: v.array(s.text),
    version: s.text,
    rightsList: v.array(v.object({ rights: s.text })),
    relatedIdentifiers: v.array(
      v.object({ relatedIdentifier: s.text, relatedIdentifierType: s.text, relationType: s.text }),
    ),
  }),
)
