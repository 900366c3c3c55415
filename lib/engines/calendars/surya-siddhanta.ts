/**
 * Sun and moon as the Surya Siddhanta reckons them; the almanacs of Nepal were made from its numbers. It takes the mean motion since the
 * creation, corrected by an epicycle whose size changes. Source: E. Dershowitz and N. Reingold, Calendrical Calculations, chapter on modern
 * Hindu calendars. Moments are days since 1970-01-01 with fractions, in the mean local time of Kathmandu.
 */

/** Days that the sun takes for one turn among the stars. */
export const SIDEREAL_YEAR = 365 + 279_457 / 1_080_000
/** The mean length of a lunar month, from new moon to new moon. */
const LUNAR_MONTH = 29.530587946
const SIDEREAL_MONTH = 27 + 4_644_439 / 14_438_334
const ANOMALISTIC_YEAR = 1_577_917_828_000 / (4_320_000_000 - 387)
const ANOMALISTIC_MONTH = 1_577_917_828 / (57_753_336 - 488_199)

/**
 * The longitude of Kathmandu east of Ujjain, as a part of a day. The Surya Siddhanta counts from midnight at Ujjain.
 */
const EAST_OF_UJJAIN = (85.32 - 75.77) / 360
/** The midnight with which the Kali age began: 18 February 3102 BCE (Julian). */
export const KALI = -1_852_122 + EAST_OF_UJJAIN
const SINCE_CREATION = 1_955_880_000 * SIDEREAL_YEAR

/** The sun's longitude among the stars, in degrees. */
export const sunLongitude = (moment: number): number =>
  trueLongitude(moment, { period: SIDEREAL_YEAR, anomalistic: ANOMALISTIC_YEAR, epicycle: 14 / 360, change: 1 / 42 })

/** How far the moon is ahead of the sun, in degrees: 0 at new moon, 180 at full moon. */
export const moonPhase = (moment: number): number =>
  normaliseAngle(
    trueLongitude(moment, {
      period: SIDEREAL_MONTH,
      anomalistic: ANOMALISTIC_MONTH,
      epicycle: 32 / 360,
      change: 1 / 96,
    }) - sunLongitude(moment),
  )

/** The moment near a guess (within ten days) at which the sun enters a longitude. */
export const whenSunReaches = (degrees: number, near: number): number =>
  zeroOf((moment) => sunLongitude(moment) - degrees, near, 10)

/** The first new moon at or after a moment. */
export function nextNewMoon(moment: number): number {
  const wait = ((360 - moonPhase(moment)) % 360) / 360
  const newMoon = zeroOf(moonPhase, moment + wait * LUNAR_MONTH, 3)
  return newMoon >= moment ? newMoon : zeroOf(moonPhase, moment + LUNAR_MONTH, 3)
}

const normaliseAngle = (degrees: number): number => ((degrees % 360) + 360) % 360

/**
 * The moment at which a growing angle passes 0, at most `within` days before or after the guess `near`. By bisection,
 * exact to a hundredth of a second.
 */
function zeroOf(angle: (moment: number) => number, near: number, within: number): number {
  let [low, high] = [near - within, near + within]
  while (high - low > 1e-7) {
    const middle = (low + high) / 2
    if (normaliseAngle(angle(middle)) < 180) high = middle
    else low = middle
  }
  return high
}

type Motion = { period: number; anomalistic: number; epicycle: number; change: number }

function trueLongitude(moment: number, { period, anomalistic, epicycle, change }: Motion): number {
  const offset = sine(meanAt(moment, anomalistic))
  const contraction = Math.abs(offset) * change * epicycle
  return normaliseAngle(meanAt(moment, period) - arcSine(offset * (epicycle - contraction)))
}

function meanAt(moment: number, period: number): number {
  const turns = (moment - KALI + SINCE_CREATION) / period
  return 360 * (turns - Math.floor(turns))
}

/** Degrees between two entries of the sine table: 225 minutes of arc. The table takes a radius of 3438 minutes. */
const STEP = 225 / 60
const table = Array.from({ length: 97 }, (_, k) => {
  const exact = 3438 * Math.sin((k * STEP * Math.PI) / 180)
  const error = 0.215 * Math.sign(exact) * Math.sign(Math.abs(exact) - 1716)
  return Math.round(exact + error) / 3438
})
const entry = (k: number): number => table[k] ?? 0

/** The sine by the table, linear between two entries. Takes degrees from 0 to 360. */
function sine(degrees: number): number {
  const position = degrees / STEP
  const below = Math.floor(position)
  return entry(below) + (position - below) * (entry(Math.min(96, below + 1)) - entry(below))
}

function arcSine(value: number): number {
  if (value < 0) return -arcSine(-value)
  let above = 1
  while (value > entry(above)) above += 1
  const below = entry(above - 1)
  return STEP * (above - 1 + (value - below) / (entry(above) - below))
}
