import { expect, test } from 'vitest'
import { placeInPack } from '../../../lib/base/ids/address.ts'
import { unpackClaims } from '../../../lib/domain/records/claim-packs.ts'

test('the claims of a pack come in the order of their ids, however the table keeps them', () => {
  const pack = '00000000-0000-7000-8000-000000000000'
  const claims = Object.fromEntries([3, 0, 255, 16].map((at) => [`property ${at}`, { at, value: at }]))
  const unpacked = unpackClaims({ pack, entity_id: 'any', audience: 'published', common: {}, claims, version: 1 })
  expect(unpacked.map(({ id, asserted_property }) => [placeInPack(id), asserted_property])).toEqual(
    [0, 3, 16, 255].map((at) => [at, `property ${at}`]),
  )
})
