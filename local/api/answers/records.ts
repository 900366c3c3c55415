import * as v from 'valibot'
import type { routes } from '../../../functions/records.ts'
import { LINKED, MAPPED } from '../../../lib/http/media.ts'
import { type Answers, made, nothing, ok, page, represented } from '../answer.ts'
import { Related } from '../shapes/cluster.ts'
import { whole } from '../shapes/common.ts'
import { ReadDate } from '../shapes/dates.ts'
import { StoryEntry } from '../shapes/entity.ts'
import { featureOf, featuresOf, LinkedContext, LinkedData, LinkedList } from '../shapes/linked.ts'
import { recordOf, rowOf } from '../shapes/record.ts'
import { Facets } from '../shapes/search.ts'
import { SuggestedValue } from '../shapes/service.ts'

export const otherwise =
  'With `Accept: application/ld+json` as linked data (CIDOC-CRM, PROV-O), with `application/geo+json` for maps; whoever may see what is the same.'

export const told =
  'Newest first: what became public, who wrote it and who accepted it, and what differed, field by field. Those who work on the record read of what waited and was refused as well.'

/** Routes with a segment are written out for each kind; {one} and {many} stand for its names. */
export const records: Answers<typeof routes> = {
  'GET /cidoc/{segment}/': {
    says: 'List: {many}',
    more: `With \`search\`, the best fit comes first. ${otherwise} With \`text/csv\` or as XLSX the whole list, up to 20,000 rows, as a table that may be corrected and sent to \`/data/imports/\`; 303 leads to one that is large.`,
    headers: ['Content-Disposition'],
    gives: represented(page(rowOf, { facets: v.optional(Facets) }), {
      [LINKED]: LinkedList,
      [MAPPED]: (kind) => featuresOf(whole, rowOf(kind)),
    }),
  },
  'GET /cidoc/context.jsonld/': {
    says: 'What the names in linked data mean',
    more: 'The JSON-LD context, which every answer in `application/ld+json` carries as well.',
    gives: { 200: { also: { [LINKED]: v.object({ '@context': LinkedContext }) } } },
  },
  'GET /cidoc/related/': {
    says: 'List the records that are linked with one, by kind',
    gives: ok(Related),
    refuses: [404],
  },
  'POST /cidoc/assist/suggest-field/': {
    says: 'Suggest a value for a field of a form',
    more: 'What records that look like the one being written say there; "" when none does.',
    gives: ok(SuggestedValue),
  },
  'POST /cidoc/assist/read-date/': {
    says: 'Say what is understood of a date as it is typed',
    more: 'With its bounds in every calendar. Words that are no date may name a period of history; then its bounds are meant. A date that no calendar has is told with the reason, and still taken by forms.',
    gives: ok(ReadDate),
  },
  'POST /cidoc/{segment}/': {
    says: 'Contribute: {one}',
    more: 'It waits for review. Every value becomes a claim with the source that `assertion` names. Relations take an id, a list of ids, {id, name} or text, which is matched by name or queued as a new record.',
    gives: made(recordOf),
  },
  'GET /cidoc/{segment}/{id}/': {
    says: 'Read: {one}',
    more: otherwise,
    gives: represented(ok(recordOf), { [LINKED]: LinkedData, [MAPPED]: (kind) => featureOf(whole, recordOf(kind)) }),
  },
  'GET /cidoc/{segment}/{id}/history/': {
    says: 'Tell what has changed: {one}',
    more: told,
    gives: page(StoryEntry),
  },
  'PUT /cidoc/{segment}/{id}/': {
    says: 'Replace: {one}',
    more: 'An edit of a published record waits for review; the public goes on seeing the accepted values.',
    gives: ok(recordOf),
  },
  'PATCH /cidoc/{segment}/{id}/': {
    says: 'Change: {one}',
    more: 'Only the members that are sent change; null or "" empties one. An edit of a published record waits for review.',
    gives: ok(recordOf),
  },
  'DELETE /cidoc/{segment}/{id}/': {
    says: 'Delete: {one}',
    more: 'Staff can restore it. What is published is deleted by staff only.',
    gives: nothing,
  },
  'POST /cidoc/{segment}/{id}/restore/': { says: 'Restore: {one}', gives: ok(recordOf) },
}
