import { openApp } from '../app.ts'
import { newProject } from '../asset-world.ts'
import { sure } from '../make.ts'

/** A process that completes uploads and nothing else, for measuring what that takes. */
const app = await openApp({ env: { RATE_UPLOADS: '1000/day' } })
const assets = await newProject(app)
let begun = ''

type Asked = { begin?: object; complete?: true }
process.on('message', async ({ begin }: Asked) => {
  if (begin) {
    const made = sure(201, await app.contributor.post(`${assets}uploads/`, { body: begin }))
    begun = made.asset_id
    process.send?.(made.upload)
    return
  }
  global.gc?.()
  await new Promise((done) => setTimeout(done, 200))
  const idle = process.memoryUsage.rss()
  let peak = idle
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 2)
  const started = performance.now()
  const { status } = await app.contributor.post(`${assets}uploads/${begun}/complete/`, { body: {} })
  const ms = performance.now() - started
  clearInterval(watch)
  process.send?.({ status, idle, peak: Math.max(peak, process.memoryUsage.rss()), ms })
})
process.send?.('ready')
