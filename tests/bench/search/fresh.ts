import { ModelFollower } from '../../../lib/engines/search/model/follower.ts'

// A process that begins with nothing: fetches the snapshot, opens it, answers once, and says what that took.
const model = await new ModelFollower().model()
const { count } = await model.search({
  text: 'shiva mandir',
  scope: { signedIn: false, everything: false, own: null },
  limit: 10,
})
const seconds = performance.now() / 1000
const { user, system } = process.cpuUsage()
process.stdout.write(JSON.stringify({ seconds, cpu: (user + system) / 1e6, count, rss: process.memoryUsage().rss }))
process.exit(0)
