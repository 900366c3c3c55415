import { now } from '../../base/clock.ts'
import { mapWithinBudget } from '../../base/telemetry/budget.ts'
import type { Current } from '../../domain/feed/items.ts'
import {
  feedKinds,
  type ListPosition,
  listThingsBetween,
  loadChange,
  loadLastTold,
  positionOf,
} from '../../domain/feed/read.ts'
import { kinds } from '../../domain/kinds/index.ts'
import { type RecordItem, recordItem } from '../../domain/records/items.ts'
import { showRecords } from '../../domain/records/shown.ts'
import { getMany, itemIn } from '../../engines/table/index.ts'
import { sealText, unsealText } from '../../platform/http/seal.ts'
import { maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Arguments, argumentsIn, OaiError, spanIn, type Verb } from './arguments.ts'
import { dublinCoreOf } from './dublin-core.ts'
import { element, textElement, type Xml, xmlDocument } from './xml.ts'

/** A request: the origin that the client used, and the arguments that it sent. */
export type OaiRequest = { origin: string; sent: URLSearchParams }
type Call = { origin: string; verb: Verb; given: Arguments }

/** The answer to a request of OAI-PMH as an XML document. Errors of the protocol are answers too. */
export async function answerOai({ origin, sent }: OaiRequest): Promise<string> {
  let given: Arguments = {}
  try {
    const read = argumentsIn(sent)
    given = read.given
    return documentFor(origin, given, await answerTo({ origin, ...read }))
  } catch (error) {
    const answer = errorOf(error)
    return documentFor(origin, isAboutArguments(error) ? {} : given, answer)
  }
}

/** An answer does not repeat arguments that are wrong, as the protocol asks. */
const isAboutArguments = (error: unknown) =>
  error instanceof OaiError && (error.code === 'badVerb' || error.code === 'badArgument')

/** An error of the protocol as XML. Throws any other error again. */
function errorOf(error: unknown): Xml {
  if (!(error instanceof OaiError)) throw error
  return textElement('error', error.message, { code: error.code })
}

const documentFor = (origin: string, given: Arguments, answer: Xml): string =>
  xmlDocument(
    element(
      'OAI-PMH',
      {
        xmlns: 'http://www.openarchives.org/OAI/2.0/',
        'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
        'xsi:schemaLocation': 'http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd',
      },
      [
        textElement('responseDate', stamp(now())),
        element('request', { ...given }, [{ text: `${origin}/data/oai/` }]),
        answer,
      ],
    ),
  )

/** A time to the second. */
const stamp = (at: string) => `${at.slice(0, 19)}Z`

const answers: Readonly<Record<Verb, (call: Call) => Promise<Xml[]>>> = {
  Identify: identify,
  ListMetadataFormats: async ({ given: { identifier } }) => {
    if (identifier !== undefined) await loadFeedEntry(identifier)
    return [element('metadataFormat', {}, [...formatOf('oai_dc')])]
  },
  ListSets: async ({ given }) => {
    if (given.resumptionToken !== undefined) throw badToken()
    return feedKinds.map((kind) =>
      element('set', {}, [textElement('setSpec', kind), textElement('setName', kinds[kind].labelPlural)]),
    )
  },
  ListIdentifiers: (call) => list(call, 100, async (things) => headersOf(things, await openAmong(things))),
  ListRecords: (call) =>
    list(call, 50, async (things) => (await shownAmong(things)).map((it) => recordOf(it, call.origin))),
  GetRecord: async ({ origin, given: { identifier = '', metadataPrefix } }) => {
    checkFormat(metadataPrefix)
    const [shown] = await shownAmong([await loadFeedEntry(identifier)])
    return shown ? [recordOf(shown, origin)] : []
  },
}

const answerTo = async (call: Call): Promise<Xml> => element(call.verb, {}, await answers[call.verb](call))

async function identify({ origin }: Call): Promise<Xml[]> {
  const first = await loadChange(1)
  return [
    textElement('repositoryName', 'Heritage knowledge service'),
    textElement('baseURL', `${origin}/data/oai/`),
    textElement('protocolVersion', '2.0'),
    textElement('adminEmail', `postmaster@${new URL(origin).hostname}`),
    textElement('earliestDatestamp', stamp(first?.at ?? now())),
    textElement('deletedRecord', 'persistent'),
    textElement('granularity', 'YYYY-MM-DDThh:mm:ssZ'),
  ]
}

