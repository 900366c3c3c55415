/** The arguments and errors of OAI-PMH 2.0: https://www.openarchives.org/OAI/openarchivesprotocol.html */

const codes = [
  'badArgument',
  'badResumptionToken',
  'badVerb',
  'cannotDisseminateFormat',
  'idDoesNotExist',
  'noRecordsMatch',
] as const
type Code = (typeof codes)[number]

/** An error of the protocol. Its answer has status 200. */
export class OaiError extends Error {
  readonly code: Code

  constructor(code: Code, message: string) {
    super(message)
    this.name = 'OaiError'
    this.code = code
  }
}

const selective = { metadataPrefix: 'required', from: 'optional', until: 'optional', set: 'optional' } as const
/** The arguments of each verb. An exclusive argument is sent alone, without the others. */
const verbs = {
  Identify: {},
  ListMetadataFormats: { identifier: 'optional' },
  ListSets: { resumptionToken: 'exclusive' },
  ListIdentifiers: { ...selective, resumptionToken: 'exclusive' },
  ListRecords: { ...selective, resumptionToken: 'exclusive' },
  GetRecord: { identifier: 'required', metadataPrefix: 'required' },
} as const satisfies Record<string, Readonly<Record<string, 'required' | 'optional' | 'exclusive'>>>

export type Verb = keyof typeof verbs
export const verbNames = Object.keys(verbs)
/** All arguments that some verb takes. */
export const argumentNames = [
  'verb',
  'identifier',
  'metadataPrefix',
  'from',
  'until',
  'set',
  'resumptionToken',
] as const
export type Arguments = { readonly [Name in (typeof argumentNames)[number]]?: string | undefined }

/** Reads the verb and its arguments. Throws badVerb or badArgument. */
export function argumentsIn(sent: URLSearchParams): { verb: Verb; given: Arguments } {
  const [name, ...more] = sent.getAll('verb')
  if (name === undefined) throw new OaiError('badVerb', 'The verb is missing.')
  if (more.length > 0) throw new OaiError('badVerb', 'The verb is repeated.')
  if (!isVerb(name)) throw new OaiError('badVerb', 'There is no such verb.')
  const known: Readonly<Record<string, string>> = verbs[name]
  const given = [...new Set(sent.keys())].filter((each) => each !== 'verb')
  for (const each of given) {
    if (!Object.hasOwn(known, each)) throw new OaiError('badArgument', `${name} takes no argument of this name.`)
    if (sent.getAll(each).length > 1) throw new OaiError('badArgument', `The argument ${each} is repeated.`)
  }
  checkTogether(known, given)
  return { verb: name, given: Object.fromEntries(sent) }
}

const isVerb = (name: string): name is Verb => Object.hasOwn(verbs, name)

function checkTogether(known: Readonly<Record<string, string>>, given: readonly string[]): void {
  if (given.some((each) => known[each] === 'exclusive')) {
    if (given.length > 1) throw new OaiError('badArgument', 'resumptionToken is sent alone.')
    return
  }
  const missing = Object.keys(known).find((each) => known[each] === 'required' && !given.includes(each))
  if (missing) throw new OaiError('badArgument', `The argument ${missing} is missing.`)
}

/** The forms of a time: a day, or a second in UTC. */
const forms = { day: /^\d{4}-\d\d-\d\d$/, second: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ }

/** The span of a request, as prefixes of ISO times. Throws badArgument. */
export function spanIn({ from, until }: Arguments): { from?: string; until?: string } {
  const sorts = [from, until].map((it) => (it === undefined ? undefined : sortOf(it)))
  if (from !== undefined && until !== undefined) {
    if (sorts[0] !== sorts[1]) throw new OaiError('badArgument', 'from and until have different granularities.')
    if (from > until) throw new OaiError('badArgument', 'from is later than until.')
  }
  return { ...(from !== undefined && { from: bare(from) }), ...(until !== undefined && { until: bare(until) }) }
}

const bare = (time: string) => time.replace(/Z$/, '')

function sortOf(time: string): string {
  const sort = Object.entries(forms).find(([, form]) => form.test(time))?.[0]
  const read = new Date(sort === 'day' ? `${time}T00:00:00Z` : time)
  // JavaScript turns the 30th of February into March, so the text is compared.
  const isReal = !Number.isNaN(read.getTime()) && read.toISOString().startsWith(bare(time))
  if (!sort || !isReal) throw new OaiError('badArgument', 'A time is a date (YYYY-MM-DD) or YYYY-MM-DDThh:mm:ssZ.')
  return sort
}
