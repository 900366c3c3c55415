import { expect, test } from 'vitest'
import { openApp } from '../../harness/app.ts'
import { contribute, publish } from '../../harness/make.ts'

/** What a counter's item may weigh, so that adding to it costs a transaction two units. */
const KILOBYTE = 1024

test('every list that a contribution enters has a size of its own, in items that stay small', async () => {
  const app = await openApp()
  const { sizeOf, sizesIn } = await import('../../../lib/engines/table/counters.ts')
  const { scanCounters } = await import('../../../lib/engines/table/scan.ts')
  await contribute(app.contributor, 'structures', { name: 'Counted pavilion' })
  await contribute(app.other, 'structures', { name: 'Counted shrine' })
  await publish(app, 'deities', { name: 'Counted deity' })
  const {
    activityTypes,
    activityList,
    decisionList,
    flagList,
    flagTypes,
    listsOf,
    ownFlagList,
    revisionList,
    recordVisibilities,
  } = await import('../../../lib/domain/records/items.ts')
  const { historyAudiences } = await import('../../../lib/base/visibility.ts')
  const { assertionList } = await import('../../../lib/domain/records/claim-packs.ts')
  const { queueLists: queues } = await import('../../../lib/domain/records/queue-entry.ts')
  const { queueTypes } = await import('../../../lib/domain/records/rules/triage.ts')
  const users = ['b0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000002']
  const flagFilters = [undefined, ...flagTypes].flatMap((flag_type) =>
    [undefined, true, false].map((is_resolved) => ({ flag_type, is_resolved })),
  )
  const types = [undefined, ...activityTypes]
  const lists = [
    ...recordVisibilities.flatMap((it) => [
      listsOf.every(it),
      listsOf.kind('structure', it),
      listsOf.kind('entity:other', it),
    ]),
    ...['pending', 'accepted', 'disputed', 'superseded'].flatMap((status) => [
      ...historyAudiences.map((audience) => assertionList(status, audience)),
    ]),
    ...flagFilters.flatMap((filter) => [
      ...historyAudiences.map((audience) => flagList(audience, filter)),
      ...users.map((user) => ownFlagList(user, filter)),
    ]),
    ...historyAudiences.flatMap((audience) =>
      [undefined, ...users].flatMap((user) => types.map((type) => activityList(audience, user, type))),
    ),
    ...queueTypes.flatMap((type) => [queues.size(type), queues.size(type, 'monument')]),
    ...users.flatMap((user) => [
      ...recordVisibilities.map((it) => listsOf.owner(user, it)),
      ...[decisionList(user), decisionList(user, 'accept'), revisionList(user)],
    ]),
  ]
  const places = lists.map((list) => JSON.stringify(sizeOf(list)))
  expect(new Set(places).size).toBe(lists.length)
  // What one person does is in no item that others write.
  const shared = (user: string) => new Set(lists.filter((it) => it.includes(user)).map((it) => sizeOf(it).group))
  expect([...shared(users[0] ?? '')].filter((group) => shared(users[1] ?? '').has(group))).toEqual([])
  // What everyone adds to, full, with a million in each list.
  const everyones = lists.filter((it) => !users.some((user) => it.includes(user))).map(sizeOf)
  const items = Map.groupBy(everyones, ({ group, sk }) => `COUNT#${group}#0 ${sk ?? 'HEAD'}`)
  for (const [at, sizes] of items) {
    const bytes = sizes.reduce((sum, { attribute }) => sum + attribute.length + 5, `pk sk ${at}`.length)
    expect([at, bytes < KILOBYTE]).toEqual([at, true])
  }
  for (const item of (await Array.fromAsync(scanCounters())).flat()) {
    expect([item.pk, sizesIn(item).length > 0]).toEqual([item.pk, true])
    expect([item.pk, JSON.stringify(item).length < KILOBYTE]).toEqual([item.pk, true])
  }
})
