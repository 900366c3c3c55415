import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { beforeAll, describe, expect, test } from 'vitest'
import { fits } from '../../deploy/rehearse/aws/patterns.ts'
import { loadFunctions } from '../../deploy/stack.ts'
import { loadProjector } from '../../local/service/followers.ts'
import { type App, openApp } from '../harness/app.ts'
import { type Following, followTable } from '../harness/following.ts'
import { contribute, publish, sure } from '../harness/make.ts'

// What the projector follows is said by the code (`followedTypes`). What the platform lets through is said by the filters of its
// event source. A change that is followed and dropped would be lost without a trace.

let app: App
let stream: Following
let followed: readonly string[]
beforeAll(async () => {
  app = await openApp()
  stream = await followTable()
  ;({ followedTypes: followed } = await import('../../lib/domain/effects/project.ts'))
})

const { wants } = loadProjector()
const patterns: readonly object[] = Object(loadFunctions().projector?.events)[0].stream.filterPatterns

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>
const image = (item: object): Image => marshall(item) as Image
const change = (before: object | undefined, after: object | undefined): DynamoDBRecord => ({
  dynamodb: { ...(before && { OldImage: image(before) }), ...(after && { NewImage: image(after) }) },
})

/** Both readers of the filters must agree: that of the local service, and that of the rehearsal. */
function isLetThrough(record: DynamoDBRecord): boolean {
  const here = wants(record)
  expect(patterns.some((pattern) => fits(pattern, record))).toBe(here)
  return here
}

const relation = { common: { object_entity_type: 'person' } }
const itemOf = (type: string) => ({ type, ...(type === 'claims' && relation) })
/** The before-image of an item in a two-phase commit. Its deletion tells of the change. */
const stagedOf = (type: string) => ({ ...itemOf(type), type: 'staged', staged_type: type, staged_as: 'before' })

test('has no more patterns than an account allows', () => {
  expect(patterns.length).toBeLessThanOrEqual(5)
})

test('lets through each type that the projector follows: written, changed, deleted, and changed by a two-phase commit', () => {
  expect(followed.length).toBeGreaterThan(15)
  for (const type of followed) {
    const item = itemOf(type)
    expect([type, isLetThrough(change(undefined, item))]).toEqual([type, true])
    expect([type, isLetThrough(change(item, item))]).toEqual([type, true])
    expect([type, isLetThrough(change(item, undefined))]).toEqual([type, true])
    expect([type, isLetThrough(change(stagedOf(type), undefined))]).toEqual([type, true])
  }
})

test('lets through the parts of a two-phase commit when they go, which tell of items that it made', () => {
  expect(isLetThrough(change({ type: 'large_part' }, undefined))).toBe(true)
  expect(isLetThrough(change(undefined, { type: 'large_part' }))).toBe(false)
})

test('drops all other types, so that they cost no call', () => {
  const others = [
    'counter',
    'naming',
    'register',
    'lock',
    'lateness',
    'notification',
    'session',
    'cached',
    'link',
    'large',
    'staged',
  ]
  for (const type of [...others, '', 'recordx'])
    for (const record of [change(undefined, { type }), change({ type }, { type }), change({ type }, undefined)])
      expect([type, isLetThrough(record)]).toEqual([type, false])
  // What the projector notes of its own progress has no type.
  expect(isLetThrough(change(undefined, { pk: 'PROGRESS', n: 1 }))).toBe(false)
})

describe('of what people really do', () => {
  test('nothing is dropped that the projector would act on', async () => {
    const [predicate] = (await app.anon.get('/cidoc/relationship-predicates/')).body.results
    const town = await publish(app, 'locations', { name: 'Patan' })
    const place = await publish(app, 'structures', { name: 'Krishna Mandir', note: 'Of stone' })
    const about = { entity_type: 'structure', entity_id: place.id, source_type: 'book' }
    const related = { object_entity_type: 'location', object_entity_id: String(town.id) }
    const claim = { ...about, ...related, asserted_property: `relationship.${predicate.code}`, asserted_value: '' }
    sure(201, await app.curator.post('/cidoc/assertions/', { body: claim }))
    const plain = { asserted_property: 'note', asserted_value: 'Of brick' }
    sure(201, await app.other.post('/cidoc/assertions/', { body: { ...about, ...plain } }))
    const thread = `/data/entities/${place.cultural_entity_id}/comments/`
    sure(201, await app.other.post(thread, { body: { comment: 'I have seen it.' } }))
    const gone = await contribute(app.contributor, 'structures', { name: 'A shrine that goes' })
    sure(204, await app.contributor.delete(`/cidoc/structures/${gone.id}/`))
    sure(201, await app.contributor.post('/data/projects/', { body: { slug: 'walls', title: 'Walls' } }))

    const records = await stream.take()
    const { claimsIn } = await import('../../lib/domain/records/claim-packs.ts')
    const typeOf = ({ dynamodb }: DynamoDBRecord) =>
      String(unmarshall(Object(dynamodb?.NewImage ?? dynamodb?.OldImage)).type)
    /** Claims make links between records only where they name another record. */
    const relates = ({ dynamodb }: DynamoDBRecord) =>
      [dynamodb?.OldImage, dynamodb?.NewImage].some(
        (it) => it && claimsIn(unmarshall(Object(it))).some((claim) => claim.object_entity_type !== null),
      )
    const acted = records.filter((it) => followed.includes(typeOf(it)) && (typeOf(it) !== 'claims' || relates(it)))
    expect(new Set(acted.map(typeOf))).toEqual(
      new Set([
        'user',
        'record',
        'claims',
        'revision',
        'decision',
        'activity',
        'comment',
        'project',
        'project_activity',
        'queue_by_age',
      ]),
    )
    expect(acted.filter((it) => !isLetThrough(it)).map(typeOf)).toEqual([])
    const others = records.filter((it) => !acted.includes(it))
    expect(others.length).toBeGreaterThan(20)
    expect(others.filter(isLetThrough).map(typeOf)).toEqual([])
  })
})
