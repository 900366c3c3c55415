import { setTimeout as sleep } from 'node:timers/promises'
import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch'
import {
  deleteOldVersions,
  lambdaIn,
  moveTraffic,
  publishRelease,
  releasedFunctions,
  shareTraffic,
} from './releases.ts'

/** Alarms that take a release back if they begin to ring while it is tried. */
const judges = ['Canary', 'Faults', 'Slow', 'TableThrottled', 'FunctionsThrottled']
/** The share of requests that try a release. */
const SHARE = 0.1

export type Trial = {
  service: string
  region: string
  /** The name of the release: when it was made, and from what. */
  release: string
  /** How long a tenth of the requests tries it, in seconds. */
  seconds: number
  /** The pause between two looks at the alarms, in milliseconds. */
  pauseMs: number
}

/**
 * Publishes a release and lets a tenth of the requests try it. If an alarm begins to ring, all requests go back to the previous versions.
 * Otherwise all go to the new ones. Returns the alarms that rang. If the process dies in the middle, a tenth of the requests stays
 * with the new versions; the next deployment or rollback ends that.
 */
export async function tryRelease({ service, region, release, seconds, pauseMs }: Trial): Promise<string[]> {
  const client = lambdaIn(region)
  const steps = await publishRelease(client, releasedFunctions(service), release)
  const changed = steps.filter(({ from, to }) => from !== to)
  if (changed.length === 0) return []
  if (seconds > 0) {
    const before = await loadRinging(service, region)
    await shareTraffic(client, changed, SHARE)
    console.log(`A tenth of the requests tries ${changed.length} new versions for ${seconds} s.`)
    for (const until = Date.now() + seconds * 1000; Date.now() < until; ) {
      await sleep(pauseMs)
      const rang = (await loadRinging(service, region)).filter((name) => !before.includes(name))
      if (rang.length === 0) continue
      await shareTraffic(client, changed, 0)
      return rang
    }
  }
  await moveTraffic(client, changed)
  await deleteOldVersions(client, changed)
  return []
}

/** The alarms among the judges that ring now. */
async function loadRinging(service: string, region: string): Promise<string[]> {
  const client = new CloudWatchClient({ region })
  const AlarmNames = judges.map((name) => `${service}-${name}`)
  const found: string[] = []
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, { AlarmNames, StateValue: 'ALARM' }))
    found.push(...MetricAlarms.flatMap(({ AlarmName = '' }) => AlarmName))
  return found
}
