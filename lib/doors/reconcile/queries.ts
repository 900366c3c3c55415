import * as v from 'valibot'
import { objectOf } from '../../platform/http/body.ts'
import { QueryText, queryWord, wholeNumber } from '../../platform/http/params.ts'
import { matchedKinds } from './manifest.ts'

/** The most queries of a request, and the most candidates of a query. */
const MOST_QUERIES = 100
const MOST_CANDIDATES = 25
/** The most ids of a data extension. OpenRefine sends 10 at once. */
const MOST_IDS = 100

const text = (what: string) => v.pipe(v.string(`${what} is a text.`), v.maxLength(500, `${what} is too long.`))
const PropertyValue = v.object({ pid: text('pid'), v: v.unknown() }, 'A property has pid and v.')
const Query = v.object(
  {
    query: text('query'),
    type: v.optional(v.union([v.string(), v.array(v.string())], 'type is a type or a list of them.')),
    limit: v.optional(
      v.pipe(
        v.number('limit is a number.'),
        v.integer('limit is a whole number.'),
        v.minValue(1, 'limit is 1 or more.'),
      ),
    ),
    properties: v.optional(
      v.pipe(v.array(PropertyValue, 'properties is a list.'), v.maxLength(20, 'There are more than 20 properties.')),
    ),
    type_strict: v.optional(v.unknown()),
  },
  'A query is an object.',
)
export type Query = v.InferOutput<typeof Query>
export const limitOf = ({ limit = 5 }: Query) => Math.min(limit, MOST_CANDIDATES)

const Batch = v.pipe(
  objectOf(v.string(), Query, 'queries is an object of queries.'),
  v.check((it) => Object.keys(it).length <= MOST_QUERIES, `There are more than ${MOST_QUERIES} queries.`),
)
const Extension = v.object(
  {
    ids: v.pipe(
      v.array(v.string('An id is a text.'), 'ids is a list.'),
      v.maxLength(MOST_IDS, `There are more than ${MOST_IDS} ids.`),
    ),
    properties: v.pipe(
      v.array(v.object({ id: text('id') }, 'A property has an id.'), 'properties is a list.'),
      v.maxLength(50, 'There are more than 50 properties.'),
    ),
  },
  'extend is an object.',
)
export type Extension = v.InferOutput<typeof Extension>

/** A member that a form sends as JSON text. A JSON body may hold the value itself. */
const json = <S extends v.GenericSchema>(schema: S) =>
  v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      if (typeof dataset.value !== 'string') return dataset.value
      try {
        return JSON.parse(dataset.value) as unknown
      } catch {
        addIssue({ message: 'This is not JSON.' })
        return NEVER
      }
    }),
    schema,
  )

const CALLBACK = /^[A-Za-z_$][\w$]{0,99}(\.[A-Za-z_$][\w$]{0,99}){0,4}$/
/** Whether a text is the name of a function, such as `page.take`. */
export const isCallback = (text: string): boolean => CALLBACK.test(text)
/** The function that a script calls with the answer (JSONP). */
const WithCallback = {
  callback: v.optional(v.pipe(v.string(), v.regex(CALLBACK, 'callback is the name of a function.'))),
}

const asked = { queries: v.optional(json(Batch)), extend: v.optional(json(Extension)) }
export const ReconcileBody = v.object(asked)
export const ReconcileQuery = v.object({ ...asked, ...WithCallback })

export const Prefix = v.object({ prefix: QueryText, cursor: v.optional(v.string(), '0'), ...WithCallback })
export const ProposeQuery = v.object({
  ...WithCallback,
  type: queryWord(matchedKinds),
  limit: wholeNumber(100, 200),
})
