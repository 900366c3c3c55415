import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask, expectStatus, formOf, good, type Speaker } from './speaker.ts'

/** What people do beside records and projects: organizations, visitors' notes, tables as jobs, proposals for the schema, scanned documents. */

type People = { dev: Speaker; other: Speaker; reviewer: Speaker }

/** Somebody founds an organization, another joins and leaves it, and everyone finds it. */
export async function organization(origin: string, { dev, other }: People): Promise<void> {
  const { body } = good(await dev('POST', '/data/organizations/', { name: `Guthi of ${Date.now()}` }))
  good(await other('POST', `/data/organizations/${body.id}/join/`))
  good(await other('GET', '/data/organizations/my_organizations/'))
  good(await ask(origin, 'GET', `/data/organizations/${body.id}/members/`))
  good(await ask(origin, 'GET', '/data/organizations/?search=guthi'))
  good(await other('POST', `/data/organizations/${body.id}/leave/`))
}

/** A visitor leaves a note, and a reviewer makes a record of it. */
export async function note(origin: string, { other, reviewer }: People): Promise<void> {
  const left = {
    entity_name: `Well of ${Date.now()}`,
    content: 'Seen by a visitor.',
    contributor_email: 'maya@visitor.example',
  }
  const { body } = good(await ask(origin, 'POST', '/data/public-contributions/', { body: left }))
  good(await other('GET', '/data/public-contributions/?search=visitor'))
  good(await reviewer('GET', '/data/public-contributions/stats/'))
  const verdict = { status: 'approved', target_type: 'ArchitecturalStructure' }
  const { body: made } = good(await reviewer('POST', `/data/public-contributions/${body.id}/review/`, verdict))
  good(await reviewer('GET', `/data/review-workspace/${made.promoted_entity_id}/`))
}

/** A table is read with its request. */
export async function tableAsJob({ dev }: People): Promise<void> {
  const file = new File(['Name,Type\nNyatapola,Temple\n'], 'rows.csv', { type: 'text/csv' })
  const { body } = good(await dev('POST', '/data/tabular-import-jobs/', formOf({ file })))
  if (body.status !== 'ready_review') throw new Error(`the table is ${body.status}`)
  good(await dev('GET', `/data/tabular-import-jobs/${body.id}/compile-preview/`))
}

/** Somebody proposes that the schema should grow. */
export async function schemaProposal({ dev }: People): Promise<void> {
  const draft = { title: 'A rest house', proposed_yaml: `classes:\n  Sattal${Date.now()}: {}\n` }
  const { body } = good(await dev('POST', '/data/schema-extension-proposals/', draft))
  const at = `/data/schema-extension-proposals/${body.id}/`
  good(await dev('POST', `${at}submit/`))
  good(await dev('GET', `${at}audit/`))
  good(await dev('GET', '/data/schema-extension-proposals/'))
}

/** Somebody proposes that something exists, and staff make it. */
export async function thingProposal({ dev, staff }: People & { staff: Speaker }): Promise<void> {
  const draft = { canonical_label: `Mandap of ${Date.now()}`, type_scope: 'architecturalstructure' }
  const { body } = good(await dev('POST', '/data/entity-proposals/', draft))
  const at = `/data/entity-proposals/${body.id}/`
  good(await dev('POST', `${at}submit/`))
  const { body: approved } = good(await staff('POST', `${at}approve/`, { comment: '' }))
  good(await dev('GET', `/cidoc/entity-clusters/${approved.materialized_cluster}/members/`))
  good(await dev('GET', `${at}audit/`))
}

/** A document is sent whole, another in parts. A worker reads the first; its sender reads it line by line, and hands it over. */
export async function document(origin: string, { dev }: People, picture: File): Promise<void> {
  const sent = formOf({ file: picture, standalone_ingestion: 'true' })
  const { body } = good(await dev('POST', '/data/ocr-documents/upload/', sent))
  const at = `/data/ocr-documents/${body.uploaded_document_id}/`
  await inParts(dev, picture)
  const document = await waitFor(() => dev('GET', at))
  if (document.status !== 'completed')
    throw new Error(`the document is ${document.status}: ${document.user_safe_error}`)
  good(await dev('GET', `${at}review/`))
  good(await dev('GET', `${at}asset/`))
  good(await dev('POST', `${at}run-pipeline/`))
  good(await dev('PATCH', `${at}review-state/`, { block_corrections: { '0_0': { corrected_text: 'Patan' } } }))
  good(await dev('POST', `${at}finalize-review/`))
  expectStatus(await ask(origin, 'GET', at), 404)
}

async function inParts(dev: Speaker, picture: File): Promise<void> {
  const announced = { filename: picture.name, byte_size: picture.size, media_type: 'image' }
  const { body } = good(await dev('POST', '/data/ocr-chunk-uploads/', announced))
  const half = Math.floor(picture.size / 2)
  for (const part of [picture.slice(0, half), picture.slice(half)])
    good(
      await dev('POST', `/data/ocr-chunk-uploads/${body.id}/append/`, formOf({ chunk: new File([part], 'part.bin') })),
    )
  good(await dev('POST', `/data/ocr-chunk-uploads/${body.id}/complete/`))
}

/** Asks until the document is read, for two minutes at most. */
export async function waitFor(look: () => Promise<Answer>): Promise<Answer['body']> {
  for (let turn = 0; turn < 240; turn += 1) {
    const { body } = good(await look())
    if (body.status === 'completed' || body.status === 'failed') return body
    await sleep(500)
  }
  throw new Error('nobody has read the document')
}
