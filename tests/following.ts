import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Pump, startPump } from '../local/pump.ts'
import type { App } from './app.ts'
import { contribute } from './make.ts'

/** The projector at work on the stream of a test's table. */
export type Following = {
  /** Waits until everything that was written before has reached search. */
  settled: () => Promise<void>
  /** Holds the projector up while `work` runs. */
  paused: (work: () => Promise<void>) => Promise<void>
  stop: () => Promise<void>
}

/**
 * The projector for the table of an app. It works all the time, or, where it would disturb what is measured, only while
 * something waits for it to settle.
 */
export async function followTable(app: App, works: 'always' | 'when waited for' = 'always'): Promise<Following> {
  const { handler } = await import('../functions/projector.ts')
  const directory = await mkdtemp(join(tmpdir(), 'heritage-pump-'))
  const { DYNAMODB_ENDPOINT: endpoint = '', TABLE_NAME: table = '' } = process.env
  const begin = () => startPump({ endpoint, table, directory, rest: 25 }, handler)
  let pump: Pump | undefined = works === 'always' ? begin() : undefined
  let marks = 0
  return {
    settled: async () => {
      // Effects come in order: once this one has been seen, all earlier ones have been. It is hidden, and moves nothing public.
      marks += 1
      const { id } = await contribute(app.contributor, 'calendar_systems', { name: `Qzmark ${marks}` })
      const query = { q: 'qzmark', resource: 'calendar_systems', published: 'false', page_size: 50 }
      const look = async () => {
        const { body } = await app.staff.get('/data/search/', { query })
        const found = body.results?.some((it: { id: string }) => it.id === String(id))
        if (!found) throw new Error(`mark ${marks} is not searchable yet`)
      }
      const passing = pump ? undefined : begin()
      try {
        await vi.waitFor(look, { timeout: 15_000, interval: 25 })
      } finally {
        await passing?.stop()
      }
    },
    paused: async (work) => {
      await pump?.stop()
      try {
        await work()
      } finally {
        pump = begin()
      }
    },
    stop: async () => {
      await pump?.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
