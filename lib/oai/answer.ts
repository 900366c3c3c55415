import type { Current } from '../changes/items.ts'
import { changeAt, lastToldOf, type Place, placeOf, thingsBetween, toldKinds } from '../changes/read.ts'
import { now } from '../clock.ts'
import { seal, unseal } from '../http/seal.ts'
import { kinds } from '../kinds/index.ts'
import { maySee } from '../permissions.ts'
import { recordItem } from '../records/items.ts'
import { shownTo } from '../records/shown.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { type Arguments, argumentsIn, OaiError, spanIn, type Verb } from './arguments.ts'
import { dublinCoreOf } from './dublin-core.ts'
import { documentOf, element, textElement, type Xml } from './xml.ts'

/** Who asks: where they think we are, and the address to which mail about the repository goes. */
export type Asked = { origin: string; sent: URLSearchParams }
type Call = { origin: string; verb: Verb; given: Arguments }

/** The answer to a request of OAI-PMH, errors of the protocol included, as an XML document. */
export async function answerOf({ origin, sent }: Asked): Promise<string> {
  try {
    const { verb, given } = argumentsIn(sent)
    return documentFor(origin, given, await answerTo({ origin, verb, given }).catch(errorOf))
  } catch (error) {
    return documentFor(origin, {}, errorOf(error))
  }
}

/** What the protocol calls an error; anything else goes on. */
function errorOf(error: unknown): Xml {
  if (!(error instanceof OaiError)) throw error
  return textElement('error', error.message, { code: error.code })
}

const documentFor = (origin: string, given: Arguments, answer: Xml): string =>
  documentOf(
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

/** A moment to the second. */
const stamp = (at: string) => `${at.slice(0, 19)}Z`

const answers: Readonly<Record<Verb, (call: Call) => Promise<Xml[]>>> = {
  Identify: identify,
  ListMetadataFormats: async ({ given: { identifier } }) => {
    if (identifier !== undefined) await told(identifier)
    return [element('metadataFormat', {}, [...formatOf('oai_dc')])]
  },
  ListSets: async ({ given }) => {
    if (given.resumptionToken !== undefined) throw badToken()
    return toldKinds.map((kind) =>
      element('set', {}, [textElement('setSpec', kind), textElement('setName', kinds[kind].labelPlural)]),
    )
  },
  ListIdentifiers: (call) => list(call, 100, async (things) => (await shownAmong(things)).map(({ header }) => header)),
  ListRecords: (call) =>
    list(call, 50, async (things) => (await shownAmong(things)).map((it) => recordOf(it, call.origin))),
  GetRecord: async ({ origin, given: { identifier = '', metadataPrefix } }) => {
    checkFormat(metadataPrefix)
    const [shown] = await shownAmong([await told(identifier)])
    return shown ? [recordOf(shown, origin)] : []
  },
}

const answerTo = async (call: Call): Promise<Xml> => element(call.verb, {}, await answers[call.verb](call))

async function identify({ origin }: Call): Promise<Xml[]> {
  const first = await changeAt(1)
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

/** A record that the feed has told of, by its identifier: public, or withdrawn. Fails with idDoesNotExist. */
async function told(identifier: string): Promise<Current> {
  const id = URN.exec(identifier)?.[1]
  const found = id === undefined ? undefined : await lastToldOf(id)
  if (!found || !toldKinds.includes(found.kind))
    throw new OaiError('idDoesNotExist', 'There is no item with this identifier.')
  return { ...found, withdrawn: found.digest === null }
}

type Span = { from: string; until: string; set: string; place: Place; cursor: number }

/** One part of a list, and how to ask for the next. Whoever begins is shown what had changed by then, to the end. */
async function list(call: Call, size: number, shown: (things: readonly Current[]) => Promise<Xml[]>): Promise<Xml[]> {
  const { resumptionToken } = call.given
  const going = resumptionToken === undefined ? undefined : spanOf(resumptionToken, call.verb)
  const span = going ?? beginningOf(call.given)
  const wanted = toldKinds.filter((kind) => span.set === '' || kind === span.set)
  const { things, more } = await thingsBetween({ ...span, kinds: wanted }, going?.place, size)
  const last = things.at(-1)
  if (!last && !going) throw new OaiError('noRecordsMatch', 'There is nothing of this kind from this time.')
  const cursor = going?.cursor ?? 0
  const next = last && more && { ...span, place: placeOf(last), cursor: cursor + things.length }
  const token = next ? seal(JSON.stringify(next), `oai ${call.verb}`) : ''
  const end = next || going ? [element('resumptionToken', { cursor: String(cursor) }, [{ text: token }])] : []
  return [...(await shown(things)), ...end]
}

function beginningOf(given: Arguments): Omit<Span, 'place' | 'cursor'> {
  checkFormat(given.metadataPrefix)
  const { from = '', until = now().slice(0, 19) } = spanIn(given)
  if (given.set !== undefined && !/^[\w.!~*'()-]+(:[\w.!~*'()-]+)*$/.test(given.set))
    throw new OaiError('badArgument', 'This is no setSpec.')
  return { from: from || '0', until, set: given.set ?? '' }
}

/** Where a list goes on. Only this service makes such tokens, and each is good for its verb. */
function spanOf(token: string, verb: Verb): Span {
  const plain = unseal(token, `oai ${verb}`)
  if (plain === undefined) throw badToken()
  return JSON.parse(plain)
}

const badToken = () => new OaiError('badResumptionToken', 'This resumption token was not given for this list.')

type ShownItem = { header: Xml; record: Awaited<ReturnType<typeof shownTo>>[number] | undefined }

/** Things with what everyone may read of them now; of what is withdrawn meanwhile, that it is. */
async function shownAmong(things: readonly Current[]): Promise<ShownItem[]> {
  const found = await getMany(things.map(({ id }) => key.head(id)))
  const heads = things.flatMap(({ id }) => itemIn(found, recordItem, { entity_id: id }) ?? [])
  const open = await shownTo(
    null,
    heads.filter((it) => maySee(null, it)),
  )
  const records = new Map(open.map((it) => [it.entity_id, it]))
  return things.map((it) => {
    const record = it.withdrawn ? undefined : records.get(it.id)
    return { header: headerOf(it, record === undefined), record }
  })
}

const headerOf = ({ id, at, kind }: Current, isGone: boolean): Xml =>
  element('header', { status: isGone ? 'deleted' : undefined }, [
    textElement('identifier', `urn:uuid:${id}`),
    textElement('datestamp', stamp(at)),
    textElement('setSpec', kind),
  ])

const recordOf = ({ header, record }: ShownItem, origin: string): Xml =>
  element('record', {}, [header, ...(record ? [element('metadata', {}, [dublinCoreOf(record, origin)])] : [])])
