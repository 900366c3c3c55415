import { watched } from './tools/watched.ts'

/** A process that makes an index of statements as records have them, and asks it, for measuring what that takes. */
const { startFragments } = await import('../../lib/doors/fragments/build.ts')
const { writeFragment } = await import('../../lib/doors/fragments/answer.ts')
const { iri, literal, text } = await import('../../lib/engines/rdf/index.ts')
const { bucket, Bucket } = await import('../../lib/engines/bucket/blobs.ts')
const { GetObjectCommand } = await import('@aws-sdk/client-s3')
const { s3 } = await bucket()
await s3.send(new GetObjectCommand({ Bucket, Key: 'none' })).catch(() => {})

const size = Number(process.argv[2])
const crm = (name: string) => iri(`http://www.cidoc-crm.org/cidoc-crm/${name}`)

/** Forty statements of a record: names, links, a place, a date, its entry and its claims. */
function statementsAt(at: number) {
  const own = iri(`/cidoc/structures/${at}/`)
  const entry = iri(`${own.value}#record`)
  const claims = Array.from({ length: 8 }, (_, claim) =>
    iri(`/cidoc/assertions/0193${at.toString(16).padStart(8, '0')}-7000-${claim}/`),
  )
  const texts = Array.from(
    { length: 16 },
    (_, field) => [field, `The words of field ${field} of record ${at}`] as const,
  )
  return [
    {
      subject: own,
      predicate: iri('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'),
      object: crm('E22_Human-Made_Object'),
    },
    { subject: own, predicate: iri('http://www.w3.org/2000/01/rdf-schema#label'), object: text(`Temple ${at}`) },
    { subject: own, predicate: iri('http://www.w3.org/2000/01/rdf-schema#label'), object: text(`मन्दिर ${at}`, 'ne') },
    ...claims.map((claim) => ({ subject: own, predicate: crm('P140i_was_attributed_by'), object: claim })),
    ...texts.map(([field, words]) => ({
      subject: own,
      predicate: iri(`https://cair-nepal.org/heritageGraph/field${field}`),
      object: text(words),
    })),
    ...[1, 2, 3, 4, 5].map((link) => ({
      subject: own,
      predicate: crm(`P${link}_is_near`),
      object: iri(`/cidoc/locations/${(at * link) % 997}/`),
    })),
    { subject: own, predicate: iri('http://xmlns.com/foaf/0.1/isPrimaryTopicOf'), object: entry },
    ...['created', 'modified', 'issued', 'valid'].map((name) => ({
      subject: entry,
      predicate: iri(`http://purl.org/dc/terms/${name}`),
      object: literal(new Date(1.7e12 + at * 1000).toISOString(), 'http://www.w3.org/2001/XMLSchema#dateTime'),
    })),
    { subject: entry, predicate: iri('http://purl.org/dc/terms/identifier'), object: text(`urn:uuid:${at}`) },
    { subject: entry, predicate: iri('http://www.w3.org/ns/prov#wasAttributedTo'), object: iri(`/people/${at % 50}`) },
  ]
}

const before = process.cpuUsage()
const {
  value: index,
  ms,
  idle,
  peak,
} = await watched(async () => {
  const maker = await startFragments()
  // Not in the order of their names, as records do not come either.
  for (let at = 0; at < size; at += 1) await maker.add(statementsAt((at * 7919) % size))
  return maker.store('bench')
})
const { user, system } = process.cpuUsage(before)
let reads = 0
s3.middlewareStack.add(
  (next) => (given) => {
    reads += 1
    return next(given)
  },
  { step: 'initialize' },
)
const QUESTIONS = 50
const begun = performance.now()
for (let at = 0; at < QUESTIONS; at += 1) {
  const subject = `http://x/cidoc/structures/${(at * 104_729) % size}/`
  const asked = at % 2 ? { subject, page: 1 } : { object: `"Temple ${(at * 15_485_863) % size}"`, page: 1 }
  await writeFragment(index, asked, { origin: 'http://x', address: 'http://x/fragments/', type: 'application/n-quads' })
}
process.send?.({
  idle,
  peak,
  seconds: ms / 1000,
  worked: (user + system) / 1e6,
  statements: index.spo.lines,
  bytes: index.spo.bytes + index.pos.bytes + index.osp.bytes,
  asked: (performance.now() - begun) / QUESTIONS,
  reads: reads / QUESTIONS,
})
