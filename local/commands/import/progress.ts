export type Progress = {
  /** So many of all are done; `what` says with what. */
  show: (what: string, done: number, total: number) => void
  end: () => void
}

const WIDTH = 30
const LINE_MS = 5000

/** Shows on stderr how far a run is, how fast it goes and how long it will take: a bar on a terminal, elsewhere a line every five seconds. */
export function progressOf(
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  clock = () => performance.now(),
): Progress {
  let begun: { at: number; done: number; total: number } | undefined
  let told = clock()
  let longest = 0
  return {
    show: (what, done, total) => {
      if (begun?.total !== total || done < begun.done) begun = { at: clock(), done, total }
      const text = `${what} ${done}/${total}${paceOf(done - begun.done, total - done, clock() - begun.at)}`
      if (out.isTTY) {
        const full = total === 0 ? 0 : Math.round((done / total) * WIDTH)
        const bar = `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${text}`
        out.write(`\r${bar.padEnd(longest)}`)
        longest = Math.max(longest, bar.length)
      } else if (clock() - told >= LINE_MS) {
        told = clock()
        out.write(`${text}\n`)
      }
    },
    end: () => {
      if (out.isTTY && longest > 0) out.write('\n')
    },
  }
}

/** How many rows a second, and how long the rest takes at this pace; nothing while that cannot be known. */
function paceOf(done: number, left: number, ms: number): string {
  if (done <= 0 || ms < 1000) return ''
  const rate = done / (ms / 1000)
  return `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} rows/s, ${clockOf(left / rate)} left`
}

/** Seconds as minutes and seconds, or with hours. */
function clockOf(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (number: number) => String(number).padStart(2, '0')
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}
