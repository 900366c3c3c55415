import { move, publish, said, verdict } from './base.ts'
import { at, patch, post, type Row } from './operation.ts'
import type { World } from './world/world.ts'

/** Questions: what they need must be read before they are answered, and some make the service keep something, answers in the cache and tables in the bucket. */
const reads = (
  name: string,
  who: string | null,
  path: Row[4],
  { gives = 200, says, before }: { gives?: number; says?: RegExp; before?: Row[6] } = {},
): Row => [name, gives, who, 'GET', path, undefined, before, { changes: false, ...(says && { says }) }]

/** A day later what has changed is packed. */
async function packed(world: World, name: string): Promise<void> {
  await publish(world, 'structures', { name })
  await world.settle()
  world.time.advance(2 * 86_400_000)
  await world.function('sweeper', { chores: 'seldom' })
}

export const readingRows: readonly Row[] = [
  [
    'search when all that was known is packed away',
    ...([200, null, 'GET', () => '/data/search/?q=newest', undefined] as const),
    () => [
      { who: null, method: 'GET', path: '/data/search/?q=temple' },
      {
        does: async (world: World) => {
          await packed(world, 'First gate')
          await packed(world, 'Second gate')
          await packed(world, 'Third gate')
          await publish(world, 'structures', { name: 'Newest gate' })
        },
      },
    ],
    { changes: false, says: /Newest gate/ },
  ],
  reads('list what was read', 'dev', () => '/data/notifications/?is_read=true&limit=2'),
  // The newest that is announced to reviewers is what the one who asks has done.
  reads('list what others have done', 'curator', () => '/data/notifications/?limit=1', {
    says: /"results":\[\{/,
    before: () => [post('curator', '/cidoc/structures/', { name: 'Of a reviewer', assertion: said })],
  }),
  reads('see the board', null, () => '/data/leaderboard/'),
  reads('list as of a moment', null, () => '/cidoc/structures/?at=2025-01-15T10:00:30Z', {
    says: /Dattatreya Temple/,
    before: (b) => [
      patch('dev', `/cidoc/structures/${b.second.id}/`, { name: 'Dattatreya Math', assertion: said }),
      verdict(b.second, { verdict: 'accept' }),
    ],
  }),
  reads('list what one works on', 'other', () => '/data/projects/?limit=1', {
    before: (b) => [post('dev', at(b.projects.draft, 'memberships/'), { user_id: b.ids.other, role: 'editor' })],
  }),
  reads('look whether it is ready', null, () => '/health/ready/'),
  reads('look at its health in detail', 'staff', () => '/health/detailed/'),
  reads('measure', null, () => '/metrics/'),
  [
    'look for people',
    ...([200, 'staff', 'GET', () => '/data/platform-admin/users/?search=dev', undefined, undefined] as const),
    { changes: false, spares: /^S3 GET/ },
  ],
  reads('see what a merge would do', 'expert', (b) => at(b.projects.approved, 'merge-preview/')),
  reads(
    'see what a merge would do of which a part is shown',
    'expert',
    (b) => at(b.projects.ready, 'merge-preview/?limit=1'),
    {
      says: /"planned":2/,
      before: (b) => [
        post('dev', at(b.projects.ready, 'entities/'), { entity: b.pending.cultural_entity_id }),
        move('dev', b.projects.ready, 'in_review'),
      ],
    },
  ),
  reads('harvest formats', null, (b) => `/data/oai/?verb=ListMetadataFormats&identifier=${b.open.cultural_entity_id}`),
  reads('list records', null, () => '/data/cultural-entities/'),
  reads('list records as they were', null, () => '/data/cultural-entities/?as_of=2025-01-15T10:00:30Z'),
  reads('search', null, () => '/data/search/?q=temple'),
  reads('take a table home', null, () => '/cidoc/deities/?format=csv&columns=name'),
  reads('take a long table home', null, () => '/data/cultural-entities/?format=csv&page_size=100', { gives: 303 }),
]
