import { createHash } from 'node:crypto'

/**
 * The id of a notification: 8 characters for the milliseconds, 3 derived from the event. The same event and time always give the same id, so
 * a repeated notification is stored once. Ids sort by time in the order of ASCII (until the year 8888).
 */
export const notificationId = (milliseconds: number, event: string): string =>
  toBase62(milliseconds, 8) + toBase62(2 * (createHash('sha256').update(event).digest().readUIntBE(0, 6) % HALF), 3)

/**
 * The id of the nth announcement. Its last three characters are an odd number, and those of a notification an even one. So the two are
 * never equal.
 */
export const announcementId = (milliseconds: number, nth: number): string =>
  toBase62(milliseconds, 8) + toBase62(2 * (nth % HALF) + 1, 3)

/** Half of the numbers that three digits in base 62 can write. Even numbers are for notifications, odd ones for announcements. */
const HALF = 62 ** 3 / 2

/** The smallest id of this millisecond. Every earlier id is smaller. */
export const firstIdAt = (milliseconds: number): string => toBase62(milliseconds, 8) + toBase62(0, 3)

/** Whether a text has the form of the id of a notification. */
export const isNotificationId = (text: string): boolean => /^[0-9A-Za-z]{11}$/.test(text)

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The last digits of a number in base 62. */
function toBase62(number: number, digits: number): string {
  let text = ''
  for (let rest = number; text.length < digits; rest = Math.floor(rest / LETTERS.length))
    text = LETTERS.charAt(rest % LETTERS.length) + text
  return text
}