const formatOf = (prefix: string): Xml[] => [
  textElement('metadataPrefix', prefix),
  textElement('schema', 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd'),
  textElement('metadataNamespace', 'http://www.openarchives.org/OAI/2.0/oai_dc/'),
]

function checkFormat(prefix: string | undefined): void {
  if (prefix !== 'oai_dc') throw new OaiError('cannotDisseminateFormat', 'There is oai_dc.')
}

const URN = /^urn:uuid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** A record of the feed by its identifier, even if the record is not public any more. Throws idDoesNotExist. */
async function loadFeedEntry(identifier: string): Promise<Current> {
  const id = URN.exec(identifier)?.[1]
  const found = id === undefined ? undefined : await loadLastTold(id)
  if (!found || !feedKinds.includes(found.kind))
    throw new OaiError('idDoesNotExist', 'There is no item with this identifier.')
  return { ...found, withdrawn: found.digest === null }
}

type Span = { from: string; until: string; set: string; place: ListPosition; cursor: number }

/** Records that are read together. */
const THINGS_IN_PART = 10

/**
 * One part of a list, with the token of the next: at most `size` items, and fewer if their records are large.
 * A harvest shows the changes up to the time at which it began.
 */
async function list(call: Call, size: number, show: (things: readonly Current[]) => Promise<Xml[]>): Promise<Xml[]> {
  const { resumptionToken } = call.given
  const going = resumptionToken === undefined ? undefined : spanOf(resumptionToken, call.verb)
  const span = going ?? beginningOf(call.given)
  const wanted = feedKinds.filter((kind) => span.set === '' || kind === span.set)
  const { things, more } = await listThingsBetween({ ...span, kinds: wanted }, going?.place, size)
  if (things.length === 0 && !going)
    throw new OaiError('noRecordsMatch', 'There is nothing of this kind from this time.')
  const { results, done } = await mapWithinBudget(things, THINGS_IN_PART, show)
  const last = things.at(done - 1)
  const cursor = going?.cursor ?? 0
  const next = last && (more || done < things.length) && { ...span, place: positionOf(last), cursor: cursor + done }
  const token = next ? sealText(JSON.stringify(next), `oai ${call.verb}`) : ''
  const end = next || going ? [element('resumptionToken', { cursor: String(cursor) }, [{ text: token }])] : []
  return [...results, ...end]
}

function beginningOf(given: Arguments): Omit<Span, 'place' | 'cursor'> {
  checkFormat(given.metadataPrefix)
  const { from = '', until = now().slice(0, 19) } = spanIn(given)
  if (given.set !== undefined && !/^[\w.!~*'()-]+(:[\w.!~*'()-]+)*$/.test(given.set))
    throw new OaiError('badArgument', 'This is no setSpec.')
  return { from: from || '0', until, set: given.set ?? '' }
}

/** Reads a resumption token. Only this service can make one, and it is valid for one verb. */
function spanOf(token: string, verb: Verb): Span {
  const plain = unsealText(token, `oai ${verb}`)
  if (plain === undefined) throw badToken()
  return JSON.parse(plain)
}

const badToken = () => new OaiError('badResumptionToken', 'This resumption token was not given for this list.')

type ShownItem = { header: Xml; record: Awaited<ReturnType<typeof showRecords>>[number] | undefined }

/** Loads the records among these things that everyone may read now. One call for each hundred. */
async function openAmong(things: readonly Current[]): Promise<RecordItem[]> {
  const found = await getMany(things.map(({ id }) => key.head(id)))
  return things
    .filter((it) => !it.withdrawn)
    .flatMap(({ id }) => itemIn(found, recordItem, { entity_id: id }) ?? [])
    .filter((it) => maySee(null, it))
}

/** Records as everyone may read them now. A record that is not public any more is shown as deleted. */
async function shownAmong(things: readonly Current[]): Promise<ShownItem[]> {
  const open = await showRecords(null, await openAmong(things))
  const records = new Map(open.map((it) => [it.entity_id, it]))
  return things.map((it) => {
    const record = records.get(it.id)
    return { header: headerOf(it, record === undefined), record }
  })
}

function headersOf(things: readonly Current[], open: readonly RecordItem[]): Xml[] {
  const ids = new Set(open.map((it) => it.entity_id))
  return things.map((it) => headerOf(it, !ids.has(it.id)))
}

const headerOf = ({ id, at, kind }: Current, isGone: boolean): Xml =>
  element('header', { status: isGone ? 'deleted' : undefined }, [
    textElement('identifier', `urn:uuid:${id}`),
    textElement('datestamp', stamp(at)),
    textElement('setSpec', kind),
  ])

const recordOf = ({ header, record }: ShownItem, origin: string): Xml =>
  element('record', {}, [header, ...(record ? [element('metadata', {}, [dublinCoreOf(record, origin)])] : [])])
