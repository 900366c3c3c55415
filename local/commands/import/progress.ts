export type Progress = {
  /** Shows that `done` of `total` are done; `what` names the step. */
  show: (what: string, done: number, total: number) => void
  end: () => void
}

const WIDTH = 30
const LINE_MS = 5000

/** Shows progress, pace and remaining time on stderr: a bar on a terminal, else a line every five seconds. */
export function startProgress(
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

/** Rows per second and remaining time; empty in the first second. */
function paceOf(done: number, left: number, ms: number): string {
  if (done <= 0 || ms < 1000) return ''
  const rate = done / (ms / 1000)
  return `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} rows/s, ${clockOf(left / rate)} left`
}

/** Seconds as `1:05` or `2:01:05`. */
function clockOf(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (number: number) => String(number).padStart(2, '0')
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}
