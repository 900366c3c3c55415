import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { now } from '../../lib/base/clock.ts'
import { impossible, invalid, notFound } from '../../lib/base/errors.ts'
import type { Later } from '../../lib/doors/citations/difference.ts'
import type { Citation } from '../../lib/doors/citations/items.ts'
import {
  CitationDifferenceView,
  CitationHeadView,
  CitationView,
  CslView,
  DataCiteView,
} from '../../lib/doors/citations/view-shape.ts'
import { creation, ok, withTypes } from '../../lib/platform/http/answer.ts'
import { line, members } from '../../lib/platform/http/body.ts'
import { CSL_JSON, DATACITE_JSON, JSON_LINES } from '../../lib/platform/http/media.ts'
import { momentFaults, momentOf } from '../../lib/platform/http/moment.ts'
import { ById, optionalQueryChoice, QueryId } from '../../lib/platform/http/params.ts'
import { replyContent, replyCreated } from '../../lib/platform/http/reply.ts'
import type { Request } from '../../lib/platform/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../../lib/platform/http/route.ts'
import { documentAs } from '../../lib/platform/http/schema-notes.ts'

const NewCitation = members({ of: v.pipe(line(2000), v.trim(), v.nonEmpty('This field may not be blank.')) })

/** The later side of a difference: a moment, or the id of a citation. */
const LaterSide = v.pipe(
  v.optional(v.string(), ''),
  v.trim(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): { at: string | null } | { id: string } => {
    if (value === '') return { at: null }
    if (v.is(v.pipe(v.string(), v.uuid()), value)) return { id: value.toLowerCase() }
    const moment = momentOf(value)
    if (typeof moment !== 'string') return { at: moment.at }
    addIssue({ message: momentFaults[moment] })
    return NEVER
  }),
  documentAs({ anyOf: ['date', 'date-time', 'uuid'].map((format) => ({ type: 'string', format })) }),
)

// The code is imported when a citation is asked for, so that searches start without it.
const load = async () => ({
  ...(await import('../../lib/doors/citations/view.ts')),
  ...(await import('../../lib/doors/citations/question.ts')),
})

/** Answers that are kept as questions, so that they can be cited and given again. */
export const citations = {
  'POST /data/citations/': actorRoute({
    permission: 'citation.create',
    summary: 'Keep a question, so that its answer can be cited',
    description: [
      '`of` is the address of a list of records, such as `/cidoc/structures/?category=tangible`, or of a search. The moment, the count',
      'and a digest of what everyone may read of it now are kept. A citation holds 2,000 records at most. Only the records of a',
      'search are cited, and their order is not.',
    ].join(' '),
    answer: creation(CitationHeadView),
    translatedPaths: [],
    body: NewCitation,
    idempotent: '24h',
    throttles: [{ scope: 'citations', rate: { limit: 100, seconds: 86_400 }, per: 'caller', counts: 'every success' }],
    handle: async ({ unit, body, request }) => {
      const { headView, citationUrl, readQuestion } = await load()
      const { cite } = await import('../../lib/doors/citations/cite.ts')
      const made = await cite(unit, readQuestion(body.of, request.origin))
      return replyCreated(await headView(made, request.origin), { location: citationUrl(made.id, request.origin) })
    },
  }),

  'GET /data/citations/{id}/': publicRoute({
    permission: 'citation.read',
    summary: 'Answer a cited question again, as it was answered then',
    description: [
      'Records come in the order of their review identities, each with its revision and its values of that time. `digest` is the',
      'SHA-256 over a line `identity revision digest` for each. What was withdrawn since is named with the rule that withdrew it, and',
      '`holds` is false. By `Accept` or `format` the metadata: `csl` is CSL-JSON, `datacite` is that of DataCite.',
    ].join(' '),
    answer: withTypes(ok(CitationView), { [CSL_JSON]: CslView, [DATACITE_JSON]: DataCiteView }),
    errors: [404],
    params: ById,
    query: v.object({ format: optionalQueryChoice(['json', 'csl', 'datacite']) }),
    translatedPaths: ['results.*.withdrawn.why'],
    handle: async ({ params: { id }, page, request }) =>
      (await load()).citationView(await citationOf(id), page, request),
    representations: {
      [CSL_JSON]: async ({ params: { id }, request }) => {
        const [{ headView }, { cslView }] = await Promise.all([load(), import('../../lib/doors/citations/metadata.ts')])
        return cslView(await headView(await citationOf(id), request.origin))
      },
      [DATACITE_JSON]: async ({ params: { id }, request }) => {
        const [{ headView }, { dataCiteView }] = await Promise.all([
          load(),
          import('../../lib/doors/citations/metadata.ts'),
        ])
        return dataCiteView(await headView(await citationOf(id), request.origin))
      },
    },
  }),

  'GET /data/citations/{id}/difference/': publicRoute({
    permission: 'citation.read',
    summary: 'Tell how the answer of a cited question differs from a later one',
    description: [
      '`to` is a moment, or the id of a later citation of the same question; without it the answer of now. Whoever applies all pages',
      'to the cited records, by review identity, has the later answer. With `format=jsonl` each page is a file with a difference on a',
      'line, and the header `Link` names the next page. A moment of the past is known for whole lists only.',
    ].join(' '),
    answer: { 200: { shape: CitationDifferenceView, types: [JSON_LINES] } },
    answerHeaders: ['Link', 'Content-Disposition'],
    errors: [404],
    params: ById,
    query: v.object({ to: LaterSide, after: QueryId, format: optionalQueryChoice(['json', 'jsonl']) }),
    translatedPaths: ['differences.*.withdrawn.why'],
    handle: async ({ params: { id }, query, request }) => {
      const { earlier, to, differences, next } = await readPage(id, query, request)
      const { at, count, digest } = earlier
      return { from: { id, at, count, digest }, to, next, differences }
    },
    representations: {
      [JSON_LINES]: async ({ params: { id }, query, request }) => {
        const { differences, next } = await readPage(id, query, request)
        const lines = differences.map((it) => `${JSON.stringify(it)}\n`)
        return replyContent(lines.join(''), `${JSON_LINES}; charset=utf-8`, {
          'content-disposition': `attachment; filename="difference-${id}.jsonl"`,
          ...(next !== null && { link: `<${next}>; rel="next"` }),
        })
      },
    },
  }),
} satisfies Routes

