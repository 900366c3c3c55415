import { randomInt } from 'node:crypto'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer } from 'node:net'

/** Fails in one line that names each port of `wanted` that somebody else listens on, and who, where the system tells. */
export async function ensureFree(wanted: Readonly<Record<string, number>>): Promise<void> {
  const busy: string[] = []
  for (const [what, port] of Object.entries(wanted)) {
    if (await canListen(port)) continue
    const owner = await ownerOf(port)
    busy.push(`port ${port} (${what}) is busy${owner ? `: ${owner}` : ''}`)
  }
  if (busy.length > 0) throw new Error(`${busy.join('; ')}.`)
}

/**
 * A port that nobody listens on, and that the system gives to nobody by itself: those that it chooses for connections, and for who listens
 * on any, begin at 32768 (Linux) or higher. So it is still free when its use begins.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_768)
  if (given.has(port) || !(await canListen(port))) return freePort()
  given.add(port)
  return port
}

/** Each is given once. */
const given = new Set<number>()

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** The command and the process id of whoever listens on a port, from /proc; undefined on other systems and for other users' processes. */
async function ownerOf(port: number): Promise<string | undefined> {
  try {
    const hex = port.toString(16).toUpperCase().padStart(4, '0')
    const rows = `${await readFile('/proc/net/tcp', 'utf8')}\n${await readFile('/proc/net/tcp6', 'utf8')}`
    const inodes = rows
      .split('\n')
      .map((row) => row.trim().split(/\s+/))
      .filter(([, local, , state]) => state === LISTENING && local?.endsWith(`:${hex}`))
      .map((columns) => `socket:[${columns[9]}]`)
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const links = await openFiles(pid)
      if (links.some((link) => inodes.includes(link))) {
        const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, 2).join(' ')
        return `${command.trim()}, process ${pid}`
      }
    }
  } catch {
    return undefined
  }
  return undefined
}

const LISTENING = '0A'

async function openFiles(pid: string): Promise<string[]> {
  try {
    const names = await readdir(`/proc/${pid}/fd`)
    return await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
  } catch {
    return []
  }
}
