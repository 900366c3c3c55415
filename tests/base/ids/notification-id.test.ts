import { describe, expect, test } from 'vitest'
import { firstIdAt, isNotificationId, notificationId } from '../../../lib/base/ids/notification-id.ts'

const at = Date.parse('2025-01-15T10:00:00Z')

describe('the id of a notification', () => {
  test('is eleven letters and digits, the same for the same event of the same moment', () => {
    expect(notificationId(at, 'one')).toMatch(/^[0-9A-Za-z]{11}$/)
    expect(notificationId(at, 'one')).toBe(notificationId(at, 'one'))
    expect(notificationId(at, 'one')).not.toBe(notificationId(at, 'two'))
    expect(isNotificationId(notificationId(at, 'one'))).toBe(true)
    for (const text of ['', 'abc', 'GONE#000000', `${notificationId(at, 'one')}x`])
      expect(isNotificationId(text)).toBe(false)
  })

  test('sorts by time, whatever the event', () => {
    const times = [0, 61, 62, at - 1, at, at + 1, at + 36, at + 100_000, Date.parse('8888-01-01')]
    const ids = times.map((time, i) => notificationId(time, `event ${i}`))
    expect([...ids].sort()).toEqual(ids)
  })

  test('lies at or above the first of its moment, and below the first of the next', () => {
    for (let i = 0; i < 2000; i += 1) {
      const id = notificationId(at, `event ${i}`)
      expect(id >= firstIdAt(at) && id < firstIdAt(at + 1)).toBe(true)
    }
  })

  test('keeps most events of one moment apart', () => {
    const ids = new Set(Array.from({ length: 200 }, (_, i) => notificationId(at, `event ${i}`)))
    expect(ids.size).toBeGreaterThan(198)
  })
})
