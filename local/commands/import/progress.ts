export type Progress = { advance: () => void; end: () => void }

/** Shows on stderr how far a run is: a bar on a terminal, elsewhere a line every five seconds. */
export function progressOf(total: number, out: NodeJS.WriteStream = process.stderr): Progress {
  let done = 0
  const bar = () => {
    const width = 30
    const full = total === 0 ? width : Math.round((done / total) * width)
    out.write(`\r[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${done}/${total}`)
  }
  const timer = out.isTTY ? undefined : setInterval(() => out.write(`${done}/${total}\n`), 5000)
  timer?.unref()
  return {
    advance: () => {
      done += 1
      if (out.isTTY) bar()
    },
    end: () => {
      clearInterval(timer)
      if (out.isTTY) out.write('\n')
    },
  }
}
