import { buildSnapshot } from '../../../lib/engines/search/index/build.ts'
import { documents } from './fill.ts'
import { readRows } from './rows.ts'

// A process that makes a snapshot, `node build.ts PATH SIZE`, and says what that took: seconds, processor time, memory at most.
const [path = '', size = '0'] = process.argv.slice(2)
const built = await buildSnapshot(path, documents(readRows(), Number(size)), 0)
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
const spent = { seconds: performance.now() / 1000, cpu: (userCPUTime + systemCPUTime) / 1e6, rss: maxRSS * 1024 }
process.stdout.write(JSON.stringify({ built, ...spent }))