async function citationOf(id: string): Promise<Citation> {
  const found = await (await load()).loadCitation(id)
  if (!found) throw notFound()
  return found
}

type DifferenceQuery = { to: v.InferOutput<typeof LaterSide>; after: string | undefined; format: string | undefined }

/** One page of a difference, with the address of the next. */
async function readPage(id: string, { to, after, format }: DifferenceQuery, request: Request) {
  const [{ differenceView, citationUrl }, { pageOfDifference }] = await Promise.all([
    load(),
    import('../../lib/doors/citations/difference.ts'),
  ])
  const earlier = await citationOf(id)
  const later = await laterSide(earlier, to)
  const page = await pageOfDifference(earlier, later, after ?? '')
  const url = new URL(`${citationUrl(id, request.origin)}difference/`)
  for (const [name, value] of Object.entries({ to: request.query.to, format, after: page.next }))
    if (value) url.searchParams.set(name, value)
  const isCitation = 'citation' in later
  return {
    earlier,
    to: { id: isCitation ? later.citation.id : null, at: isCitation ? later.citation.at : (later.at ?? now()) },
    differences: page.differences.map(differenceView),
    next: page.next === undefined ? null : url.href,
  }
}

/** What the earlier answer is compared with. Fails with `invalid` if it is the answer of another question, or of an earlier moment. */
async function laterSide(earlier: Citation, to: DifferenceQuery['to']): Promise<Later> {
  const { findAnswers, wholeListOf } = await load()
  if ('id' in to) {
    const citation = await citationOf(to.id)
    const [asked, other] = [earlier, citation].map(({ question }) => JSON.stringify(question))
    if (asked !== other) throw invalid({ to: ['This citation is of another question.'] })
    if (citation.at < earlier.at) throw invalid({ to: ['This lies before the citation.'] })
    return { citation }
  }
  if (to.at !== null && to.at < earlier.at) throw invalid({ to: ['This lies before the citation.'] })
  if (to.at !== null && wholeListOf(earlier.question) === undefined)
    throw impossible(
      'What a search found at a moment of the past is not kept. Compare with now, or with a later citation.',
    )
  return { ids: (await findAnswers(earlier.question, MOST_COMPARED)).ids, at: to.at }
}

/** The most records of a later answer that are compared. */
const MOST_COMPARED = 20_000
