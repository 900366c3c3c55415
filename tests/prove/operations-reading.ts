import { at, type Row } from './operation.ts'

/** Questions that make the service keep something: answers in the cache, tables in the bucket. */
const reads = (name: string, who: string | null, path: Row[4], gives = 200): Row => [
  name,
  gives,
  who,
  'GET',
  path,
  undefined,
  undefined,
  { changes: false },
]

export const readingRows: readonly Row[] = [
  reads('look whether it is ready', null, () => '/health/ready/'),
  reads('look at its health in detail', 'staff', () => '/health/detailed/'),
  reads('measure', null, () => '/metrics/'),
  reads('see what a merge would do', 'expert', (b) => at(b.projects.approved, 'merge-preview/')),
  reads('harvest formats', null, (b) => `/data/oai/?verb=ListMetadataFormats&identifier=${b.open.cultural_entity_id}`),
  reads('list records', null, () => '/data/cultural-entities/'),
  reads('list records as they were', null, () => '/data/cultural-entities/?as_of=2025-01-15T10:00:30Z'),
  reads('search', null, () => '/data/search/?q=temple'),
  reads('take a table home', null, () => '/cidoc/deities/?format=csv&columns=name'),
  reads('take a long table home', null, () => '/data/cultural-entities/?format=csv&page_size=100', 303),
]
