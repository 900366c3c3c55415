import { type Base, said } from './base.ts'
import { patch, post, type Row } from './operation.ts'

/** Truth in question: sources that fall, what is decided because of them, records that are one thing or are not, and answers that are cited. */

const source = (b: Base, rest = '') => `/cidoc/data_sources/${b.source.id}/${rest}`
const cluster = (b: Base, rest: string) => `/cidoc/entity-clusters/${b.cluster.id}/${rest}`
const member = (it: { id: number }) => ({ entity_type: 'structure', entity_id: it.id })
const why = { standing: 'withdrawn', reason: 'It copied another book.' }
const trusted = { standing: 'trusted', reason: 'It was a mix-up.' }

/** The source gets the name that all claims cite. */
export const cited = (b: Base) => patch('dev', source(b), { name: said.source_citation })
export const withdrawn = (b: Base) => post('expert', source(b, 'question/'), why)
const ruled = (b: Base, verdict = 'accept') => ({
  entity_ids: [b.open.cultural_entity_id, b.second.cultural_entity_id],
  verdict,
  note: 'As planned.',
})
export const ruling = (b: Base, who: string, verdict?: string) =>
  post(who, source(b, 'question/decide/'), ruled(b, verdict))
/** Another cluster, of another record. */
export const another = (b: Base) =>
  post('curator', '/cidoc/entity-clusters/', {
    canonical_label: 'Dattatreya',
    type_scope: 'structure',
    members: [member(b.second)],
  })
/** The cluster has two members. */
const paired = (b: Base) => patch('curator', cluster(b, ''), { members: [member(b.open), member(b.second)] })

export const truthRows: readonly Row[] = [
  ['withdraw a source', 200, 'expert', 'POST', (b) => source(b, 'question/'), () => why, (b) => [cited(b)]],
  [
    'decide on what rests on a source',
    200,
    'curator',
    'POST',
    (b) => source(b, 'question/decide/'),
    (b) => ruled(b),
    (b) => [cited(b), withdrawn(b)],
  ],
  [
    'trust a source again',
    200,
    'expert',
    'POST',
    (b) => source(b, 'question/'),
    () => trusted,
    (b) => [cited(b), withdrawn(b), ruling(b, 'curator')],
  ],
  ['cite a question', 201, 'other', 'POST', () => '/data/citations/', () => ({ of: '/cidoc/structures/' })],
  [
    'merge clusters',
    200,
    'curator',
    'POST',
    (b) => cluster(b, 'merge/'),
    (b, [made]) => ({
      source_cluster_id: made?.body.id,
      reason: 'One thing.',
      expected_version: b.cluster.version,
    }),
    (b) => [another(b)],
    { namesVersion: true },
  ],
  [
    'split a cluster',
    200,
    'curator',
    'POST',
    (b) => cluster(b, 'split/'),
    (b) => ({ groups: [[b.open.id], [b.second.id]], reason: 'Two things.', expected_version: b.cluster.version + 1 }),
    (b) => [paired(b)],
    { namesVersion: true },
  ],
]
