import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveHandlers } from './gateway.ts'
import { work } from './imports.ts'

type Ended = { code: number | null; out: string; err: string }

/** Runs `npm run import` as operators type it, against the service of `openApp` on a port. The worker of imports runs ten times a second. */
export async function openCommand() {
  const service = await serveHandlers()
  const directory = await mkdtemp(join(tmpdir(), 'heritage-import-'))
  let files = 0
  const begin = (args: readonly string[], base = service.origin): { child: ChildProcess; ended: Promise<Ended> } => {
    const child = spawn(process.execPath, ['local/commands/import.ts', '--base', base, ...args], { env: process.env })
    const printed = { out: '', err: '' }
    child.stdout.on('data', (part) => {
      printed.out += part
    })
    child.stderr.on('data', (part) => {
      printed.err += part
    })
    return { child, ended: new Promise((done) => child.on('close', (code) => done({ code, ...printed }))) }
  }
  const worker = repeatedWorker()
  worker.start()
  return {
    origin: service.origin,
    directory,
    /** Writes a new file whose name ends in `name`. Returns its path. */
    file: async (name: string, bytes: string | Uint8Array): Promise<string> => {
      files += 1
      const path = join(directory, `${files}-${name}`)
      await writeFile(path, bytes)
      return path
    },
    begin,
    command: (...args: string[]) => begin(args).ended,
    worker,
    stop: async () => {
      await worker.stop()
      await service.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Runs the worker of imports ten times a second, between `start` and `stop`. */
function repeatedWorker() {
  let now = { comes: true, ended: Promise.resolve() }
  return {
    start: () => {
      const mine = { comes: true, ended: Promise.resolve() }
      now = mine
      mine.ended = (async () => {
        while (mine.comes) {
          await work()
          await new Promise((done) => setTimeout(done, 100))
        }
      })()
    },
    stop: async () => {
      now.comes = false
      await now.ended
    },
  }
}
