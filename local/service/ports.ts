import { readdir, readFile, readlink } from 'node:fs/promises'
import { canListen } from '../../deploy/stand-ins/free-port.ts'
import { settingFor } from './settings.ts'

/** Throws if a wanted port is busy. One sentence names each, who listens there, and the setting that changes it. */
export async function ensureFree(wanted: Readonly<Record<string, number>>): Promise<void> {
  const busy: string[] = []
  for (const [what, port] of Object.entries(wanted)) {
    if (await canListen(port)) continue
    const owner = await ownerOf(port)
    const setting = settingFor(what)
    const advice = setting && `; stop that, or set ${setting} to another port`
    busy.push(`port ${port} (${what}) is busy${owner ? `: ${owner}` : ''}${advice ?? ''}`)
  }
  if (busy.length > 0) throw new Error(`${busy.join('. ')}.`)
}

/** The command and process id of whoever listens on a port. Undefined without /proc, and for processes of other users. */
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
