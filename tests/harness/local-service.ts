import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../deploy/stand-ins/free-port.ts'
import { portSettings } from '../../local/service/settings.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { bareEnvironment } from './bare-environment.ts'
import { makeQuickFolder } from './quick-folder.ts'

export type LocalService = {
  origin: string
  idp: string
  pid: number
  /** The text that the service has printed so far. */
  output: () => string
  /** The settings of its start: its ports and its folder. */
  settings: Readonly<Record<string, string>>
  stop: () => Promise<void>
}

/** Finds a free port for each server of the local service. Returns them as settings. */
export async function freePorts(): Promise<Record<string, string>> {
  const names = Object.keys(portSettings)
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())])))
}

/** Spawns `npm start` in the folder of a project with these settings. It inherits no settings of the tests, so it starts its own emulator and table. */
export function spawnStart(
  settings: Readonly<Record<string, string>>,
  cwd = process.cwd(),
): { child: ChildProcess; output: () => string } {
  const [, ...args] = packageJson.scripts.start.split(' ')
  const child = spawn(process.execPath, args, {
    env: { ...bareEnvironment, ...settings },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  return { child, output: () => output }
}

/** Starts the whole local service by `npm start`, on free ports and with its own folder. `root` is the folder of another copy of the project. */
export async function startService(more: Readonly<Record<string, string>> = {}, root?: string): Promise<LocalService> {
  const folder = await makeQuickFolder('local')
  const settings: Record<string, string> = { LOCAL_DATA: folder, ...(await freePorts()), ...more }
  const { child, output } = spawnStart(settings, root)
  const gone = once(child, 'exit')
  while (!output().includes('The service is ready')) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The service ended: ${output()}`)
    await sleep(50)
  }
  return {
    origin: `http://localhost:${settings.PORT}`,
    idp: `http://localhost:${settings.IDP_PORT}`,
    pid: child.pid ?? 0,
    output,
    settings,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Stops a service as Ctrl-C does: all processes of its group are interrupted at once. Answers its processes in the order in which they ended,
 * each by the first of `names` that its command contains. Linux only.
 */
export async function endingsOf({ pid, stop }: LocalService, names: readonly string[]): Promise<string[]> {
  const all = descendantsOf(pid)
  const group = fieldOf(pid, PROCESS_GROUP)
  const left = all.flatMap((it) => {
    const command = readFileSync(`/proc/${it}/cmdline`, 'utf8')
    const name = names.find((each) => command.includes(each))
    return name ? [{ it, name }] : []
  })
  const ended: string[] = []
  let [isOver, isLast] = [false, false]
  for (const it of [...all.filter((each) => fieldOf(each, PROCESS_GROUP) === group), pid]) process.kill(it, 'SIGINT')
  const stopped = stop().finally(() => {
    isOver = true
  })
  for (let remaining = left; remaining.length > 0 && !isLast; await sleep(1)) {
    isLast = isOver
    const gone = remaining.filter(({ it }) => !existsSync(`/proc/${it}`))
    remaining = remaining.filter((each) => !gone.includes(each))
    // What is gone since the last look ended at one time, as far as can be told.
    ended.push(...gone.map(({ name }) => name).sort((a, b) => names.indexOf(a) - names.indexOf(b)))
  }
  await stopped
  return ended
}

/** The processes that a process has begun, and those that they have begun. */
function descendantsOf(pid: number): number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  const parents = new Map(all.map((it) => [it, fieldOf(it, PARENT)]))
  const isBelow = (it: number): boolean => {
    const parent = parents.get(it) ?? 0
    return parent === pid || (parent > 1 && isBelow(parent))
  }
  return all.filter(isBelow)
}

/** Fields of `/proc/PID/stat` behind the name of the command. */
const [PARENT, PROCESS_GROUP] = [2, 3]
function fieldOf(pid: number, field: number): number {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(facts.slice(facts.lastIndexOf(')')).split(' ')[field])
  } catch {
    return 0
  }
}
