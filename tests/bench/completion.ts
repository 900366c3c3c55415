import { openApp } from '../harness/app.ts'
import { newProject } from '../harness/asset-world.ts'
import { sure } from '../harness/make.ts'
import { watched } from './tools/watched.ts'

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
  const complete = () => app.contributor.post(`${assets}uploads/${begun}/complete/`, { body: {} })
  const { value, ...figures } = await watched(complete)
  process.send?.({ status: value.status, ...figures })
})
process.send?.('ready')
