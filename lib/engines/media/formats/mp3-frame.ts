/** A sound frame of MPEG layer III. `rate` is in hertz, `length` in bytes with the header. */
export type SoundFrame = { version: 1 | 2 | 2.5; rate: number; channels: 1 | 2; length: number; samples: number }

/** Parses the four bytes of a frame header (ISO 11172-3). Undefined if they are not a header of MPEG layer III. */
export function parseFrame(head: number): SoundFrame | undefined {
  if (head >>> 21 !== 0x7ff) return undefined
  const version = versions[(head >>> 19) & 3]
  const layer = (head >>> 17) & 3
  const rate = rates[(head >>> 10) & 3]
  // The length of a frame with a free bit rate is unknown. Emphasis 2 is reserved.
  const kbits = (version === 1 ? kbits1 : kbits2)[(head >>> 12) & 15]
  if (version === undefined || layer !== 1 || rate === undefined || !kbits || (head & 3) === 2) return undefined
  const hertz = rate / (version === 1 ? 1 : version === 2 ? 2 : 4)
  const samples = version === 1 ? 1152 : 576
  const padding = (head >>> 9) & 1
  const length = Math.floor(((samples / 8) * kbits * 1000) / hertz) + padding
  return { version, rate: hertz, channels: ((head >>> 6) & 3) === 3 ? 1 : 2, length, samples }
}

const versions = [2.5, undefined, 2, 1] as const
const rates = [44_100, 48_000, 32_000, undefined] as const
const kbits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const kbits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
