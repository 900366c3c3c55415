import { readdirSync, readFileSync } from 'node:fs'

/** What the processes of the service are called, by what stands in the line that began them. */
const names: readonly (readonly [string, RegExp])[] = [
  ['requests', /offline start/],
  ['background', /background\.ts/],
  ['pumps and doubles', /start\.ts/],
]

/** The memory of a process and of those below it that are the service's, in bytes; none where the system does not tell. */
export function residentUnder(pid: number): { name: string; bytes: number }[] {
  const below = new Set([pid])
  const found: { name: string; bytes: number }[] = []
  for (const each of processes()) {
    if (!below.has(each.pid) && !below.has(each.parent)) continue
    below.add(each.pid)
    const name = names.find(([, line]) => line.test(each.line))?.[0]
    if (name) found.push({ name, bytes: each.bytes })
  }
  return found
}

/** All processes, parents before their children. */
function processes() {
  const ids = readable(() => readdirSync('/proc'), [])
    .map(Number)
    .filter((id) => id > 0)
    .sort((a, b) => a - b)
  return ids.flatMap((pid) =>
    readable(() => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
      return [{ pid, parent: figure('PPid'), line, bytes: figure('VmRSS') * 1024 }]
    }, []),
  )
}

/** What ends while it is read is not there. */
function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
