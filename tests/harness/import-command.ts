import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveHandlers } from './gateway.ts'
import { work } from './imports.ts'

type Ended = { code: number | null; out: string; err: string }

/** `npm run import` as operators type it, against the service of `openApp` behind a socket, with a worker that comes by. */
export async function openCommand() {
  const service = await serveHandlers()
  const directory = await mkdtemp(join(tmpdir(), 'heritage-import-'))
  let files = 0
  const begin = (args: readonly string[], base = service.origin): { child: ChildProcess; ended: Promise<Ended> } => {
    const child = spawn(process.execPath, ['local/commands/import.ts', '--base', base, ...args], { env: process.env })
    const told = { out: '', err: '' }
    child.stdout.on('data', (part) => {
      told.out += part
    })
    child.stderr.on('data', (part) => {
      told.err += part
    })
    return { child, ended: new Promise((done) => child.on('close', (code) => done({ code, ...told }))) }
  }
  const worker = comingBy()
  worker.start()
  return {
    origin: service.origin,
    directory,
    /** A file of its own, which ends so. */
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

/** The worker of imports, ten times a second. */
function comingBy() {
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
