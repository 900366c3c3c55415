import { readFileSync } from 'node:fs'
import { drawingOf } from '../../lib/doors/iiif/request.ts'
import { drawImage } from '../../lib/engines/media/drawing.ts'

/** Draws one image in a process that does nothing else, and tells what it took. `PATH WIDTH HEIGHT REQUEST`. */
const [path = '', width, height, request = ''] = process.argv.slice(2)
const [region = '', size = '', rotation = '', file = ''] = request.split('/')
const idle = process.memoryUsage.rss()
const before = process.cpuUsage()
const started = performance.now()
const bytes = await drawImage(
  readFileSync(path),
  drawingOf({ width: Number(width), height: Number(height) }, { region, size, rotation, file }),
)
const { user, system } = process.cpuUsage(before)
process.send?.({
  idle,
  // In kilobytes, as the system counts.
  peak: process.resourceUsage().maxRSS * 1024,
  ms: performance.now() - started,
  cpu: (user + system) / 1000,
  bytes: bytes.length,
})
